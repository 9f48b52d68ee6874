/*
 * What of an instance page stands in its address, so that a link shows another reader the same:
 *
 *   ?pair=a&pair=b    only these pairs are shown, side by side
 *   &against=a~2      what renderings are compared with, where that is not the target
 *   &compare=swipe    difference, blink or swipe
 *   &open=zoom        zoom or replay
 *   &xray=on          the target's marks are outlined on the renderings
 *   #b~3              the rendering looked at: pair b, turn 3
 */
import { writeQuery } from "./address.js";

const WRITES_EVERY = 350; // milliseconds: browsers refuse an address that changes much faster
const NAMES = { against: /^.+~\d+$/, compare: /^(difference|blink|swipe)$/, open: /^(zoom|replay)$/, xray: /^on$/ };

let timer = null;
let last = 0;

export function readState() {
  const query = new URLSearchParams(location.search);
  const state = { cell: fragment(), pairs: query.getAll("pair") };
  for (const [name, form] of Object.entries(NAMES)) {
    const value = query.get(name) ?? "";
    state[name] = form.test(value) ? value : null;
  }
  return state;
}

function fragment() {
  try {
    return decodeURIComponent(location.hash.slice(1)) || null;
  } catch {
    return null;
  }
}

function write(state) {
  last = Date.now();
  const { pairs: pair, against, compare, open, xray } = state;
  writeQuery({ pair, against, compare, open, xray }, { fragment: `#${state.cell ?? ""}` });
}

/* At once, or as soon as the browser will take it. */
export function writeState(state) {
  clearTimeout(timer);
  timer = setTimeout(() => write(state), Math.max(0, last + WRITES_EVERY - Date.now()));
}

