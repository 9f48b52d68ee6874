/*
 * The page that compares pairs, for any two to four of them. Without it the page shows the two best, whose tables are
 * copied and filled anew for others.
 *
 *   <div data-compare data-root="../" data-folder="data/compare"> <div class="compare-view"> … </div> </div>
 *
 * State in the address: ?pairs=a,b[,c,d]&judge=name&category=name&difficulty=name; of players see compare-players.js.
 * Strangers' names go in as text, never as markup.
 */
import { readQuery, writeQuery } from "./address.js";
import { PlayersCompared, askedRole } from "./compare-players.js";
import { estimated, exact, turned } from "./compare-statistics.js";
import { difference, differenceHeat, dot, extremes, heat, pairName, pairWords, winsBar } from "./components.js";
import { element, enhanceEach, fetchJson, labelled, menu, withAttributes } from "./dom.js";
import { capitalise, counted, fixed, intervalWords, signed, spanning } from "./numbers.js";
import { headsOf } from "./sorting.js";

const MOST = 4;
const SLOTS = ["First", "Second", "Third", "Fourth"];
const times = ({ mean, low, high, n }, factor) => ({ n, ...Object.fromEntries(Object.entries({ mean, low, high }).map(([name, end]) => [name, end === null ? null : factor * end])) });

class ComparePage {
  constructor(root) {
    this.root = root;
    this.base = root.dataset.root;
    this.pages = this.base + root.dataset.pages; // where the pages of the game stand
    this.folder = root.dataset.folder;
    this.noun = root.dataset.noun; // what is compared, such as "pair"
    this.instance = root.dataset.instance; // what it played, such as "target"
    this.view = root.querySelector(".compare-view");
    this.table = this.view.querySelector(".differences")?.closest(".scroll");
    this.instances = [...this.view.querySelectorAll("#instances, #instances ~ *")];
    this.files = new Map();
    this.drawn = 0;
  }

  async start() {
    this.index = await this.fetchOnce("index.json");
    this.byKey = new Map(this.index.pairs.map((pair) => [pair.key, pair]));
    const role = askedRole(this.root.dataset.roles);
    this.markRole(role ?? "");
    if (role) {
      await new PlayersCompared(this, role).start();
      return;
    }
    if (this.index.pairs.length < 2 || !this.table) return;
    this.readAddress();
    this.addForm();
    if ("pairs" in readQuery()) await this.draw();
  }

  /* Links to the comparison of pairs, of describers and of generators. */
  markRole(role) {
    const links = this.root.querySelector(".chips");
    links.querySelector(`[data-of="${role}"]`).setAttribute("aria-current", "page");
    links.hidden = false;
  }

  async fetchOnce(name) {
    if (!this.files.has(name)) this.files.set(name, await fetchJson(`${this.base}${this.folder}/${name}`));
    return this.files.get(name);
  }

  /* Unknown pairs are passed over, and said; what is missing is filled from the top of the board, with pairs by the same rules before others. */
  readAddress() {
    const { pairs = "", judge, category, difficulty } = readQuery();
    const asked = [...new Set(pairs.split(",").filter(Boolean))];
    this.absent = asked.filter((key) => !this.byKey.has(key));
    this.keys = asked.filter((key) => this.byKey.has(key)).slice(0, MOST);
    const others = [...this.index.best, ...this.index.pairs.map(({ key }) => key)];
    const [first] = this.keys;
    const alike = first ? others.filter((key) => this.byKey.get(key).rules === this.byKey.get(first).rules) : [];
    for (const key of [...alike, ...others]) {
      if (this.keys.length >= 2) break;
      if (!this.keys.includes(key)) this.keys.push(key);
    }
    this.judge = this.index.judges.some(({ name }) => name === judge) ? judge : this.index.judge;
    this.category = this.index.categories.find(([name]) => name === category);
    this.difficulty = this.index.instances.find(([, , name]) => name === difficulty)?.[2];
  }

  addForm() {
    this.form = withAttributes(element("form", "compare-form"), { "aria-label": "Pairs to compare" });
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.view.before(this.form);
    this.fillForm();
  }

  fillForm() {
    const slots = Math.min(MOST, this.index.pairs.length, this.keys.length + 1);
    const choices = Array.from({ length: slots }, (_, slot) => this.pairChoice(slot));
    if (this.index.judges.length > 1) {
      const options = this.index.judges.map(({ name }) => [name, name]);
      choices.push(this.choice("Judge", options, this.judge, (value) => { this.judge = value; }));
    }
    this.form.replaceChildren(...choices);
  }

  pairChoice(slot) {
    const others = this.keys.filter((_, index) => index !== slot);
    const free = this.index.pairs.filter((pair) => !others.includes(pair.key)).map((pair) => [pair.key, pairWords(pair)]);
    const options = slot >= 2 ? [["", "none"], ...free] : free;
    return this.choice(`${SLOTS[slot]} ${this.noun}`, options, this.keys[slot] ?? "", (value) => {
      if (value) this.keys[slot] = value;
      else this.keys.splice(slot, 1);
    });
  }

  /* The form is made anew when something is chosen, so the focus goes back to where the reader was. */
  choice(label, options, value, whenChosen) {
    const made = menu(options, value, (chosen) => {
      whenChosen(chosen);
      this.absent = [];
      writeQuery({ pairs: this.keys.join(","), judge: this.judge === this.index.judge ? "" : this.judge }, { fragment: "" });
      this.fillForm();
      this.form.querySelector(`[data-label="${label}"]`)?.focus();
      this.draw();
    });
    made.dataset.label = label;
    return labelled(label, made, "compare-choice");
  }

  async draw() {
    const turn = ++this.drawn;
    const keys = [...this.keys];
    let [data, boards] = [[], new Map()];
    try {
      data = await Promise.all(keys.map((key) => this.fetchOnce(`${this.judge}/${encodeURIComponent(key)}.json`)));
      boards = await this.fetchBoards(keys, data);
    } catch {
      this.view.replaceChildren(element("p", "", "The scores could not be loaded. Reload the page to try again."));
      return;
    }
    if (turn !== this.drawn) return;
    this.data = new Map(keys.map((key, index) => [key, data[index]]));
    this.boards = boards;
    this.finals = data.map(({ finals }) => finals);
    const pairs = keys.map((key) => this.byKey.get(key));
    const parts = pairs.length === 2 ? [this.finding(pairs), this.verdicts(pairs)] : [];
    this.fillInstances(pairs);
    if (this.absent.length) parts.unshift(element("p", "aid", `Not here: ${this.absent.join(", ").slice(0, 120)}.`));
    this.view.replaceChildren(...parts, this.words(pairs), this.figuresLink(), ...this.overall(pairs), ...this.byCategory(pairs), ...this.instances);
    this.view.dataset.state = "drawn";
  }

  judged() {
    return this.index.judges.find(({ name }) => name === this.judge);
  }

  /* The differences on the boards of pairs whose comparison was not computed beforehand, by the key of their rules. */
  async fetchBoards(keys, data) {
    const { boards } = this.judged();
    const unknown = keys.some((key, place) => keys.slice(place + 1).some((other, later) => !(other in data[place].against) && !(key in data[place + 1 + later].against)));
    const rules = unknown ? [...new Set(keys.map((key) => this.byKey.get(key).rules))].filter((key) => boards[key]) : [];
    return new Map(await Promise.all(rules.map(async (key) => [key, await fetchJson(`${this.base}${boards[key]}`).catch(() => null)])));
  }

  words(pairs) {
    const { words } = this.judged();
    return element("p", "aid", `${words}${pairs.length === 2 ? ` ${this.common(this.compared(...pairs, ""))}` : ""} The board makes every comparison of two ${this.noun}s at once, so that its interval is at least as wide as that of two chosen beforehand; its ranks follow from it.`);
  }

  figuresLink() {
    const { keys, judge } = this;
    if (this.pages !== this.base) return new Text(); // those figures are of the default game
    const link = withAttributes(element("a", "", "These pairs in all figures"), { href: `${this.base}figures.html?pairs=${keys.map(encodeURIComponent).join(",")}&judge=${encodeURIComponent(judge)}` });
    return element("p", "aid", link);
  }

  /* Only comparisons of both difficulties together are computed beforehand. */
  compared(first, second, category, difficulty = "") {
    const [mine, others] = [first, second].map(({ key }) => this.data.get(key));
    const couple = [{ key: first.key, data: mine }, { key: second.key, data: others }];
    if (difficulty) return estimated(couple, this.chosen(category, difficulty), category, null, this.index);
    const known = mine.against[second.key]?.[category];
    if (known) return exact(known);
    const reverse = others.against[first.key]?.[category];
    if (reverse) return turned(exact(reverse));
    return estimated(couple, this.chosen(category), category, category || first.rules !== second.rules ? null : this.boards.get(first.rules), this.index);
  }

  /* Places of the instances of a condition that the judge rates. */
  chosen(category, difficulty = "") {
    const { rates } = this.judged();
    return this.index.instances.flatMap(([, own, hard], place) =>
      ((!category || own === category) && (!difficulty || hard === difficulty) && (!rates || rates.includes(own)) ? [place] : []));
  }

  pair(pair) {
    return pairName(pair, this.base);
  }

  finding([first, second]) {
    return element("p", "finding", this.pair(first), element("span", "", " against "), this.pair(second));
  }

  /* One claim for each question: the two alone, if that was computed beforehand, and among all comparisons of the board. */
  verdicts([first, second]) {
    const { main, alone } = this.compared(first, second, "");
    const within = this.category || this.difficulty;
    const all = within ? `All ${this.instance}s, ` : "";
    const known = [["these two alone:", alone], ["among all on their board:", main]].filter(([, estimate]) => estimate);
    // On a board of two, and between boards, both are one comparison.
    const same = known.length > 1 && alone.low === main.low && alone.high === main.high;
    const claims = known.slice(0, same ? 1 : 2)
      .map(([label, estimate]) => [within ? all + label : capitalise(label), this.verdict(estimate)]);
    // The board that a reader comes from may have been of one category, one difficulty, or both.
    if (within) {
      const [category, title] = this.category ?? ["", "All categories"];
      const compared = this.compared(first, second, category, this.difficulty);
      claims.unshift(this.difficulty ? [`${title}, ${this.difficulty}:`, this.common(compared)] : [`${title}:`, this.verdict(compared.main)]);
    }
    return element("ul", "verdicts", ...claims.map(([label, claim]) => element("li", "", element("strong", "", label), ` ${claim}`)));
  }

  verdict(main) {
    const { mean, low, high, n } = main;
    if (mean === null) return "the two cannot be compared: nothing that both did there is rated.";
    if (low === null) return `main scores differ by ${signed(mean, 1)}; no interval is known, so the two cannot be told apart.`;
    if (n >= this.index.least && low > 0) return `the first has a main score ${fixed(mean, 1)} points higher (${intervalWords(main, 1)}).`;
    if (n >= this.index.least && high < 0) return `the first has a main score ${fixed(-mean, 1)} points lower (${intervalWords({ low: -high, high: -low, n }, 1)}).`;
    return `the two cannot be told apart (main scores differ by ${signed(mean, 1)}, ${intervalWords(main, 1)}).`;
  }

  /* The difference on common instances, and what the others could make of it. */
  common(comparison) {
    const { mean, n, least, most } = comparison;
    const { factor } = this.index;
    const digits = factor === 1 ? 2 : 1;
    const form = (value) => signed(factor * value, digits);
    const both = n
      ? `The first less the second, on the ${counted(n, this.instance)} that both played and that are rated: ${form(mean)} points of ${10 * factor} (${intervalWords(times(comparison, factor), digits)}, of these two alone).`
      : `No ${this.instance} was played by both and rated.`;
    if (least === null || least === most) return both;
    return `${both} Not all is known: whatever the missing scores were, the mean difference over all ${this.instance}s lies between ${form(least)} and ${form(most)}.`;
  }

  /* Every two of three or four pairs. */
  overall(pairs) {
    if (pairs.length < 3) return [];
    const rows = pairs.flatMap((first, index) => pairs.slice(index + 1).map((second) => {
      const who = element("th", "", this.pair(first), element("span", "versus", " against "), this.pair(second));
      return [who, this.compared(first, second, ""), "#instances"];
    }));
    return [element("h2", "", "Every two"), this.differences(`Differences of every two ${this.noun}s`, capitalise(`${this.noun}s`), rows)];
  }

  byCategory([first, ...others]) {
    const parts = [element("h2", "", "By category")];
    for (const other of others) {
      const rows = [["", `All ${this.instance}s`], ...this.index.categories].flatMap(([category, title]) => {
        const compared = this.compared(first, other, category);
        // Nothing that the judge rates was played by either there.
        if (category && !compared.n && !compared.main.n) return [];
        const behind = category ? `#compare-${category}` : "#instances";
        const link = withAttributes(element("a", "", title), { href: behind });
        const head = element("th", "", category ? link : element("strong", "", link));
        return [[head, compared, behind]];
      });
      if (others.length > 1) parts.push(element("p", "finding", this.pair(first), element("span", "", " less "), this.pair(other)));
      parts.push(this.differences(`${pairWords(first)} less ${pairWords(other)}`, capitalise(`${this.instance}s`), rows));
    }
    return parts;
  }

  /* A copy of the page's own table with other rows. */
  differences(label, who, rows) {
    const made = withAttributes(this.table.cloneNode(true), { "aria-label": label });
    const ends = rows.flatMap(([, { main }]) => (main.low === null ? [main.mean ?? 0] : [main.low, main.high]).map(Math.abs));
    const span = spanning(this.index.spans, ends);
    const table = made.querySelector("table");
    const [whoHead, , scaleHead] = headsOf(table);
    whoHead.textContent = who;
    scaleHead.querySelectorAll(".plot-scale span").forEach((mark, index) => { mark.textContent = [`−${span}`, "0", `+${span}`][index]; });
    scaleHead.querySelector(".sr-only").textContent = `Interval, from −${span} to ${span}`;
    table.classList.toggle("all-known", rows.every(([, { least, most }]) => least === most));
    table.tBodies[0].replaceChildren(...rows.map(([head, compared, behind]) => this.differenceRow(head, compared, span, behind)));
    return made;
  }

  differenceRow(head, comparison, span, behind) {
    const { main, n } = comparison;
    const link = withAttributes(element("a", "episodes", difference(main, 1)), { href: behind });
    const cells = [
      ["number", link], ["", dot(main, span)], ["number", difference(times(comparison, this.index.factor), this.index.factor === 1 ? 2 : 1)], ["", winsBar(comparison)],
      ["number", String(n)], ["number nowrap", extremes(comparison, this.index.factor)],
    ];
    return element("tr", "", withAttributes(head, { scope: "row" }), ...cells.map(([kind, content]) => element("td", kind, content)));
  }

  /* The page's own tables of instances, with the rows of these pairs. */
  fillInstances(pairs) {
    const both = pairs.length === 2;
    const [, words, groups] = this.instances;
    words.textContent = `Final score on each ${this.instance}; a number opens the ${this.instance} with these ${this.noun}s side by side.${both ? " The last row is the difference." : ` The best of each ${this.instance} is framed.`}`;
    const query = pairs.map(({ key }) => `pair=${encodeURIComponent(key)}`).join("&");
    for (const [category] of this.index.categories) {
      const columns = this.index.instances.flatMap(([id, own, difficulty, title], index) => (own === category ? [{ id, difficulty, title, index }] : []));
      const rows = pairs.map((pair, row) => this.instanceRow(pairName(pair), columns, (column) => this.scoreCell(column, row, query, !both)));
      if (both) {
        const [first, second] = this.finals;
        rows.push(this.instanceRow("Difference", columns, ({ index }) => differenceHeat(first[index], second[index], this.index.factor)));
      }
      groups.querySelector(`#compare-${category} tbody`)?.replaceChildren(...rows);
    }
  }

  instanceRow(head, columns, content) {
    const cells = columns.map((column) => element("td", column.difficulty, content(column)));
    return element("tr", "", withAttributes(element("th", "", head), { scope: "row" }), ...cells);
  }

  scoreCell({ id, title, index }, row, query, framed) {
    const score = this.finals[row][index];
    const scores = this.finals.map((finals) => finals[index]).filter((value) => value !== null);
    const best = framed && score !== null && score === Math.max(...scores);
    const { factor } = this.index;
    const shown = score === null ? "no score" : fixed(factor * score, factor === 1 ? 2 : 0);
    const cell = heat(score, `${title}: ${shown}${best ? ", best" : ""}`, factor);
    cell.classList.toggle("best", best);
    return withAttributes(element("a", "heat-link", cell), { href: `${this.pages}gallery/${encodeURIComponent(id)}.html?${query}` });
  }
}

enhanceEach("compare", (root) => new ComparePage(root).start().catch(() => { root.dataset.state = "failed"; }));
