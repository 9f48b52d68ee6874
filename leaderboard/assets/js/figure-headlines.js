/* Headlines of figures that a reader has changed: about what is shown, in the words of leaderboard/charts. */
import { LEAST, enough, known, pairWords, sideOf } from "./figure-grammar.js";
import { counted, fixed, signed } from "./numbers.js";

/* Whose headline it is: empty for all pairs and targets by the judge that the site itself shows. */
export function scopeWords({ scope, pairs, category, judge }) {
  const count = pairs.length;
  const parts = [];
  if (scope === "chosen") parts.push(count === 1 ? "of the chosen pair" : `of the ${count} chosen pairs`);
  if (scope === "best") parts.push(`of the ${count} best pairs`);
  if (category) parts.push(`on ${category.toLowerCase()}`);
  if (judge) parts.push(`judged by ${judge}`);
  const text = parts.join(", ");
  return text ? `${text[0].toUpperCase()}${text.slice(1)}: ` : "";
}

/* How many pairs have intervals above and below a line by every judge; columns: by judge, the values of the same pairs. */
export function against(columns, line, [above, below], open) {
  const [first] = columns;
  const sides = first.map((_, at) => columns.map((column) => column[at]).filter(known).map((value) => sideOf(value, line))).filter(({ length }) => length);
  const [up, down] = [1, -1].map((side) => sides.filter((own) => own.every((each) => each === side)).length);
  if (up === 0 && down === 0) return open + (columns.length > 1 ? " by every judge" : "");
  const undecided = sides.length - up - down;
  const said = `${above} ${up} of ${counted(sides.length, "pair")} and ${below} ${down || "none"}${columns.length > 1 ? ", by every judge" : ""}`;
  return undecided ? `${said}; ${undecided} ${undecided === 1 ? "is" : "are"} undecided` : said;
}

/*
 * Places of the pairs that may be the best. Of all pairs of a board: those that no other beats. Of a part of them: those
 * whose range of ranks reaches that of the first, as they may still do where the difference itself is clear. Only the
 * former cannot be told from the best.
 */
function topGroup(ranks, whole) {
  const ranked = ranks.flatMap((range, place) => (range ? [{ place, low: range[0], high: range[1] }] : []));
  const [first] = [...ranked].sort((one, other) => one.low - other.low || one.high - other.high);
  return ranked.filter(({ low }) => (whole ? low === 1 : low <= first.high)).map(({ place }) => place);
}

/* judges: of each its name, the values and the ranks of the pairs; whole: whether these are all pairs. */
export function highest(pairs, judges, whole) {
  const rated = judges.filter(({ values }) => values.some((value) => known(value) && value[3]));
  if (!rated.length) return "No rendering was rated";
  if (pairs.length === 1) return rated.length === 1 ? `${pairWords(pairs[0])} scores ${fixed(rated[0].values[0][0])}` : `How similar is what ${pairWords(pairs[0])} draws?`;
  /* A judge of too few pictures ranks nobody; the others still do. */
  const ranking = rated.map((own) => ({ ...own, top: topGroup(own.ranks, whole) })).filter(({ top }) => top.length);
  if (!ranking.length) return "No pair has a rank yet";
  const [{ judge, ranks, top: [leader] }] = ranking;
  const by = ranking.length === 1 ? judge : `every judge${ranking.length < rated.length ? " that ranks" : ""}`;
  if (ranking.every(({ top }) => top.length === 1 && top[0] === leader)) return `${pairWords(pairs[leader])} leads by main score, judged by ${by}`;
  const sizes = ranking.map(({ top }) => top.length);
  const tied = whole ? "cannot be told from the best" : "share ranks with the best";
  if (ranking.length === 1) return `${sizes[0]} of ${counted(ranks.filter(Boolean).length, "ranked pair")} ${tied} by main score${rated.length > 1 ? `, judged by ${by}` : ""}`;
  const [fewest, most] = [Math.min(...sizes), Math.max(...sizes)];
  const left = fewest === most ? `${by[0].toUpperCase()}${by.slice(1)} leaves ${most}` : `Judges leave ${fewest} to ${most}`;
  return `${left} of ${counted(pairs.length, "pair")} ${whole ? "in the top group" : "with ranks that the best has too"}`;
}

/* counts of pairs: improved, stable, regressed, single. */
export function outcomes(bars) {
  const sums = [0, 1, 2, 3].map((index) => bars.reduce((sum, counts) => sum + counts[index], 0));
  const whole = sums.reduce((sum, count) => sum + count, 0) || 1;
  const percent = (count) => fixed((100 * count) / whole, 0);
  return `${percent(sums[0])} % of rated episodes end better than they began, ${percent(sums[2])} % worse`;
}

const ends = ({ spots }) => [spots[0].value[0] ?? 0, spots.at(-1).value[0] ?? 0];

export function trajectories(tracks) {
  const gains = tracks.filter(({ spots }) => spots.length).map((track) => [ends(track)[1] - ends(track)[0], track]);
  gains.sort((first, second) => second[0] - first[0]);
  if (!gains.length) return "No episode was rated";
  if (tracks.length > 1 && (gains.length < 2 || gains[0][0] - Math.max(0, gains[1][0]) < 0.05)) return "How far does each pair get, turn by turn?";
  const [from, to] = ends(gains[0][1]);
  return `${pairWords(gains[0][1].pair)} goes from ${fixed(from, 1)} to ${fixed(to, 1)} over the turns`;
}

const LAST = `at the last turn that ${LEAST} episodes reach`;

/* First and last number that rest on enough episodes, of each pair that has several such numbers. */
function several(tracks) {
  const numbers = tracks.map(({ spots }) => spots.map(({ value }) => value).filter(enough).map(([mean]) => mean));
  return numbers.filter(({ length }) => length > 1).map((own) => [own[0], own.at(-1)]);
}

export function lengths(tracks) {
  const all = several(tracks);
  if (!all.length) return "How long are messages?";
  const shorter = all.filter(([first, last]) => last < first).length;
  return `Do messages get shorter? They are shorter ${LAST} than at turn 1 in ${shorter} of ${counted(all.length, "pair")}`;
}

function span(shares) {
  const [low, high] = [Math.min(...shares), Math.max(...shares)].map((share) => fixed(100 * share, 0));
  return low === high ? `${low} %` : `${low}–${high} %`;
}

export function novelty(tracks) {
  const all = several(tracks);
  if (!all.length) return "Do later messages say anything new?";
  return `New words: ${span(all.map(([first]) => first))} of a message at turn 2, ${span(all.map(([, last]) => last))} ${LAST}`;
}

/* rows: the values of a pair by category. */
export function hardest(titles, rows) {
  const whole = rows.filter((values) => values.every(enough));
  const question = "Which category is hardest?";
  if (!whole.length) return question;
  const lowest = whole.map((values) => values.map(([mean]) => mean)).map((means) => means.indexOf(Math.min(...means)));
  const counts = titles.map((_, index) => lowest.filter((place) => place === index).length);
  const most = Math.max(...counts);
  if (counts.filter((count) => count === most).length > 1) return `${question} None scores lowest for most of ${counted(whole.length, "pair")}`;
  return `${question} ${titles[counts.indexOf(most)]} score lowest for ${most} of ${counted(whole.length, "pair")}`;
}

/* cells: by pair and category the values by turn; a pair with too few pictures of a category is left out. */
export function mostGained(pairs, titles, cells) {
  const question = "In which categories do more turns pay?";
  const gain = (values) => values.at(-1)[0] - values[0][0];
  const gains = cells.flatMap((row, pair) => (row.flat().every(enough) ? row.flatMap((values, category) => (values.length > 1 ? [[gain(values), category, pair]] : [])) : []));
  gains.sort((first, second) => second[0] - first[0]);
  if (!gains.length || gains[0][0] < 0.05) return question;
  const [most, category, pair] = gains[0];
  return `The turns bring most on ${titles[category].toLowerCase()}: ${signed(most, 1)} for ${pairWords(pairs[pair])}`;
}

/* cells: the shares of a pair by topic; a pair with messages of too few episodes is left out. */
export function commonest(topics, cells) {
  const rows = cells.filter((values) => values.every(enough));
  if (!rows.length) return "What do corrections talk about?";
  const spans = topics.map((topic, index) => {
    const shares = rows.map((row) => row[index][0]);
    const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
    return { topic: topic.toLowerCase(), mean, width: Math.max(...shares) - Math.min(...shares) };
  });
  const often = spans.reduce((best, own) => (own.mean > best.mean ? own : best));
  const apart = spans.reduce((best, own) => (own.width > best.width ? own : best));
  const said = `Corrections are most often about ${often.topic}`;
  return rows.length < 2 || apart.width < 0.05 ? said : `${said}; pairs differ most in ${apart.topic} (${fixed(100 * apart.width, 0)} points)`;
}
