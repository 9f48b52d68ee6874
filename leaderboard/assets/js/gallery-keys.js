/* The keys of a gallery, each of them a button in its legend too; and the steps of the arrows, down and right. */
export const KEYS = [
  { keys: ["ArrowLeft", "ArrowRight"], show: "← →", words: "turn", counts: "step" },
  { keys: ["ArrowUp", "ArrowDown"], show: "↑ ↓", words: "pair", counts: "noun" },
  { keys: ["d"], show: "D", words: "difference", mode: "difference" },
  { keys: ["b"], show: "B", words: "blink", mode: "blink" },
  { keys: ["s"], show: "S", words: "swipe", mode: "swipe" },
  { keys: ["p"], show: "P", words: "pick to compare with", act: "pick", pressed: "pick" },
  { keys: ["x"], show: "X", words: "x-ray", act: "toggleXray", pressed: "xray" },
  { keys: ["z"], show: "Z", words: "zoom", act: "toggleZoom" },
  { keys: ["r"], show: "R", words: "replay", act: "replay" },
];
export const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
