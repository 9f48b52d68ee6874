/* Numbers as leaderboard/words.py writes them: a true minus sign, no sign before a zero, a half to the even digit. */

export const MISSING = "–";

/* toFixed takes a half upwards, where Python takes it to the even digit: 7.25 is 7.2 in pages. */
function toEven(value, digits) {
  const exact = value.toFixed(20);
  const [whole, rest] = exact.split(".");
  const cut = digits ? `${whole}.${rest.slice(0, digits)}` : whole;
  const half = /^50*$/.test(rest.slice(digits));
  return half && Number(cut.at(-1)) % 2 === 0 ? cut : value.toFixed(digits);
}

export function fixed(value, digits = 2) {
  const text = toEven(Math.abs(value), digits);
  return value < 0 && Number(text) !== 0 ? `−${text}` : text;
}

/* A count with its noun, as ircore/core/plain_words.py writes it. */
export const counted = (count, noun) => `${count} ${count === 1 ? noun : `${noun}s`}`;

export const capitalise = (words) => words[0].toUpperCase() + words.slice(1);

/* How far plots of differences reach left and right of zero: the least of the spans that holds every end, or the last. */
export const spanning = (spans, ends) => spans.find((points) => points >= Math.max(0, ...ends)) ?? spans.at(-1);

export function signed(value, digits = 2) {
  const text = fixed(value, digits);
  return value > 0 && Number(text) !== 0 ? `+${text}` : text;
}

/* The step of a map of 20 colours between two ends: the number in the classes score-N and delta-N. */
export function colourStep(value, low, high) {
  return Number(toEven(Math.min(1, Math.max(0, (value - low) / (high - low))) * 20, 0));
}

/* An interval as ircore/results/tables/formats.py writes it behind a mean: ± half, or its ends where ± would mislead. */
const LOPSIDED = 1.05;
const SCALE_ENDS = [0, 1, 10, 100, -1, -10, -100];
const LEAST = 5; // pictures that allow a claim
const TOO_FEW = "too few to say anything";

export const isFew = ({ n }) => n < LEAST;

export function intervalText(estimate, digits, difference = false) {
  const { mean, low, high } = estimate;
  if (isFew(estimate) || low === null) return "";
  const [short, half] = [mean - low, high - mean].sort((first, second) => first - second);
  const cutOff = half > short * (1 + 1e-9) && (SCALE_ENDS.includes(low) || SCALE_ENDS.includes(high));
  const hidesSign = difference && (low > 0 || high < 0) && half >= Math.abs(mean);
  const reach = half - 1e-9;
  const passes = SCALE_ENDS.some((end) => (end > 0 ? high <= end && end < mean + reach : mean - reach < end && end <= low));
  const form = difference ? signed : fixed;
  return half > LOPSIDED * short || cutOff || passes || hidesSign ? `${form(low, digits)} to ${form(high, digits)}` : `± ${fixed(half, digits)}`;
}

/* An interval in full, as describe_interval of leaderboard/words.py says it; of players no n is known. */
export function intervalWords({ low, high, n }, digits = 2) {
  if (low === null) return n === 1 ? "one episode, so no interval" : `no interval, n = ${n}`;
  const counts = n === undefined ? "" : `, n = ${n}${isFew({ n }) ? `, ${TOO_FEW}` : ""}`;
  return `95 % interval ${fixed(low, digits)} to ${fixed(high, digits)}${counts}`;
}
