/*
 * The pairs that are not in the page: fetched in files of some twenty and made into rows like those of instance.html.j2.
 *
 *   pairs.json   {"first": 6, "shard": 20, "pairs": [{"key": …, "describer": …}, …]}   in the order of the board
 *   <n>.json     [{"pair": key, "turns": […], …}, …]                                   pairs first + 20 n …
 *
 * Every word in them may be a stranger's: it goes in as text.
 */
import { badge, correction, pairName, picture } from "./components.js";
import { element, fetchJson, withAttributes } from "./dom.js";
import { fixed, signed } from "./numbers.js";

const oneDecimal = (value) => fixed(value, 1);

function bidi(text) {
  return withAttributes(element("bdi", "", text), { dir: "auto" });
}

function scores(turn) {
  const several = turn.scores.length > 1;
  return element("span", "scores", ...turn.scores.map(([judge, value]) => {
    const name = several ? element("span", "judge-name", judge) : null;
    return withAttributes(element("span", "score", name, badge(value, judge)), { "data-judge": judge });
  }));
}

function rendering(turn, root) {
  const [small, large, width, height] = turn.picture;
  return picture({ small: root + small, large: /^https?:/.test(large) ? large : root + large, width, height, alt: turn.alt });
}

function ended(outcome, words, why) {
  const strong = element("strong", `outcome-${outcome}`, words);
  return element("div", "ended", element("p", "", strong, why ? element("span", "", why) : null));
}

function segment(piece) {
  if (typeof piece === "string") return piece;
  const [text, name, titles] = piece;
  const made = withAttributes(element("mark", "", text), { title: titles });
  made.className = correction(name, "").className;
  return made;
}

function message(marked) {
  const words = withAttributes(element("bdi", "", ...marked.text.map(segment)), { dir: "auto" });
  const more = marked.more ? element("span", "muted", ` … and ${marked.more} more characters, in the dataset`) : null;
  return element("details", "message", element("summary", "", words, more));
}

function notes(texts) {
  const summary = element("summary", "", `${texts.length} ${texts.length === 1 ? "note" : "notes"} by the generator`);
  return element("details", "notes", summary, element("ul", "", ...texts.map((note) => element("li", "", bidi(note)))));
}

function facts(turn) {
  const words = element("p", "facts", `${turn.tokens} tokens`);
  if (turn.over) words.append(", ", element("span", "warn", "over budget"));
  const fired = (turn.message?.fired ?? []).flatMap(([name, title]) => [correction(name, title), " "]);
  return [words, fired.length ? element("span", "fired", ...fired) : null, turn.notes.length ? notes(turn.notes) : null];
}

function turnItem(key, turn, root) {
  const item = element("li", "turn");
  item.id = `${key}~${turn.turn}`;
  item.dataset.turn = turn.turn;
  const link = element("a", "turn-number", `Turn ${turn.turn}`);
  link.href = `#${item.id}`;
  const shown = turn.picture ? rendering(turn, root) : ended("none", "No picture", "");
  const caption = element("figcaption", "", link, turn.picture ? scores(turn) : null);
  item.append(element("figure", "", shown, caption));
  if (turn.message) item.append(message(turn.message));
  item.append(...facts(turn).filter(Boolean));
  return item;
}

function judged([judge, first, final, delta]) {
  const made = element("p", "judged", element("span", "judge-name", judge), " ");
  if (delta === null) made.append(oneDecimal(final));
  else made.append(`${oneDecimal(first)} → ${oneDecimal(final)} `, element("span", "muted", `ΔQ ${signed(delta, 1)}`));
  return made;
}

/* How it ended, at the head of the row: its end may be several turns out of sight. */
function rowEnd(episode) {
  const [, first, final, delta] = episode.judged.length === 1 ? episode.judged[0] : [null, null, null, null];
  const change = final === null ? "" : `, ${delta === null ? "" : `${oneDecimal(first)} → `}${oneDecimal(final)}`;
  return element("span", "row-end muted", `${episode.ended}${change}`);
}

function verified([count, rated], root) {
  const meaning = element("a", "", "verified");
  meaning.href = `${root}metrics.html#verified-share`;
  return element("p", "verified", `${count} of ${rated} scores `, meaning);
}

/* A row as the page's own are: made from an episode of a file and the pair that played it. */
export function episodeRow(episode, pair, root) {
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

/* The files of one instance; each is fetched once. */
export class Shards {
  constructor(folder, instance) {
    this.folder = folder;
    this.instance = instance;
    this.fetched = new Map();
  }

  once(path) {
    if (!this.fetched.has(path)) {
      const answer = fetchJson(`${this.folder}/${path}`);
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

