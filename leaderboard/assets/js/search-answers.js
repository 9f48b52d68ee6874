/*
 * Answers of the search field, from a list of pairs, players, boards, targets and pages: those that have every word, the
 * episodes of a pair on a target, the worst or best episodes, and who is best.
 *
 *   [kind, title, further words, address, key or id]   in the order of the board
 */
const FILLERS = new Set(["of", "the", "a", "on", "by", "with", "and", "for", "from", "show", "me", "in", "at", "+", "is", "are", "who", "what", "which", "how"]);
const ENDS = { worst: "score", fail: "score", fails: "score", failure: "score", failures: "score", wrong: "facts", best: "best", top: "best", winner: "best", leads: "best", improved: "gain", regressed: "change" };
/* Beside an end, these words say what it is the end of and name nothing. */
const EPISODES = new Set(["episode", "episodes", "picture", "pictures", "rendering", "renderings", "drawing", "drawings"]);
const PLAYERS = new Set(["pair", "pairs", "player", "players", "model", "models"]);
const MAIN_BOARD = /^(games\/[^/]+\/)?boards\/index\.html$/;
const GALLERY = "gallery/index.html";
const OTHER_GALLERY = /^games\/[^/]+\/gallery\/index\.html$/;
const EXAMPLES = "Write part of a player's name, a category such as “geometry”, or “worst episode”.";
export const KINDS = { pair: "Pair", describer: "Describer", generator: "Generator", board: "Board", target: "Target", episode: "Episode", page: "Page", worst: "Episodes" };
const NAMES = new Set(["pair", "describer", "generator"]); // kinds that any part of a name finds, as "Find" does on a board
const MOST = { pair: 4, describer: 3, generator: 3, board: 4, target: 3, episode: 4, page: 2, worst: 4 };

const SPACES = /[\s,()+]+/;
const SEPARATORS = /[_/.:–-]+/;
const DIGITS = /^\d+$/;
const split = (text, separators) => text.toLowerCase().split(separators).filter(Boolean);

/* A word that is asked for: a number, or parts that stand in a row, as the two of "describer-07". */
function wordOf(text) {
  return { text, number: DIGITS.test(text) ? Number(text) : null, parts: split(text, SEPARATORS) };
}

export class Entry {
  constructor([kind, title, words, address, key]) {
    Object.assign(this, { kind, title, address, key });
    this.own = new Set(split(title, SPACES));
    this.tokens = split(`${title} ${words}`, SPACES).flatMap((word) => split(word, SEPARATORS));
    this.numbers = new Set(this.tokens.filter((token) => DIGITS.test(token)).map(Number));
  }

  /*
   * A number is meant as a whole; of other words the beginning is enough, so that the singular finds the plural. With
   * `anywhere` any part of a word is enough, such as "72" of "72b" or "ber-12" of "describer-12".
   */
  has({ text, number, parts }, anywhere = false) {
    if (number !== null) return this.numbers.has(number) || (anywhere && this.tokens.some((token) => !DIGITS.test(token) && token.includes(text)));
    const last = parts.length - 1;
    return this.tokens.some((_, place) => parts.every((part, at) => {
      const token = this.tokens[place + at] ?? "";
      if (anywhere && last === 0) return token.includes(part);
      if (at === last) return token.startsWith(part);
      return token === part || (anywhere && at === 0 && token.endsWith(part));
    }));
  }

  /* One bit for each word that the entry has; `anywhere`: within a word, too. */
  mask(words, anywhere = false) {
    return words.reduce((bits, word, place) => (this.has(word, anywhere) ? bits | (1 << place) : bits), 0);
  }

  /* Whole words of the title count more than beginnings. */
  weight(words) {
    return words.filter(({ text }) => this.own.has(text)).length;
  }
}

/* Words that are asked for, and the end of a pair's episodes that is meant: "worst of captioner". */
function read(query) {
  const texts = split(query, SPACES).map((text) => text.replace(/^[_/.:–-]+|[_/.:–-]+$/g, ""));
  const words = texts.filter((text) => text && !FILLERS.has(text)).slice(0, 12);
  const end = words.find((word) => Object.hasOwn(ENDS, word));
  const names = words.filter((word) => !end || (word !== end && !EPISODES.has(word) && !PLAYERS.has(word)));
  const asks = (kind) => words.some((word) => kind.has(word));
  return { words: names.map(wordOf), end, ofPlayers: asks(PLAYERS) || (ENDS[end] === "best" && !asks(EPISODES)) };
}

const nearest = (words) => (first, second) => second.weight(words) - first.weight(words) || first.tokens.length - second.tokens.length;

function answer(kind, title, address) {
  return { kind, title, address };
}

function endAnswers(entries, words, end, ofPlayers) {
  const all = (1 << words.length) - 1;
  const name = end[0].toUpperCase() + end.slice(1);
  if (!words.length) {
    const ranks = ofPlayers ? entries.filter(({ address }) => MAIN_BOARD.test(address)) : [];
    const part = { best: "best", gain: "improved", change: "regressed" }[ENDS[end]] ?? "worst";
    const own = entries.filter(({ address }) => address === GALLERY);
    const others = ENDS[end] === "score" ? entries.filter(({ address }) => OTHER_GALLERY.test(address)) : [];
    return [
      ...ranks.map(({ title, address }) => answer("board", `Who is best: ${title}`, address)),
      ...own.map(() => answer("worst", `${name} episodes of all pairs`, `${GALLERY}#${part}`)),
      ...others.map(({ title, address }) => answer("worst", `${name} episodes: ${title}`, address)),
    ];
  }
  const of = (kind) => entries.filter((entry) => entry.kind === kind && entry.mask(words) === all);
  const pairs = of("pair").filter(({ key }) => key).map(({ title, key }) =>
    answer("worst", `${name} of ${title}`, `${GALLERY}?pair=${encodeURIComponent(key)}&sort=${ENDS[end]}#targets`));
  const players = [...of("describer"), ...of("generator")].map(({ kind, title, address }) =>
    answer(kind, `What ${title} cannot draw`, `${address}#cannot-draw`));
  return [...pairs, ...players];
}

/* A pair and a target that together have every word. */
function episodes(masks, words) {
  if (words.length < 2) return [];
  const all = (1 << words.length) - 1;
  const masked = (kind) => masks.filter(({ entry }) => entry.kind === kind).filter(({ bits }) => bits && bits !== all)
    .sort((first, second) => second.entry.weight(words) - first.entry.weight(words));
  const [pairs, targets] = ["pair", "target"].map((kind) => masked(kind).filter(({ entry }) => entry.key));
  const made = [];
  for (const target of targets) {
    for (const pair of pairs) {
      if ((pair.bits | target.bits) !== all) continue;
      made.push(answer("episode", `${pair.entry.title} on ${target.entry.title.toLowerCase()}`, `${target.entry.address}?pair=${encodeURIComponent(pair.entry.key)}#${pair.entry.key}`));
      if (made.length === MOST.episode) return made;
    }
  }
  return made;
}

/*
 * The answers to a query: what has just that name, then those of one kind together, the nearest first. Words are
 * beginnings; they may stand within the names of players and pairs, and, where nothing begins so, within any word. Of
 * many pairs the last answer, without an address, offers the others, which `every` gives at once.
 */
export function find(entries, query, every = false) {
  const { words, end, ofPlayers } = read(query);
  const ends = end ? endAnswers(entries, words, end, ofPlayers) : [];
  if (!words.length) return ends;
  const all = (1 << words.length) - 1;
  const name = query.trim().toLowerCase();
  const masks = entries.map((entry) => ({ entry, bits: entry.mask(words) }));
  const beginning = masks.filter(({ bits }) => bits === all).map(({ entry }) => entry);
  const pieces = episodes(masks, words);
  const isNone = !beginning.length && !pieces.length;
  const within = masks.filter(({ entry, bits }) => bits !== all && (isNone || NAMES.has(entry.kind)) && entry.mask(words, true) === all).map(({ entry }) => entry);
  const whole = [beginning, within].flatMap((group) => group.sort(nearest(words)));
  const named = whole.filter(({ title }) => title.toLowerCase() === name);
  const kinds = Object.keys(KINDS).flatMap((kind) => whole.filter((entry) => entry.kind === kind && !named.includes(entry)));
  const counts = {};
  const kept = [...ends, ...named, ...kinds, ...pieces].filter(({ kind }) => {
    counts[kind] = (counts[kind] ?? 0) + 1;
    return counts[kind] <= MOST[kind] || (every && kind === "pair");
  });
  return !every && counts.pair > MOST.pair ? [...kept, answer("pair", `All ${counts.pair} pairs with “${query.trim()}”`, null)] : kept;
}

/* How to widen a query that has no answer, as a sentence. */
export function widening(entries, query) {
  const unknown = read(query).words.filter((word) => !entries.some((entry) => entry.has(word, true)));
  if (!read(query).words.length) return EXAMPLES;
  if (unknown.length) return `No player, target or board is called “${unknown.map(({ text }) => text).join("”, “")}”. ${EXAMPLES}`;
  return "No pair, player, target or page has all of these words: leave one out.";
}
