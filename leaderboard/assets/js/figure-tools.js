/* The controls above a figure: which pairs, which judge, which category; reset, link and code to embed. */
import { pairWords } from "./figure-grammar.js";
import { button, element, labelled, menu, searchField, withAttributes } from "./dom.js";
import { copy } from "./export.js";

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
  /* host: { id, title, kind, index, choice, alone, change(values), reset(), link(), embed() } */
  constructor(place, host) {
    this.place = place;
    this.host = host;
    this.listed = false;
    const plays = Boolean(host.kind.draw);
    this.pairs = disclosure("", "pairs", (body) => this.fillPairs(body));
    this.status = withAttributes(element("span", "figure-state"), { role: "status" });
    this.resetButton = button("Reset", () => host.reset());
    if (plays) place.append(this.pairs, ...this.menus(), this.resetButton);
    if (!host.alone) place.append(this.linkButton(), this.embedMenu());
    place.append(this.status);
    place.setAttribute("role", "group");
    this.show();
  }

  menus() {
    const { kind, index } = this.host;
    const made = [];
    if (kind.judges && index.judges.length > 1) {
      const first = kind.everyJudge ? ["", "all judges"] : ["", index.judge];
      const others = index.judges.filter((judge) => kind.everyJudge || judge !== index.judge);
      this.judge = menu([first, ...others.map((judge) => [judge, judge])], "", (judge) => this.host.change({ judge }));
      made.push(labelled("Judge", this.judge));
    }
    if (kind.categories && index.categories.length > 1) {
      const options = [["", "all"], ...index.categories.map(([category, title]) => [category, title])];
      this.category = menu(options, "", (category) => this.host.change({ category }));
      made.push(labelled("Category", this.category));
    }
    return made;
  }

  /* What the summary says of the choice of pairs. */
  words() {
    const { choice, index, kind } = this.host;
    const count = index.pairs.length;
    if (choice.pairs === "~all") return `all ${count}`;
    if (!choice.pairs || choice.pairs.startsWith("~")) {
      const best = choice.pairs ? Number(choice.pairs.slice(1)) : (kind.usual ?? kind.most);
      return best < count ? `best ${best} of ${count}` : `all ${count}`;
    }
    return `${choice.pairs.split(",").length} of ${count}`;
  }

  show() {
    const { choice, kind } = this.host;
    this.place.setAttribute("aria-label", `Choose what is shown: ${this.host.title()}`);
    if (!kind.draw) return;
    this.pairs.querySelector("summary").textContent = `Pairs: ${this.words()}`;
    if (this.judge) this.judge.value = choice.judge;
    if (this.category) this.category.value = choice.category;
    this.resetButton.disabled = !this.host.changed();
    this.showBoxes();
  }

  fillPairs(body) {
    if (this.listed) return;
    this.listed = true;
    const { kind, index } = this.host;
    const change = (values) => this.host.change(values);
    const count = index.pairs.length;
    const quick = [["", `the best ${kind.usual ?? kind.most}`], [`~${QUICK}`, `the best ${QUICK}`], ["~all", `all ${count}`]]
      .filter(([value], at) => (value === "~all" ? kind.all || at === 0 : value === "" ? true : (kind.usual ?? kind.most) > QUICK && count > QUICK))
      .map(([value, words]) => [value, value === "" && (kind.usual ?? kind.most) >= count ? `all ${count}` : words]);
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
    const { choice, kind } = this.host;
    const chosen = new Set(choice.pairs.startsWith("~") ? [] : choice.pairs.split(","));
    const full = chosen.size >= kind.most;
    for (const box of this.boxes) {
      box.checked = chosen.has(box.value);
      box.disabled = full && !box.checked;
    }
    this.limit.textContent = full ? `This figure shows up to ${kind.most} chosen pairs: untick one to choose another.` : `Tick up to ${kind.most}.`;
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
