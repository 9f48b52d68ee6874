/*
 * The page that compares pairs, for any two to four of them. Without it the page shows the two best.
 *
 *   <div data-compare data-root="../" data-folder="data/compare"> <div class="compare-view"> … </div> </div>
 *
 * State in the address: ?pairs=a,b[,c,d]&judge=name. Strangers' names go in as text, never as markup.
 */
(() => {
  "use strict";

  const MOST = 4;
  const NONE = "–";
  const SPANS = [10, 20, 50, 100]; // points of the main score left and right of zero in the plots, as in the page's own
  const COLOURED = 5; // points at which the colour of a difference is full

  const { element } = window.ircore;
  const { estimated, exact, flip, turned } = window.irc.comparing;

  const fixed = (value, digits = 2) => {
    const text = Math.abs(value).toFixed(digits);
    return value < 0 && Number(text) !== 0 ? `−${text}` : text;
  };
  const signed = (value, digits = 2) => (Number(Math.abs(value).toFixed(digits)) !== 0 && value > 0 ? `+${fixed(value, digits)}` : fixed(value, digits));
  const stepped = (value, low, high) => Math.round(Math.min(1, Math.max(0, (value - low) / (high - low))) * 20);

  function svg(name, attributes, ...children) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  function withAttributes(made, attributes) {
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  }

  class ComparePage {
    constructor(root) {
      this.root = root;
      this.base = root.dataset.root;
      this.folder = root.dataset.folder;
      this.view = root.querySelector(".compare-view");
      this.files = new Map();
      this.drawn = 0;
    }

    async start() {
      this.index = await this.fetchJson("index.json");
      this.byKey = new Map(this.index.pairs.map((pair) => [pair.key, pair]));
      if (this.index.pairs.length < 2) return;
      this.readAddress();
      this.addForm();
      if (new URLSearchParams(location.search).has("pairs")) await this.draw();
    }

    async fetchJson(name) {
      if (!this.files.has(name)) {
        const answer = await fetch(`${this.base}${this.folder}/${name}`);
        if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
        this.files.set(name, await answer.json());
      }
      return this.files.get(name);
    }

    /* Unknown pairs are passed over; what is missing is filled from the top of the board. */
    readAddress() {
      const query = new URLSearchParams(location.search);
      const asked = (query.get("pairs") ?? "").split(",").filter((key) => this.byKey.has(key));
      this.keys = [...new Set(asked)].slice(0, MOST);
      for (const pair of this.index.pairs) {
        if (this.keys.length >= 2) break;
        if (!this.keys.includes(pair.key)) this.keys.push(pair.key);
      }
      const judge = query.get("judge");
      this.judge = this.index.judges.some((one) => one.name === judge) ? judge : this.index.judge;
    }

    writeAddress() {
      const query = new URLSearchParams();
      query.set("pairs", this.keys.join(","));
      if (this.judge !== this.index.judge) query.set("judge", this.judge);
      history.replaceState(history.state, "", `${location.pathname}?${query.toString().replaceAll("%2C", ",")}`);
    }

    addForm() {
      this.form = element("form", "compare-form");
      this.form.setAttribute("aria-label", "Pairs to compare");
      this.form.addEventListener("submit", (event) => event.preventDefault());
      this.view.before(this.form);
      this.fillForm();
    }

    fillForm() {
      const slots = Math.min(MOST, this.index.pairs.length, this.keys.length + 1);
      const selects = Array.from({ length: slots }, (_, slot) => this.pairSelect(slot));
      const parts = [...selects];
      if (this.index.judges.length > 1) {
        const options = this.index.judges.map((one) => [one.name, one.name]);
        parts.push(this.select("Judge", options, this.judge, (value) => { this.judge = value; this.changed("Judge"); }));
      }
      this.form.replaceChildren(...parts);
    }

    pairSelect(slot) {
      const others = this.keys.filter((_, index) => index !== slot);
      const options = this.index.pairs.filter((pair) => !others.includes(pair.key)).map((pair) => [pair.key, this.name(pair)]);
      if (slot >= 2) options.unshift(["", "none"]);
      const label = ["First pair", "Second pair", "Third pair", "Fourth pair"][slot];
      return this.select(label, options, this.keys[slot] ?? "", (value) => {
        if (value) this.keys[slot] = value;
        else this.keys.splice(slot, 1);
        this.changed(label);
      });
    }

    select(label, options, value, whenChosen) {
      const select = element("select");
      for (const [key, words] of options) {
        const option = element("option", "", words);
        option.value = key;
        select.append(option);
      }
      select.value = value;
      select.dataset.label = label;
      select.addEventListener("change", () => whenChosen(select.value));
      return element("label", "compare-choice", element("span", "", label), select);
    }

    /* The form is made anew, so the focus goes back to where the reader was. */
    async changed(label) {
      this.writeAddress();
      this.fillForm();
      [...this.form.querySelectorAll("select")].find((one) => one.dataset.label === label)?.focus();
      await this.draw();
    }

    name(pair) {
      return `${pair.describer} + ${pair.generator}${pair.apart ? ` (${pair.apart})` : ""}`;
    }

    async draw() {
      const turn = ++this.drawn;
      const keys = [...this.keys];
      let data;
      try {
        data = await Promise.all(keys.map((key) => this.fetchJson(`${this.judge}/${encodeURIComponent(key)}.json`)));
      } catch {
        this.view.replaceChildren(element("p", "", "The scores could not be loaded. Reload the page to try again."));
        return;
      }
      if (turn !== this.drawn) return;
      this.data = new Map(keys.map((key, index) => [key, data[index]]));
      this.finals = data.map((one) => one.finals);
      this.against = new Map(keys.map((key, index) => [key, data[index].against]));
      const pairs = keys.map((key) => this.byKey.get(key));
      const parts = pairs.length === 2 ? [this.finding(pairs)] : [];
      this.view.replaceChildren(...parts, this.words(pairs), ...this.overall(pairs), ...this.byCategory(pairs), ...this.byInstance(pairs));
      this.view.dataset.state = "drawn";
    }

    words(pairs) {
      const words = this.index.judges.find((one) => one.name === this.judge).words;
      return element("p", "aid", `${words}${pairs.length === 2 ? ` ${this.common(this.compared(...pairs, ""))}` : ""} The interval of the main scores is the one by which the board ranks, all comparisons together; where it was not computed beforehand, the ranks say whether two pairs are told apart, and the interval on common targets is Student's.`);
    }

    compared(first, second, category) {
      const known = this.against.get(first.key)?.[second.key]?.[category];
      if (known) return exact(known, this.index.least);
      const other = this.against.get(second.key)?.[first.key]?.[category];
      if (other) return turned(exact(other, this.index.least));
      const { rates } = this.index.judges.find((one) => one.name === this.judge);
      const chosen = this.index.instances.flatMap((one, index) =>
        ((!category || one[1] === category) && (!rates || rates.includes(one[1])) ? [index] : []));
      const data = [first, second].map(({ key }) => this.data.get(key));
      return estimated(data, chosen, category, first.rules === second.rules, this.index.t, this.index.scale);
    }

    finding([first, second]) {
      const found = this.compared(first, second, "");
      return element("p", "finding", this.mark(first), element("span", "", ` ${this.verdict(found)} `), this.mark(second));
    }

    verdict({ main, apart }) {
      if (main.mean === null) return "cannot be compared with";
      const ends = (low, high) => (low === null ? "by the ranks of the board" : `95 % interval ${fixed(low, 1)} to ${fixed(high, 1)}, n = ${main.n}`);
      if (apart > 0) return `has a main score ${fixed(main.mean, 1)} points higher (${ends(main.low, main.high)}) than`;
      if (apart < 0) return `has a main score ${fixed(-main.mean, 1)} points lower (${ends(flip(main.high), flip(main.low))}) than`;
      return `cannot be told apart (main scores differ by ${signed(main.mean, 1)}, ${ends(main.low, main.high)}) from`;
    }

    /* The difference on common instances, and what the others could make of it. */
    common(found) {
      const interval = found.low === null ? `n = ${found.n}` : `95 % interval ${fixed(found.low)} to ${fixed(found.high)}, n = ${found.n}`;
      const both = found.n
        ? `On the ${found.n === 1 ? "1 target" : `${found.n} targets`} that both played and that are rated, the first scores ${signed(found.mean)} points of 10 (${interval}).`
        : "No target was played by both and rated.";
      if (found.least === null || found.least === found.most) return both;
      return `${both} Not all is known: whatever the missing scores were, the mean difference over all targets lies between ${signed(found.least)} and ${signed(found.most)}.`;
    }

    /* Every two of three or four pairs. */
    overall(pairs) {
      if (pairs.length < 3) return [];
      const rows = [];
      pairs.forEach((first, index) => pairs.slice(index + 1).forEach((second) => {
        const who = element("th", "", this.mark(first), element("span", "versus", " against "), this.mark(second));
        rows.push([who, this.compared(first, second, ""), "#instances"]);
      }));
      return [element("h2", "", "Every two"), this.differences("Differences of every two pairs", "Pairs", rows)];
    }

    byCategory(pairs) {
      const parts = [element("h2", "", "By category")];
      for (const other of pairs.slice(1)) {
        const conditions = [["", "All targets"], ...this.index.categories];
        const rows = conditions.map(([category, title]) => {
          const behind = category ? `#compare-${category}` : "#instances";
          const link = withAttributes(element("a", "", title), { href: behind });
          const head = element("th", "", category ? link : element("strong", "", link));
          return [head, this.compared(pairs[0], other, category), behind];
        });
        const words = `${this.name(pairs[0])} less ${this.name(other)}`;
        if (pairs.length > 2) parts.push(element("p", "finding", this.mark(pairs[0]), element("span", "", " less "), this.mark(other)));
        parts.push(this.differences(words, "Targets", rows));
      }
      return parts;
    }

    differences(label, who, rows) {
      const table = element("table", "board small differences");
      table.append(element("caption", "", "First pair less second pair; ± is the 95 % interval. Main score: points of 100, what a pair did not play counting 0; right of the line the first pair is better. Where both: points of 10, on the n targets that both played and that are rated. If all were known: the least and the greatest mean difference over all targets, whatever the missing scores were. A difference leads to the episodes it was computed from."));
      const ends = rows.flatMap(([, { main }]) => (main.low === null ? [Math.abs(main.mean ?? 0)] : [Math.abs(main.low), Math.abs(main.high)]));
      const span = SPANS.find((one) => one >= Math.max(0, ...ends)) ?? SPANS.at(-1);
      const heads = [[who, ""], ["Main score", "number"], ["", ""], ["Where both", "number"], ["Wins : losses", ""], ["n", "number"], ["If all were known", "number"], ["Interval by", ""]];
      const head = element("tr");
      for (const [words, kind] of heads) {
        const cell = element("th", kind, ...(words ? [words] : this.scale(span)));
        cell.scope = "col";
        head.append(cell);
      }
      table.append(element("thead", "", head), element("tbody", "", ...rows.map(([first, found, behind]) => this.differenceRow(first, found, span, behind))));
      return this.scroll(label, table);
    }

    scale(span) {
      const shown = element("span", "plot-scale", element("span", "", `−${span}`), element("span", "", "0"), element("span", "", `+${span}`));
      return [withAttributes(shown, { "aria-hidden": "true" }), element("span", "sr-only", `Interval, from −${span} to ${span}`)];
    }

    scroll(label, content) {
      return withAttributes(element("div", "scroll", content), { tabindex: "0", role: "region", "aria-label": label });
    }

    differenceRow(head, found, span, behind) {
      head.scope = "row";
      const link = withAttributes(element("a", "episodes", this.difference(found.main, 1, found.apart)), { href: behind });
      return element("tr", "", head, element("td", "number", link), element("td", "", found.main.mean === null ? NONE : this.plot(found.main, span)),
        element("td", "number", this.difference(found, 2, 0)), element("td", "", this.wins(found)), element("td", "number", String(found.n)),
        element("td", "number nowrap", this.extremes(found)), element("td", "muted", found.low === null ? NONE : found.how));
    }

    /* Where the interval leaves 0 out although ± would seem to reach over it, its ends are shown. */
    difference({ mean, low, high }, digits, apart) {
      if (mean === null) return element("span", "", NONE);
      const half = low === null ? null : Math.max(mean - low, high - mean);
      const ends = apart && half >= Math.abs(mean) ? ` ${signed(low, digits)} to ${signed(high, digits)}` : ` ± ${fixed(half ?? 0, digits)}`;
      return element("span", "value", signed(mean, digits), half === null ? null : element("span", "half", ends));
    }

    extremes({ least, most }) {
      if (least === null) return NONE;
      return least === most ? element("span", "muted", "nothing missing") : `${signed(least)} to ${signed(most)}`;
    }

    plot(found, span) {
      const at = (value) => (4 + 112 * ((Math.min(span, Math.max(-span, value)) + span) / (2 * span))).toFixed(1);
      const words = found.low === null ? signed(found.mean, 1) : `${signed(found.mean, 1)}, 95 % interval ${signed(found.low, 1)} to ${signed(found.high, 1)}`;
      const made = svg("svg", { class: "dotplot", viewBox: "0 0 120 20", role: "img", "aria-label": words },
        svg("path", { class: "scale", d: "M4 10H116M4 7V13M60 7V13M116 7V13" }), svg("path", { class: "zero", d: "M60.0 2V18" }));
      if (found.low !== null) made.append(svg("path", { class: "whisker", d: `M${at(found.low)} 10H${at(found.high)}` }));
      made.append(svg("circle", { class: "mean", cx: at(found.mean), cy: "10", r: "4" }));
      return made;
    }

    wins(found) {
      const share = (count) => (100 * count / (found.n || 1)).toFixed(2);
      const part = (kind, before, count) => svg("rect", { class: `part-${kind}`, x: share(before), y: "0", width: share(count), height: "8" });
      const bar = svg("svg", { viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
        part("first", 0, found.wins), part("tie", found.wins, found.ties), part("second", found.wins + found.ties, found.losses));
      const made = element("span", "wins", element("span", "wins-first", String(found.wins)), bar, element("span", "wins-second", String(found.losses)),
        found.ties ? element("span", "muted", `${found.ties} equal`) : null);
      return withAttributes(made, { role: "img", "aria-label": `first better on ${found.wins}, equal on ${found.ties}, second better on ${found.losses}` });
    }

    mark(pair, linked = true) {
      const names = [element("span", "pair-describer", pair.describer), element("span", "pair-plus", " + "), element("span", "pair-generator", pair.generator)];
      const holder = element(linked ? "a" : "span", linked ? "pair-link" : "", ...names);
      if (linked) holder.href = `${this.base}pairs/${encodeURIComponent(pair.key)}.html`;
      const glyph = svg("svg", { class: `glyph ${pair.hue}`, viewBox: "-1.2 -1.2 2.4 2.4", "aria-hidden": "true" }, svg("path", { d: pair.mark }));
      return element("span", `pair ${pair.hue}`, glyph, element("span", "pair-names", holder, pair.apart ? element("span", "pair-apart", pair.apart) : null));
    }

    byInstance(pairs) {
      const both = pairs.length === 2;
      const words = `Final score on each target; a number opens the target with these pairs side by side.${both ? " The last row is the difference." : " The best of a target is framed."}`;
      const query = pairs.map((pair) => `pair=${encodeURIComponent(pair.key)}`).join("&");
      const tables = this.index.categories.map(([category, title]) => this.instanceTable(pairs, category, title, query));
      return [withAttributes(element("h2", "", "Instance by instance"), { id: "instances" }), element("p", "aid", words), element("div", "instance-groups", ...tables)];
    }

    instanceTable(pairs, category, title, query) {
      const columns = this.index.instances.flatMap((one, index) => (one[1] === category ? [{ id: one[0], difficulty: one[2], title: one[3], index }] : []));
      const table = element("table", "instances");
      table.id = `compare-${category}`;
      const levels = element("tr", "", element("td"));
      for (const level of new Set(columns.map((one) => one.difficulty))) {
        const count = columns.filter((one) => one.difficulty === level).length;
        levels.append(withAttributes(element("th", "", level), { scope: "colgroup", colspan: String(count) }));
      }
      const head = element("tr", "", withAttributes(element("th", "", element("span", "sr-only", "Pair")), { scope: "col" }));
      for (const one of columns) {
        const cell = element("th", one.difficulty, one.title.slice(one.title.lastIndexOf(" ") + 1));
        head.append(withAttributes(cell, { scope: "col", title: one.title }));
      }
      const rows = pairs.map((pair, row) => {
        const name = withAttributes(element("th", "", this.mark(pair, false)), { scope: "row" });
        return element("tr", "", name, ...columns.map((one) => this.scoreCell(one, row, query, pairs.length > 2)));
      });
      if (pairs.length === 2) rows.push(this.differenceCells(columns));
      table.append(element("caption", "", title), element("thead", "", levels, head), element("tbody", "", ...rows));
      return this.scroll(`${title}, instance by instance`, table);
    }

    scoreCell(one, row, query, framed) {
      const score = this.finals[row][one.index];
      const scores = this.finals.map((finals) => finals[one.index]).filter((value) => value !== null);
      const best = framed && score !== null && score === Math.max(...scores) ? " best" : "";
      const kind = score === null ? "none" : `score-${stepped(score, 0, 10)}`;
      const cell = element("span", `heat ${kind}${best}`, score === null ? NONE : fixed(score, 1));
      cell.title = `${one.title}: ${score === null ? "no score" : fixed(score)}${best ? ", best" : ""}`;
      const link = element("a", "heat-link", cell);
      link.href = `${this.base}gallery/${encodeURIComponent(one.id)}.html?${query}`;
      return element("td", one.difficulty, link);
    }

    differenceCells(columns) {
      const cells = columns.map((one) => {
        const [first, second] = this.finals.map((finals) => finals[one.index]);
        const known = first !== null && second !== null;
        const kind = known ? `delta-${stepped(first - second, -COLOURED, COLOURED)}` : "none";
        return element("td", one.difficulty, element("span", `heat ${kind}`, known ? signed(first - second, 1) : NONE));
      });
      return element("tr", "", withAttributes(element("th", "", "Difference"), { scope: "row" }), ...cells);
    }
  }

  window.ircore.whenReady(() => {
    const root = document.querySelector("[data-compare][data-folder]:not([data-ready])");
    if (!root) return;
    root.dataset.ready = "";
    new ComparePage(root).start().catch(() => { root.dataset.state = "failed"; });
  });
})();
