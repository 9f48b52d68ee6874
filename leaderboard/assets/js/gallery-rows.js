/*
 * The pairs that are not in the page: fetched in files of some twenty and made into rows from the sample that
 * the page holds, <template data-part="episode">.
 *
 *   pairs.json   {"first": 6, "shard": 20, "pairs": [{"key": …, "describer": …}, …]}   in the order of the board
 *   <n>.json     [{"pair": key, "turns": […], …}, …]                                   pairs first + 20 n …
 *
 * Every word in them may be a stranger's: it goes in as text.
 */
import { badge, correction, pairName, picture } from "./components.js";
import { fetchJson, withAttributes } from "./dom.js";
import { counted, fixed, signed } from "./numbers.js";

/* Fill a part of a copied sample, or remove it where there is nothing to fill it with. */
function fill(part, content) {
  if (content === null || content.length === 0) part.remove();
  else part.replaceChildren(...[content].flat());
}

/* A copy of the first of some equal parts for every item, in their place. */
function repeat(parts, items, filled) {
  const [first, ...others] = parts;
  first.replaceWith(...items.map((item) => filled(first.cloneNode(true), item)));
  others.forEach((other) => other.remove());
}

function rendering({ picture: [small, large, width, height], alt }, root) {
  return picture({ small: root + small, large: /^https?:/.test(large) ? large : root + large, width, height, alt });
}

function filledScore(made, [judge, value], several) {
  made.dataset.judge = judge;
  fill(made.querySelector(".judge-name"), several ? judge : null);
  made.querySelector(".badge").replaceWith(badge(value, judge));
  return made;
}

function fillMessage(made, message) {
  if (!message) return made.remove();
  const mark = made.querySelector("mark");
  const pieces = message.text.map((piece) => {
    if (typeof piece === "string") return piece;
    const [text, name, title] = piece;
    return withAttributes(Object.assign(mark.cloneNode(), { textContent: text, title }), { class: `fix fix-${name}` });
  });
  made.querySelector("bdi").replaceChildren(...pieces);
  fill(made.querySelector(".muted"), message.more ? `… and ${counted(message.more, "more character")}, in the dataset` : null);
}

function fillNotes(made, notes) {
  if (!notes.length) return made?.remove();
  made.querySelector("summary").textContent = `${notes.length} ${notes.length === 1 ? "note" : "notes"} by the generator`;
  repeat(made.querySelectorAll("li"), notes, (item, note) => {
    item.querySelector("bdi").textContent = note;
    return item;
  });
}

/* What is right of the target's facts, what became right and what broke; nothing where that is not known. */
function fillFacts(made, facts) {
  if (!facts) return made.remove();
  const [held, decided, gained, lost] = facts.counts;
  made.querySelector(".facts-held").textContent = `${held} of ${counted(decided, "fact")} right`;
  fill(made.querySelector(".facts-gained"), gained ? `+${gained}` : null);
  fill(made.querySelector(".facts-lost"), lost ? `−${lost}` : null);
  fill(made.querySelector(".facts-open"), facts.open);
  repeat(made.querySelectorAll(".fact-group"), facts.groups, (group, [heading, parts]) => {
    group.querySelector("p").textContent = heading;
    repeat(group.querySelectorAll("li"), parts, (item, [part, sentences]) => {
      item.querySelector(".fact-part").textContent = part;
      item.querySelector(".fact-words").textContent = sentences;
      return item;
    });
    return group;
  });
}

function filledTurn(made, key, turn, root) {
  made.id = `${key}~${turn.turn}`;
  made.dataset.turn = turn.turn;
  if (turn.xray) made.dataset.xray = JSON.stringify(turn.xray);
  const link = withAttributes(made.querySelector(".turn-number"), { href: `#${made.id}` });
  link.textContent = `Turn ${turn.turn}`;
  if (turn.picture) {
    made.querySelector("img").replaceWith(rendering(turn, root));
    const several = turn.scores.length > 1;
    repeat(made.querySelectorAll(".score"), turn.scores, (score, given) => filledScore(score, given, several));
  }
  fillMessage(made.querySelector(".message"), turn.message);
  const [facts, over] = [made.querySelector(".facts"), made.querySelector(".warn")];
  fill(facts, turn.over ? [`${counted(turn.tokens, "token")}, `, over] : counted(turn.tokens, "token"));
  fill(made.querySelector(".fired"), (turn.message?.fired ?? []).flatMap(([name, title]) => [correction(name, title), " "]));
  fillNotes(made.querySelector(".notes"), turn.notes);
  fillFacts(made.querySelector(".turn-facts"), turn.facts);
  return made;
}

function filledJudged(changed, single, [judge, first, final, delta]) {
  const made = (delta === null ? single : changed).cloneNode(true);
  const name = made.querySelector(".judge-name");
  name.textContent = judge;
  if (delta === null) {
    made.replaceChildren(name, ` ${fixed(final, 1)}`);
    return made;
  }
  const change = made.querySelector(".muted");
  change.textContent = `ΔQ ${signed(delta, 1)}`;
  made.replaceChildren(name, ` ${fixed(first, 1)} → ${fixed(final, 1)} `, change);
  return made;
}

/* How it ended, at the head of the row: its end may be several turns out of sight. */
function endWords({ ended, judged }) {
  if (judged.length !== 1) return ended;
  const [[, first, final, delta]] = judged;
  return `${ended}, ${delta === null ? "" : `${fixed(first, 1)} → `}${fixed(final, 1)}`;
}

function fillEnd(made, episode) {
  const outcome = withAttributes(made.querySelector(".ended strong"), { class: `outcome-${episode.outcome ?? "none"}` });
  outcome.textContent = episode.ended;
  fill(made.querySelector(".ended span"), episode.why || null);
  const [changed, single] = made.querySelectorAll(".judged");
  changed.replaceWith(...episode.judged.map((rating) => filledJudged(changed, single, rating)));
  single.remove();
  const [count, scores] = episode.vouched;
  const vouched = made.querySelector(".vouched");
  fill(vouched, scores ? [`${count} of ${counted(scores, "score")} `, vouched.querySelector("a")] : null);
  const detail = made.querySelector(".detail");
  if (episode.detail) detail.querySelector("bdi").textContent = episode.detail;
  else detail.remove();
}

/* A row as the page's own are: made from an episode of a file and the pair that played it. */
export function episodeRow(episode, pair, root) {
  const row = document.querySelector("template[data-part=episode]").content.firstElementChild.cloneNode(true);
  const names = { id: pair.key, "data-pair": pair.key, class: `episode ${pair.hue}` };
  withAttributes(row, { ...names, "aria-label": `${pair.describer} + ${pair.generator}` });
  row.querySelector("header .pair").replaceWith(pairName(pair, root));
  row.querySelector(".row-end").textContent = endWords(episode);
  const [drawn, blank, end] = row.querySelectorAll(".turn");
  fillEnd(end, episode);
  drawn.replaceWith(...episode.turns.map((turn) => filledTurn((turn.picture ? drawn : blank).cloneNode(true), pair.key, turn, root)));
  blank.remove();
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

