// The listener's seat: shows the pictures and the message, and sends the choice.

import { followState, post, rowsOf } from "./seat.js";

const at = (id) => document.getElementById(id);
let shown = "";
let sent = "";

async function choose(label) {
  const question = shown;
  if (!question || question === sent) {
    return;
  }
  sent = question;
  for (const choice of at("choices").children) {
    choice.disabled = true;
  }
  const { taken } = await post("/answer", { question, text: label });
  sent = taken ? sent : "";
}

function button(label, address) {
  const made = document.createElement("button");
  const image = Object.assign(document.createElement("img"), { src: `/picture/${address}`, alt: `Picture ${label}` });
  made.type = "button";
  made.append(image, Object.assign(document.createElement("span"), { textContent: label }));
  made.addEventListener("click", () => choose(label));
  return made;
}

function show(question) {
  if (question.name === shown) {
    return;
  }
  shown = question.name;
  at("message").textContent = question.message;
  at("feedback").textContent = question.feedback;
  at("choices").replaceChildren(...Object.entries(question.pictures).map(([label, address]) => button(label, address)));
  at("message").focus();
}

document.addEventListener("keydown", (event) => {
  const label = event.key.toUpperCase();
  const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
  if (plain && [...at("choices").children].some((made) => made.textContent === label)) {
    choose(label);
  }
});

followState((state) => {
  const { question, ended, total, finished } = state;
  const waits = question !== null && question.name !== sent;
  at("waiting").hidden = waits || finished;
  at("place").textContent = `context ${Math.min(ended.length + 1, total)} of ${total}${question ? `, round ${question.round}` : ""}`;
  at("results").hidden = !ended.length;
  at("finished").hidden = !finished;
  at("choices").hidden = finished;
  rowsOf(at("rows"), ended, (context) => [String(context.rounds), String(context.mine), context.best === null ? null : String(context.best)]);
  if (waits) {
    show(question);
  }
}, at("waiting"));
