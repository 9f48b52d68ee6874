/* Making elements without markup: text goes in as text, whoever wrote it. */

/* An element with a class, and with content that is elements or text. */
export function element(name, className = "", ...content) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...content.filter((part) => part !== null && part !== undefined));
  return made;
}

/* An element with attributes; a value of null removes one. */
export function withAttributes(made, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null) made.removeAttribute(name);
    else made.setAttribute(name, value);
  }
  return made;
}

export function button(words, whenPressed, className = "tool") {
  const made = element("button", className, words);
  made.type = "button";
  made.addEventListener("click", whenPressed);
  return made;
}

/* A menu of [value, words] pairs; whenChosen gets the value. */
export function menu(options, value, whenChosen) {
  const made = element("select", "", ...options.map(([key, words]) => new Option(words, key)));
  made.value = value;
  made.addEventListener("change", () => whenChosen(made.value));
  return made;
}

/* A field for words to find; whenTyped gets them in lower case. */
export function searchField(whenTyped) {
  const made = Object.assign(element("input"), { type: "search", autocomplete: "off", spellcheck: false });
  made.addEventListener("input", () => whenTyped(wordsIn(made.value)));
  return made;
}

export function wordsIn(text) {
  return text.toLowerCase().split(/\s+/).filter(Boolean);
}

export function labelled(words, control, className = "") {
  return element("label", className, element("span", "", words), control);
}

/* A place for words that screen readers say when they change. */
export function statusPlace(name, className) {
  return withAttributes(element(name, className), { role: "status" });
}

export async function fetchJson(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: status ${answer.status}`);
  return answer.json();
}

/* Call it when the page is there, and again whenever the theme puts another page in its place. */
export function whenReady(enhance) {
  if (window.document$) window.document$.subscribe(enhance);
  else if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", enhance);
  else enhance();
}

/* Call it once for every element of the page with this attribute, which may have a value but "on". */
export function enhanceEach(attribute, enhance) {
  whenReady(() => document.querySelectorAll(`[data-${attribute}]:not([data-${attribute}="on"])`).forEach((root) => {
    root.setAttribute(`data-${attribute}`, "on");
    enhance(root);
  }));
}

/* Who stands in a row of a board. */
export function nameOf({ dataset }) {
  const { describer, generator, apart } = dataset;
  return [describer, generator].filter(Boolean).join(" + ") + (apart ? ` (${apart})` : "");
}
