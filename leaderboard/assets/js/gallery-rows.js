/*
 * The pairs that are not in the page: fetched in files of some twenty and made into rows like those of instance.html.j2.
 *
 *   pairs.json   {"first": 6, "shard": 20, "pairs": [{"key": …, "describer": …}, …]}   in the order of the board
 *   <n>.json     [{"pair": key, "turns": […], …}, …]                                   pairs first + 20 n …
 *
 * Every word in them may be a stranger's: it goes in as text.
 */
(() => {
  "use strict";

  const { element } = window.ircore;
  const SVG = "http://www.w3.org/2000/svg";
  const rounded = (value) => value.toFixed(1).replace(/^-0\.0$/, "0.0").replace("-", "−");
  const signed = (value) => (rounded(value) === "0.0" || value < 0 ? rounded(value) : `+${rounded(value)}`);

  function bidi(text) {
    const made = element("bdi", "", text);
    made.dir = "auto";
    return made;
  }

  function glyph(pair) {
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("class", `glyph ${pair.hue}`);
    svg.setAttribute("viewBox", "-1.2 -1.2 2.4 2.4");
    svg.setAttribute("aria-hidden", "true");
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", pair.mark);
    svg.append(path);
    return svg;
  }

  function pairName(pair, root) {
    const link = element("a", "pair-link", element("span", "pair-describer", bidi(pair.describer)),
      element("span", "pair-plus", " + "), element("span", "pair-generator", bidi(pair.generator)));
    link.href = `${root}pairs/${pair.key}.html`;
    const names = element("span", "pair-names", link, pair.apart ? element("span", "pair-apart", pair.apart) : null);
    return element("span", `pair ${pair.hue}`, glyph(pair), names);
  }

  function badge(judge, value) {
    const made = element("span", value === null ? "badge none" : `badge score-${Math.round(value * 2)}`);
    made.textContent = value === null ? "–" : rounded(value);
    made.title = value === null ? "not scored" : `similarity ${value.toFixed(2)} of 10, judged by ${judge}`;
    return made;
  }

  function scores(turn) {
    const several = turn.scores.length > 1;
    return element("span", "scores", ...turn.scores.map(([judge, value]) => {
      const made = element("span", "score", several ? element("span", "judge-name", judge) : null, badge(judge, value));
      made.dataset.judge = judge;
      return made;
    }));
  }

  function picture(turn, root) {
    const [small, large, width, height] = turn.picture;
    const image = element("img");
    Object.assign(image, { alt: turn.alt, width, height, loading: "lazy", decoding: "async" });
    image.dataset.large = /^https?:/.test(large) ? large : root + large;
    image.src = root + small;
    return image;
  }

  function ended(outcome, words, why) {
    const strong = element("strong", `outcome-${outcome}`, words);
    return element("div", "ended", element("p", "", strong, why ? element("span", "", why) : null));
  }

  function segment(piece) {
    if (typeof piece === "string") return piece;
    const [text, first, titles] = piece;
    const mark = element("mark", `fix fix-${first}`, text);
    mark.title = titles;
    return mark;
  }

  function message(given) {
    const words = bidi("");
    words.append(...given.text.map(segment));
    const more = given.more ? element("span", "muted", ` … and ${given.more} more characters, in the dataset`) : null;
    return element("details", "message", element("summary", "", words, more));
  }

  function notes(given) {
    const summary = element("summary", "", `${given.length} ${given.length === 1 ? "note" : "notes"} by the generator`);
    return element("details", "notes", summary, element("ul", "", ...given.map((note) => element("li", "", bidi(note)))));
  }

  function facts(turn) {
    const words = element("p", "facts", `${turn.tokens} tokens`);
    if (turn.over) words.append(", ", element("span", "warn", "over budget"));
    const fired = (turn.message?.fired ?? []).flatMap(([name, title]) => [element("span", `fix fix-${name}`, title), " "]);
    return [words, fired.length ? element("span", "fired", ...fired) : null, turn.notes.length ? notes(turn.notes) : null];
  }

  function turnItem(key, turn, root) {
    const item = element("li", "turn");
    item.id = `${key}~${turn.turn}`;
    item.dataset.turn = turn.turn;
    const link = element("a", "turn-number", `Turn ${turn.turn}`);
    link.href = `#${item.id}`;
    const shown = turn.picture ? picture(turn, root) : ended("none", "No picture", "");
    const caption = element("figcaption", "", link, turn.picture ? scores(turn) : null);
    item.append(element("figure", "", shown, caption));
    if (turn.message) item.append(message(turn.message));
    item.append(...facts(turn).filter(Boolean));
    return item;
  }

  function judged([judge, first, final, delta]) {
    const made = element("p", "judged", element("span", "judge-name", judge), " ");
    if (delta === null) made.append(rounded(final));
    else made.append(`${rounded(first)} → ${rounded(final)} `, element("span", "muted", `ΔQ ${signed(delta)}`));
    return made;
  }

  /* How it ended, at the head of the row: its end may be several turns out of sight. */
  function rowEnd(episode) {
    const [, first, final, delta] = episode.judged.length === 1 ? episode.judged[0] : [null, null, null, null];
    const change = final === null ? "" : `, ${delta === null ? "" : `${rounded(first)} → `}${rounded(final)}`;
    return element("span", "row-end muted", `${episode.ended}${change}`);
  }

  function verified([count, scores], root) {
    const meaning = element("a", "", "verified");
    meaning.href = `${root}metrics.html#verified-share`;
    return element("p", "verified", `${count} of ${scores} scores `, meaning);
  }

  /* A row as the page's own are: made from an episode of a file and the pair that played it. */
  function episodeRow(episode, pair, root) {
    const end = element("li", "turn end", ended(episode.outcome ?? "none", episode.ended, episode.why));
    end.append(...episode.judged.map(judged));
    if (episode.verified[1]) end.append(verified(episode.verified, root));
    if (episode.detail) end.append(element("p", "detail", bidi(episode.detail)));
    const turns = element("ol", "turns", ...episode.turns.map((turn) => turnItem(pair.key, turn, root)), end);
    turns.tabIndex = 0;
    turns.setAttribute("aria-label", "Turns");
    const row = element("section", `episode ${pair.hue}`, element("header", "", pairName(pair, root), rowEnd(episode)), turns);
    row.id = pair.key;
    row.dataset.pair = pair.key;
    row.setAttribute("aria-label", `${pair.describer} + ${pair.generator}`);
    return row;
  }

  async function json(address) {
    const answer = await fetch(address);
    if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
    return answer.json();
  }

  /* The files of one instance; each is fetched once. */
  class Shards {
    constructor(folder, instance) {
      this.folder = folder;
      this.instance = instance;
      this.fetched = new Map();
    }

    once(path) {
      if (!this.fetched.has(path)) {
        const answer = json(`${this.folder}/${path}`);
        answer.catch(() => this.fetched.delete(path));
        this.fetched.set(path, answer);
      }
      return this.fetched.get(path);
    }

    names() {
      return this.once("pairs.json");
    }

    /* The episode of the pair at a place of the board, from 0; null for those that stand in the page. */
    async episode(place) {
      const { first, shard } = await this.names();
      if (place < first) return null;
      const episodes = await this.once(`${this.instance}/${Math.floor((place - first) / shard)}.json`);
      return episodes[(place - first) % shard];
    }
  }

  window.ircore = Object.assign(window.ircore, { Shards, episodeRow });
})();
