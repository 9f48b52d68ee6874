/*
 * The judge `structural` for the page Try it: the same formula as ircore/scorers/judges/structural.py, which a test holds
 * this module to. Pictures are ImageData of 512 × 512 pixels, or of any size, brought to 256 × 256 by means.
 */

const SIDE = 256;
const SCALES = 5;
const WINDOW = 8;
const CHANNELS = 3;
const ROUNDING = 1e-6;

/* Means of whole blocks of pixels, rounded as pictures are; the picture's side must be a multiple of 256. */
function planes({ data, width, height }) {
  const [across, down] = [width / SIDE, height / SIDE];
  const small = new Float64Array(SIDE * SIDE * CHANNELS);
  for (let row = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1) {
      const at = (Math.floor(row / down) * SIDE + Math.floor(column / across)) * CHANNELS;
      for (let channel = 0; channel < CHANNELS; channel += 1) {
        small[at + channel] += data[(row * width + column) * 4 + channel];
      }
    }
  }
  return small.map((sum) => Math.round(sum / (across * down)));
}

/* The mean of the pixels in the fullest of 4096 bins of colour. */
function commonestColour(picture) {
  const counts = new Int32Array(4096);
  const bin = (at) => Math.floor(picture[at] / 16) * 256 + Math.floor(picture[at + 1] / 16) * 16 + Math.floor(picture[at + 2] / 16);
  for (let at = 0; at < picture.length; at += CHANNELS) counts[bin(at)] += 1;
  const fullest = counts.indexOf(Math.max(...counts));
  const sums = [0, 0, 0];
  for (let at = 0; at < picture.length; at += CHANNELS) {
    if (bin(at) === fullest) sums.forEach((sum, channel) => (sums[channel] = sum + picture[at + channel]));
  }
  return sums.map((sum) => sum / counts[fullest]);
}

function colourAgreement(one, other, shift) {
  let ink = 0;
  let off = 0;
  for (let at = 0; at < one.length; at += 1) {
    const moved = other[at] + shift[at % CHANNELS];
    ink += Math.abs(one[at]) + Math.abs(moved);
    off += Math.abs(one[at] - moved);
  }
  return ink === 0 ? 1 : 1 - off / ink;
}

/* Running sums of a plane, so that the sum of any window is four look-ups. */
function table(values, side) {
  const sums = new Float64Array((side + 1) * (side + 1));
  for (let row = 0; row < side; row += 1) {
    let line = 0;
    for (let column = 0; column < side; column += 1) {
      line += values(row * side + column);
      sums[(row + 1) * (side + 1) + column + 1] = sums[row * (side + 1) + column + 1] + line;
    }
  }
  return (row, column) => {
    const at = (y, x) => sums[y * (side + 1) + x];
    return at(row + WINDOW, column + WINDOW) - at(row, column + WINDOW) - at(row + WINDOW, column) + at(row, column);
  };
}

function structureAgreement(one, other, side) {
  const area = WINDOW * WINDOW;
  const channels = [0, 1, 2].map((channel) => {
    const x = (at) => one[at * CHANNELS + channel];
    const y = (at) => other[at * CHANNELS + channel];
    return [table(x, side), table(y, side), table((at) => x(at) ** 2 + y(at) ** 2, side), table((at) => x(at) * y(at), side)];
  });
  let total = 0;
  let agreed = 0;
  for (let row = 0; row + WINDOW <= side; row += 1) {
    for (let column = 0; column + WINDOW <= side; column += 1) {
      let variance = 0;
      let covariance = 0;
      for (const [sumX, sumY, squares, products] of channels) {
        const [x, y] = [sumX(row, column) / area, sumY(row, column) / area];
        variance += squares(row, column) / area - x * x - y * y;
        covariance += products(row, column) / area - x * y;
      }
      const weight = Math.sqrt(Math.max(0, variance));
      total += weight;
      if (variance > ROUNDING) agreed += (weight * 2 * Math.max(0, covariance)) / variance;
    }
  }
  return total <= ROUNDING ? 1 : Math.min(1, agreed / total);
}

function halved(picture, side) {
  const half = side / 2;
  const small = new Float64Array(half * half * CHANNELS);
  for (let row = 0; row < side; row += 1) {
    for (let column = 0; column < side; column += 1) {
      for (let channel = 0; channel < CHANNELS; channel += 1) {
        small[((row >> 1) * half + (column >> 1)) * CHANNELS + channel] += picture[(row * side + column) * CHANNELS + channel] / 4;
      }
    }
  }
  return small;
}

/* The rating, 0–10 with two decimals; 10 for identical pictures only. */
export function rating(target, image) {
  if (target.data.every((level, at) => level === image.data[at])) return 10;
  const [seen, drawn] = [planes(target), planes(image)];
  const [ground, own] = [commonestColour(seen), commonestColour(drawn)];
  const shift = ground.map((level, channel) => level - own[channel]);
  const likeness = 1 - shift.reduce((sum, off) => sum + Math.abs(off), 0) / CHANNELS / 255;
  let [one, other] = [seen, drawn].map((picture) => picture.map((level, at) => level - ground[at % CHANNELS]));
  let sum = 0;
  for (let scale = 0, side = SIDE; scale < SCALES; scale += 1, side /= 2) {
    const colour = Math.max(colourAgreement(one, other, [0, 0, 0]), likeness * colourAgreement(one, other, shift));
    sum += Math.sqrt(colour * structureAgreement(one, other, side));
    [one, other] = [halved(one, side), halved(other, side)];
  }
  return Math.min(9.99, Math.round((1000 * sum) / SCALES) / 100);
}
