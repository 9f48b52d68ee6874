/* The controls above a figure: which pairs, which judge, which category; reset, link and code to embed. */
import { button, element, labelled, menu, searchField, withAttributes } from "./dom.js";
import { copy } from "./export.js";
import { judgesOf, pairWords } from "./figure-choice.js";

const QUICK = 12;

function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/* Code for other pages; the title may hold a stranger's words. */
export function embedCode(address, title, height) {
  return `<iframe src="${escaped(address)}" title="${escaped(title)}" width="100%" height="${height}" loading="lazy" style="border:0"></iframe>`;
}

function disclosure(words, name, fill) {
  const made = element("details", `figure-menu figure-${name}`, element("summary", "", words));
  const place = element("div", "figure-menu-body");
  made.append(place);
  made.addEventListener("toggle", () => { if (made.open) fill(place); });
  made.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !made.open) return;
    made.open = false;
    made.querySelector("summary").focus();
  });
  document.addEventListener("click", (event) => { if (!made.contains(event.target) && event.target.isConnected) made.open = false; });
  return made;
}

export class FigureTools {
  /* host: { id, title, choices, index, choice, alone, change(values), reset(), link(), embed() } */
  constructor(place, host) {
    this.place = place;
    this.host = host;
    this.listed = false;
    this.pairs = disclosure("", "pairs", (body) => this.fillPairs(body));
    this.status = withAttributes(element("span", "figure-state"), { role: "status" });
    this.resetButton = button("Reset", () => host.reset());
    if (host.choices) place.append(this.pairs, ...this.menus(), this.resetButton);
    if (!host.alone) place.append(this.linkButton(), this.embedMenu());
    place.append(this.status);
    place.setAttribute("role", "group");
    this.show();
  }

  menus() {
    const { choices, index } = this.host;
    const made = [];
    const others = judgesOf(choices, index);
    if (others.length) {
      const first = ["", choices.judges === "all" ? "all judges" : index.judge];
      this.judge = menu([first, ...others.map((judge) => [judge, judge])], "", (judge) => this.host.change({ judge }));
      made.push(labelled("Judge", this.judge));
    }
    if (choices.categories && index.categories.length > 1) {
      const options = [["", "all"], ...index.categories.map(([category, title]) => [category, title])];
      this.category = menu(options, "", (category) => this.host.change({ category }));
      made.push(labelled("Category", this.category));
    }
    return made;
  }

  /* How many pairs the figure shows by itself. */
  get usual() {
    return this.host.choices.usual || this.host.choices.most;
  }

  /* What the summary says of the choice of pairs. */
  words() {
    const { choice, index } = this.host;
    const count = index.pairs.length;
    if (choice.pairs === "~all") return `all ${count}`;
    if (!choice.pairs || choice.pairs.startsWith("~")) {
      const best = choice.pairs ? Number(choice.pairs.slice(1)) : this.usual;
      return best < count ? `best ${best} of ${count}` : `all ${count}`;
    }
    return `${choice.pairs.split(",").length} of ${count}`;
  }

  show() {
    const { choice, choices } = this.host;
    this.place.setAttribute("aria-label", `Choose what is shown: ${this.host.title()}`);
    if (!choices) return;
    this.pairs.querySelector("summary").textContent = `Pairs: ${this.words()}`;
    if (this.judge) this.judge.value = choice.judge;
    if (this.category) this.category.value = choice.category;
    this.resetButton.disabled = !this.host.changed();
    this.showBoxes();
  }

  fillPairs(body) {
    if (this.listed) return;
    this.listed = true;
    const { choices, index } = this.host;
    const change = (values) => this.host.change(values);
    const count = index.pairs.length;
    const best = (most, value) => [value, most >= count ? `all ${count}` : `the best ${most}`];
    const quick = [best(this.usual, ""), ...(this.usual > QUICK ? [best(QUICK, `~${QUICK}`)] : []), ...(choices.every ? [["~all", `all ${count}`]] : [])];
    const seen = new Set();
    const buttons = quick.filter(([, words]) => !seen.has(words) && seen.add(words)).map(([pairs, words]) => button(words, () => change({ pairs })));
    this.boxes = index.pairs.map((pair) => {
      const box = Object.assign(element("input"), { type: "checkbox", value: pair.key });
      box.addEventListener("change", () => change({ pairs: this.boxes.filter(({ checked }) => checked).map(({ value }) => value).join(",") }));
      return box;
    });
    const rows = index.pairs.map((pair, at) => element("li", "", element("label", "", this.boxes[at], element("bdi", "", pairWords(pair)))));
    const find = searchField((words) => rows.forEach((row) => {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }));
    this.limit = element("p", "figure-limit");
    body.append(element("div", "figure-quick", ...buttons), labelled("Find", find), this.limit,
      withAttributes(element("ul", "figure-pair-list", ...rows), { "aria-label": "Pairs" }));
    this.showBoxes();
  }

  showBoxes() {
    if (!this.boxes) return;
    const { choice, choices: { most } } = this.host;
    const chosen = new Set(choice.pairs.startsWith("~") ? [] : choice.pairs.split(","));
    const full = chosen.size >= most;
    for (const box of this.boxes) {
      box.checked = chosen.has(box.value);
      box.disabled = full && !box.checked;
    }
    this.limit.textContent = full ? `This figure shows up to ${most} chosen pairs: untick one to choose another.` : `Tick up to ${most}.`;
  }

  linkButton() {
    return button("Copy link", async () => this.say((await copy(this.host.link())) ? "Link copied." : "The browser did not allow copying."));
  }

  embedMenu() {
    const code = Object.assign(element("textarea"), { readOnly: true, rows: 4 });
    const copied = button("Copy code", async () => this.say((await copy(code.value)) ? "Code copied." : "The browser did not allow copying."));
    return disclosure("Embed", "embed", (body) => {
      code.value = this.host.embed();
      if (!code.isConnected) body.append(labelled("Code for another page", code), copied);
    });
  }

  /* quiet: what is seen elsewhere already, so that screen readers alone need it. */
  say(words, quiet = false) {
    this.status.classList.toggle("sr-only", quiet);
    this.status.textContent = words;
  }
}
