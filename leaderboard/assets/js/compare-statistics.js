/*
 * What two pairs have to do with each other, from the files of data/compare.
 *
 * A comparison has the difference on common instances (mean, low, high, n, wins, ties, losses), that of the main scores
 * among all comparisons of the board (main) and for these two alone (alone; null where it was not computed beforehand),
 * and the least and the greatest mean difference whatever is missing.
 */

const HIGHEST = 10; // the best score
const TENTHS = 10; // of a point, in which files of boards hold differences

const average = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/* Places of the values in groups: the conditions, if each has enough of them, or one group. */
function strata(labels, enough) {
  const groups = new Map();
  labels.forEach((label, place) => groups.set(label, [...(groups.get(label) ?? []), place]));
  const parts = [...groups.values()];
  return parts.every((part) => part.length >= enough) ? parts : [labels.map((_, place) => place)];
}

/* Variance of values around the means of their groups. */
const variance = (values, groups) => average(groups.flatMap((part) => {
  const centre = average(part.map((place) => values[place]));
  return part.map((place) => (values[place] - centre) ** 2);
}));

/* How fast the variance of a difference grows as a mean in it falls, or rises: unseen_slopes in intervals.py. */
function unseenSlopes(values, groups, [lowest, highest], inTheMiddle) {
  const mean = average(values);
  const [own, below, above] = [variance(values, groups), mean - lowest, highest - mean];
  const heaped = below * above > 0 ? Math.min(1, own / (below * above)) : 0;
  const weight = inTheMiddle + (1 - inTheMiddle) * (Math.abs(below - above) / (highest - lowest)) ** 1.5;
  return [below, above].map((distance) => (heaped + (1 - heaped) * weight) * (distance + (distance > 0 ? own / distance : 0)));
}

/* The difference over the instances that both have, with its interval as ircore/results/statistics/bootstrap.py has it
 * (difference_intervals), and the wins of each. index: that of the comparisons, with quantiles of t by degrees of
 * freedom, that of the normal distribution, the scale of scores, the weights of what was not seen in the middle of the
 * scale and in a difference, and the difference (tie) below which neither is better. */
function paired(first, second, chosen, { t: quantiles, z, scale, unseen: [inTheMiddle, ofContrast], tie, least, instances }) {
  const common = chosen.filter((index) => first[index] !== null && second[index] !== null);
  const differences = common.map((index) => first[index] - second[index]);
  const n = differences.length;
  if (!n) return { mean: null, low: null, high: null, n, wins: 0, ties: 0, losses: 0 };
  const mean = average(differences);
  const count = (test) => differences.filter(test).length;
  const wins = { wins: count((value) => value >= tie), ties: count((value) => Math.abs(value) < tie), losses: count((value) => value <= -tie) };
  if (n < 2) return { mean, low: null, high: null, n, ...wins };
  const groups = strata(common.map((index) => `${instances[index][1]} ${instances[index][2]}`), least);
  const freedom = n - groups.length;
  const squares = quantiles[freedom - 1] ** 2 * variance(differences, groups) / freedom;
  const [down, up] = unseenSlopes(common.map((index) => first[index]), groups, scale, inTheMiddle);
  const [otherDown, otherUp] = unseenSlopes(common.map((index) => second[index]), groups, scale, inTheMiddle);
  const reach = (slope) => {
    const part = ofContrast * z ** 2 / n * slope;
    return (part + Math.sqrt(part ** 2 + 4 * squares)) / 2;
  };
  const widest = scale[1] - scale[0];
  return {
    mean, n, ...wins,
    low: Math.max(-widest, mean - reach(Math.max(down, otherUp))),
    high: Math.min(widest, mean + reach(Math.max(up, otherDown))),
  };
}

const flip = (value) => (value === null ? null : -value);
const reversed = ({ mean, low, high, n }) => ({ mean: flip(mean), low: flip(high), high: flip(low), n });

/* The same comparison, second pair less first. */
export function turned(comparison) {
  const { wins, losses, least, most, alone } = comparison;
  return {
    ...comparison, ...reversed(comparison), main: reversed(comparison.main), alone: alone && reversed(alone),
    wins: losses, losses: wins, least: flip(most), most: flip(least),
  };
}

/* The least and the greatest mean difference, whatever the scores that are missing were. */
function extremes(first, second, chosen) {
  if (!chosen.length) return { least: null, most: null };
  const sum = (ends) => chosen.reduce((total, index) => total + ends(first[index], second[index]), 0) / chosen.length;
  return {
    least: sum((score, other) => (score ?? 0) - (other ?? HIGHEST)),
    most: sum((score, other) => (score ?? HIGHEST) - (other ?? 0)),
  };
}

/* A comparison that was computed beforehand. */
export function exact([mean, low, high, n, wins, ties, losses, main, mainLow, mainHigh, mainN, least, most, aloneLow, aloneHigh]) {
  return {
    mean, low, high, n, wins, ties, losses, least, most,
    main: { mean: main, low: mainLow, high: mainHigh, n: mainN }, alone: { mean: main, low: aloneLow, high: aloneHigh, n: mainN },
  };
}

/* A comparison that was not computed beforehand: the interval of the main scores is the board's own, from its file of
 * the differences of every two (board; null for a category, or where one of the two has no rank). */
export function estimated([first, second], chosen, category, board, index) {
  const [mine, others] = [first.data.main[category] ?? null, second.data.main[category] ?? null];
  const [row, column] = board ? [first, second].map(({ key }) => board.pairs.indexOf(key)) : [-1, -1];
  const known = row >= 0 && column >= 0;
  const main = {
    mean: mine === null || others === null ? null : mine - others, n: chosen.length,
    low: known ? board.low[row][column] / TENTHS : null, high: known ? -board.low[column][row] / TENTHS : null,
  };
  const finals = [first.data.finals, second.data.finals, chosen];
  return { ...paired(...finals, index), ...extremes(...finals), main, alone: null };
}

