/*
 * What two pairs have to do with each other, from the files of data/compare.
 *
 * A comparison has the difference on common instances (mean, low, high, n, wins, ties, losses, how), that of the main
 * scores among all comparisons of the board (main) and for these two alone (alone; null where it was not computed
 * beforehand), and the least and the greatest mean difference whatever is missing.
 */

const HIGHEST = 10; // the best score
const TENTHS = 10; // of a point, in which files of boards hold differences

/* Student's paired interval over the instances that both have, with the wins of each. As in every interval, either
 * end of the scale counts as one more value of a small weight. index: that of the comparisons, with quantiles of t by
 * degrees of freedom, the scale, and the difference (tie) below which neither is better. */
function paired(first, second, chosen, { t: quantiles, scale: [lowest, highest, unseen], tie }) {
  const common = chosen.filter((index) => first[index] !== null && second[index] !== null);
  const differences = common.map((index) => first[index] - second[index]);
  const n = differences.length;
  if (!n) return { mean: null, low: null, high: null, n, how: "", wins: 0, ties: 0, losses: 0 };
  const mean = differences.reduce((sum, value) => sum + value, 0) / n;
  const squares = differences.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const ends = unseen * ((mean - lowest) ** 2 + (highest - mean) ** 2);
  const shift = unseen * (lowest + highest - 2 * mean) / (n + 2 * unseen);
  const half = n > 1 ? quantiles[n - 2] * Math.sqrt((squares + ends) / (n - 1) / n) : null;
  const within = (value) => Math.min(highest, Math.max(lowest, value));
  const count = (test) => differences.filter(test).length;
  return {
    mean, n, how: "paired t",
    low: half === null ? null : within(Math.min(mean, mean + shift - half)),
    high: half === null ? null : within(Math.max(mean, mean + shift + half)),
    wins: count((value) => value >= tie), ties: count((value) => Math.abs(value) < tie), losses: count((value) => value <= -tie),
  };
}

export const flip = (value) => (value === null ? null : -value);
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
    mean, low, high, n, wins, ties, losses, least, most, how: "bootstrap",
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

