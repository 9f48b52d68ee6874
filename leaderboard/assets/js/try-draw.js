/* Draws the steps that the built-in canvas took, as ircore/core/drawing.py says them, on a canvas of the page. */

const RADIANS = Math.PI / 180;

function filled(pen, step, path) {
  if (step.fill) {
    pen.fillStyle = step.fill;
    pen.fill(path, "evenodd");
  }
  if (step.outline) {
    stroked(pen, path, step.outline, step.width, []);
  }
}

function stroked(pen, path, colour, width, dash) {
  pen.strokeStyle = colour;
  pen.lineWidth = width;
  pen.lineJoin = "round";
  pen.lineCap = dash.length ? "butt" : "round";
  pen.setLineDash(dash);
  pen.stroke(path);
  pen.setLineDash([]);
}

function pathThrough(points, closed) {
  const path = new Path2D();
  points.forEach(([x, y], at) => (at ? path.lineTo(x, y) : path.moveTo(x, y)));
  if (closed) path.closePath();
  return path;
}

function wedge({ centre: [x, y], radius, start, end, hole }) {
  const path = new Path2D();
  const whole = end - start >= 360;
  path.arc(x, y, radius, start * RADIANS, end * RADIANS);
  if (hole && whole) path.moveTo(x + hole, y);
  if (hole) path.arc(x, y, hole, end * RADIANS, start * RADIANS, true);
  else if (!whole) path.lineTo(x, y);
  path.closePath();
  return path;
}

function written(pen, { at, text, size, colour, anchor, rotation }) {
  pen.save();
  pen.translate(...at);
  pen.rotate(-rotation * RADIANS);
  pen.font = `${size}px sans-serif`;
  pen.fillStyle = colour;
  const told = pen.measureText(text);
  const wide = told.actualBoundingBoxLeft + told.actualBoundingBoxRight;
  const high = told.actualBoundingBoxAscent + told.actualBoundingBoxDescent;
  // The anchor is a point of the ink's box: before the turn for level text, after the turn for any other.
  const [across, down] = rotation ? ["m", "m"] : anchor;
  const x = told.actualBoundingBoxLeft - { l: 0, m: wide / 2, r: wide }[across];
  const y = told.actualBoundingBoxAscent - { t: 0, m: high / 2, b: high }[down];
  if (rotation === 90 && anchor[0] === "r") pen.translate(0, -high / 2);
  if (rotation === 90 && anchor[1] === "t") pen.translate(-wide / 2, 0);
  pen.fillText(text, x, y);
  pen.restore();
}

function faded(pen, { width, height, background, fade, fadeTo }) {
  const ends = {
    bottom: [0, 0, 0, height],
    right: [0, 0, width, 0],
    "bottom right": [0, 0, width, height],
    "bottom left": [width, 0, 0, height],
  };
  const middle = [width / 2, height / 2];
  const ramp = ends[fadeTo]
    ? pen.createLinearGradient(...ends[fadeTo])
    : pen.createRadialGradient(...middle, 0, ...middle, Math.hypot(...middle));
  ramp.addColorStop(0, background);
  ramp.addColorStop(1, fade);
  return ramp;
}

export function drawSteps(sheet, drawn) {
  [sheet.width, sheet.height] = [drawn.width, drawn.height];
  const pen = sheet.getContext("2d", { willReadFrequently: true });
  pen.fillStyle = drawn.fade ? faded(pen, drawn) : drawn.background;
  pen.fillRect(0, 0, drawn.width, drawn.height);
  for (const step of drawn.steps) {
    if (step.kind === "polygon") filled(pen, step, pathThrough(step.points, true));
    else if (step.kind === "wedge") filled(pen, step, wedge(step));
    else if (step.kind === "text") written(pen, step);
    else if (step.kind === "line") stroked(pen, pathThrough(step.points, step.closed), step.colour, step.width, step.dash);
    else {
      const path = new Path2D();
      path.ellipse(...step.centre, ...step.radii, 0, 0, 2 * Math.PI);
      filled(pen, step, path);
    }
  }
}
