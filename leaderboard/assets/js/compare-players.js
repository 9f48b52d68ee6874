/*
 * Players side by side on the page that compares pairs, as boards of players lead here:
 *   ?describers=a,b[,c,d]   or   ?generators=a,b   the two best where none is named
 *
 * The differences are those by which these boards rank: the file of a board (leaderboard/pages/pair_comparison.py) has its
 * players, their means, and the lower end of every difference in tenths of a point. Names go in as text, never as markup.
 */
import { readQuery, writeQuery } from "./address.js";
import { difference, dot } from "./components.js";
import { element, fetchJson, labelled, menu, withAttributes } from "./dom.js";
import { MISSING, capitalise, fixed, intervalWords, signed, spanning } from "./numbers.js";

const MOST = 4;
const TENTHS = 10;
const SLOTS = ["First", "Second", "Third", "Fourth"];

/* The role, of those in a list of words, whose players the address asks for; undefined where it asks for pairs. */
export function askedRole(roles) {
  const query = readQuery();
  return roles.split(" ").find((role) => role && role in query);
}

/* A difference of two players of a file, the first less the second; null where one of them has no rank there. */
function compared({ pairs, means, low }, first, second) {
  const [mine, other] = [first, second].map((key) => pairs.indexOf(key));
  if (mine < 0 || other < 0) return null;
  return { mean: means[mine] - means[other], low: low[mine][other] / TENTHS, high: -low[other][mine] / TENTHS };
}

export class PlayersCompared {
  constructor(page, role) {
    this.page = page;
    this.role = role;
    this.noun = role.slice(0, -1);
    this.folder = `${page.pages}data/against/${role}/`;
  }

  async start() {
    document.querySelector("h1").textContent = `Compare ${this.role}`;
    this.page.root.parentElement.querySelector(".lead")?.remove();
    this.conditions = await fetchJson(`${this.folder}boards.json`);
    this.files = await Promise.all(this.conditions.map(([, name]) => fetchJson(`${this.folder}${name}.json`)));
    const [overall] = this.files;
    if ((overall?.pairs.length ?? 0) < 2) {
      this.page.view.replaceChildren(element("p", "", `Fewer than two ${this.role} have a rank here, so that none can be compared.`));
      return;
    }
    this.names = new Map(overall.pairs.map((key, place) => [key, overall.names[place]]));
    this.best = [...overall.pairs].sort((one, other) => overall.means[overall.pairs.indexOf(other)] - overall.means[overall.pairs.indexOf(one)]);
    const asked = [...new Set((readQuery()[this.role] ?? "").split(",").filter(Boolean))];
    this.absent = asked.filter((key) => !this.names.has(key));
    this.keys = asked.filter((key) => this.names.has(key)).slice(0, MOST);
    for (const key of this.best) if (this.keys.length < 2 && !this.keys.includes(key)) this.keys.push(key);
    this.form = withAttributes(element("form", "compare-form"), { "aria-label": `${this.role} to compare` });
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.page.view.before(this.form);
    this.show();
  }

  show() {
    this.fillForm();
    const absent = this.absent.length ? [element("p", "aid", `Without a rank here: ${this.absent.join(", ")}.`)] : [];
    this.page.view.replaceChildren(...absent, this.finding(), this.table(), this.words());
    this.page.view.dataset.state = "drawn";
  }

  fillForm() {
    const slots = Math.min(MOST, this.best.length, this.keys.length + 1);
    this.form.replaceChildren(...Array.from({ length: slots }, (_, slot) => {
      const free = this.best.filter((key) => key === this.keys[slot] || !this.keys.includes(key)).map((key) => [key, this.names.get(key)]);
      const control = menu(slot >= 2 ? [["", "none"], ...free] : free, this.keys[slot] ?? "", (key) => {
        if (key) this.keys[slot] = key;
        else this.keys.splice(slot, 1);
        writeQuery({ [this.role]: this.keys.join(",") }, { fragment: "" });
        this.show();
        this.form.querySelectorAll("select")[slot]?.focus();
      });
      return labelled(`${SLOTS[slot]} ${this.noun}`, control, "compare-choice");
    }));
  }

  name(key) {
    const text = element("bdi", "", this.names.get(key));
    // Players of other games share a page.
    const page = this.page.pages === this.page.base ? `${this.role}/${encodeURIComponent(key)}` : "pairs/index";
    return withAttributes(element("a", "", text), { href: `${this.page.pages}${page}.html` });
  }

  finding() {
    const [first, second] = this.keys;
    const { mean, low, high } = compared(this.files[0], first, second);
    const ends = intervalWords({ low, high }, 1);
    const verdict = low > 0 ? `has a main score ${fixed(mean, 1)} points higher (${ends}) than`
      : high < 0 ? `has a main score ${fixed(-mean, 1)} points lower (${intervalWords({ low: -high, high: -low }, 1)}) than`
        : `cannot be told apart (main scores differ by ${signed(mean, 1)}, ${ends}) from`;
    return element("p", "finding", this.name(first), element("span", "", ` ${verdict} `), this.name(second));
  }

  /* A row for each condition, two columns for each player that the first is compared with. */
  table() {
    const [first, ...others] = this.keys;
    const all = this.files.flatMap((file) => others.map((other) => compared(file, first, other)).filter(Boolean));
    const span = spanning(this.page.index.spans, all.flatMap(({ low, high }) => [-low, high]));
    const heads = others.flatMap((other) => [element("th", "number", "less ", this.name(other)), element("th", "", `−${span} to +${span}`)]);
    for (const head of heads) head.scope = "col";
    const corner = withAttributes(element("th", "", capitalise(`${this.page.instance}s`)), { scope: "col" });
    const rows = this.conditions.map(([title], at) => {
      const cells = others.flatMap((other) => {
        const estimate = compared(this.files[at], first, other);
        return estimate ? [element("td", "number", difference(estimate, 1)), element("td", "", dot(estimate, span))]
          : [element("td", "number", MISSING), element("td")];
      });
      return element("tr", "", withAttributes(element("th", "", title), { scope: "row" }), ...cells);
    });
    const caption = element("caption", "", "Main score of ", this.name(first), " less that of the other, points of 100; ± or ends are the 95 % interval by which the board of players ranks. Right of the line the first is better.");
    const table = element("table", "board small", caption, element("thead", "", element("tr", "", corner, ...heads)), element("tbody", "", ...rows));
    return withAttributes(element("div", "scroll", table), { tabindex: "0", role: "region", "aria-label": "Differences by category" });
  }

  words() {
    const board = withAttributes(element("a", "", `board of ${this.role}`), { href: `${this.page.pages}boards/${this.role}/index.html` });
    return element("p", "aid", `The same partners and ${this.page.instance}s stand behind both sides of a difference. Ranks stand on the `, board, ".");
  }
}
