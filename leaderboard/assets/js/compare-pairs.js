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
  const SPANS = [1, 2, 5, 10]; // points left and right of zero in the plots, as in the page's own
  const COLOURED = 5; // points at which the colour of a difference is full

  const { element } = window.ircore;

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

  /* Student's paired interval over the instances that both have, with the wins of each. As in every interval, either
   * end of the scale counts as one more value of a small weight. */
  function paired(first, second, chosen, quantiles, [lowest, highest, unseen]) {
    const found = chosen.filter((index) => first[index] !== null && second[index] !== null);
    const differences = found.map((index) => first[index] - second[index]);
    const n = differences.length;
    if (!n) return null;
    const mean = differences.reduce((sum, one) => sum + one, 0) / n;
    const squares = differences.reduce((sum, one) => sum + (one - mean) ** 2, 0);
    const ends = unseen * ((mean - lowest) ** 2 + (highest - mean) ** 2);
    const shift = unseen * (lowest + highest - 2 * mean) / (n + 2 * unseen);
    const half = n > 1 ? quantiles[n - 2] * Math.sqrt((squares + ends) / (n - 1) / n) : null;
    const within = (value) => Math.min(highest, Math.max(lowest, value));
    const count = (test) => differences.filter(test).length;
    return {
      mean, n, how: "paired t",
      low: half === null ? null : within(Math.min(mean, mean + shift - half)),
      high: half === null ? null : within(Math.max(mean, mean + shift + half)),
      wins: count((one) => one > 1e-9), ties: count((one) => Math.abs(one) <= 1e-9), losses: count((one) => one < -1e-9),
    };
  }

  function turned(one) {
    const flip = (value) => (value === null ? null : -value);
    return { ...one, mean: flip(one.mean), low: flip(one.high), high: flip(one.low), wins: one.losses, losses: one.wins };
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
      this.finals = data.map((one) => one.finals);
      this.against = new Map(keys.map((key, index) => [key, data[index].against]));
      const pairs = keys.map((key) => this.byKey.get(key));
      const parts = pairs.length === 2 ? [this.finding(pairs)] : [];
      this.view.replaceChildren(...parts, this.words(), ...this.overall(pairs), ...this.byCategory(pairs), ...this.byInstance(pairs));
      this.view.dataset.state = "drawn";
    }

    words() {
      const words = this.index.judges.find((one) => one.name === this.judge).words;
      return element("p", "aid", `${words} Only instances that both of two pairs have a score for. Intervals by bootstrap over instances where they were computed beforehand, else Student's paired interval, computed here; each is for its one comparison, while the ranks of the board hold all comparisons together.`);
    }

    compared(first, second, category) {
      const known = this.against.get(first.key)?.[second.key]?.[category];
      if (known) return this.exact(known);
      const other = this.against.get(second.key)?.[first.key]?.[category];
      if (other) return turned(this.exact(other));
      const chosen = this.index.instances.flatMap((one, index) => (!category || one[1] === category ? [index] : []));
      return paired(this.finals[this.keys.indexOf(first.key)], this.finals[this.keys.indexOf(second.key)], chosen, this.index.t, this.index.scale);
    }

    exact([mean, low, high, n, wins, ties, losses]) {
      return { mean, low, high, n, wins, ties, losses, how: "bootstrap" };
    }

    finding([first, second]) {
      const found = this.compared(first, second, "");
      return element("p", "finding", this.mark(first), element("span", "", ` ${this.verdict(found)} `), this.mark(second));
    }

    verdict(found) {
      if (!found) return "shares no rated instance with";
      const ends = (low, high) => `95 % interval ${fixed(low)} to ${fixed(high)}, n = ${found.n}`;
      if (found.low === null) return `differs by ${signed(found.mean)} on the one instance it shares with`;
      if (found.n >= this.index.least && found.low > 0) return `scores ${fixed(found.mean)} higher (${ends(found.low, found.high)}) than`;
      if (found.n >= this.index.least && found.high < 0) return `scores ${fixed(-found.mean)} lower (${ends(-found.high, -found.low)}) than`;
      return `cannot be told apart (difference ${signed(found.mean)}, ${ends(found.low, found.high)}) from`;
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
      table.append(element("caption", "", "First pair less second pair, points of the scale 0–10; ± is the 95 % interval. Right of the line the first pair is better. A difference leads to the episodes it was computed from."));
      const ends = rows.flatMap(([, found]) => (found && found.low !== null ? [Math.abs(found.low), Math.abs(found.high)] : []));
      const span = SPANS.find((one) => one >= Math.max(0, ...ends)) ?? SPANS.at(-1);
      const heads = [[who, ""], ["Difference", "number"], ["", ""], ["Wins : losses", ""], ["n", "number"], ["Interval by", ""]];
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
      if (!found) {
        const cell = element("td", "muted", "no instance in common");
        cell.colSpan = 5;
        return element("tr", "", head, cell);
      }
      const half = found.low === null ? null : Math.max(found.mean - found.low, found.high - found.mean);
      const value = element("span", "value", signed(found.mean), half === null ? null : element("span", "half", ` ± ${fixed(half)}`));
      return element("tr", "", head, element("td", "number", withAttributes(element("a", "episodes", value), { href: behind })), element("td", "", this.plot(found, span)),
        element("td", "", this.wins(found)), element("td", "number", String(found.n)),
        element("td", "muted", found.low === null ? NONE : found.how));
    }

    plot(found, span) {
      const at = (value) => (4 + 112 * ((Math.min(span, Math.max(-span, value)) + span) / (2 * span))).toFixed(1);
      const words = found.low === null ? signed(found.mean) : `${signed(found.mean)}, 95 % interval ${signed(found.low)} to ${signed(found.high)}`;
      const made = svg("svg", { class: "dotplot", viewBox: "0 0 120 20", role: "img", "aria-label": words },
        svg("path", { class: "scale", d: "M4 10H116M4 7V13M60 7V13M116 7V13" }), svg("path", { class: "zero", d: "M60.0 2V18" }));
      if (found.low !== null) made.append(svg("path", { class: "whisker", d: `M${at(found.low)} 10H${at(found.high)}` }));
      made.append(svg("circle", { class: "mean", cx: at(found.mean), cy: "10", r: "4" }));
      return made;
    }

    wins(found) {
      const part = (kind, before, count) => svg("rect", { class: `part-${kind}`, x: (100 * before / found.n).toFixed(2), y: "0", width: (100 * count / found.n).toFixed(2), height: "8" });
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
