// The generator's seat: shows the message that waits, lets a person draw or type, and sends the drawing.

import { followState, post, rowsOf } from "./seat.js";

const at = (id) => document.getElementById(id);
const sheet = at("sheet");
const pen = sheet.getContext("2d", { willReadFrequently: true });
const STEPS_KEPT = 40;
let shown = "";
let sent = "";
let steps = [];
let typed = [];
let stroke = null;

function keep() {
  steps.push(pen.getImageData(0, 0, sheet.width, sheet.height));
  steps = steps.slice(-STEPS_KEPT);
}

function empty() {
  pen.fillStyle = "#ffffff";
  pen.fillRect(0, 0, sheet.width, sheet.height);
}

async function decoded(address) {
  // The page's policy allows pictures of its own server alone, so data are decoded here.
  const bytes = Uint8Array.from(atob(address.split(",")[1]), (character) => character.charCodeAt(0));
  return createImageBitmap(new Blob([bytes], { type: "image/png" }));
}

async function picture(address) {
  const image = new Image();
  image.src = address;
  await image.decode();
  return image;
}

function place(event) {
  const box = sheet.getBoundingClientRect();
  return [((event.clientX - box.left) / box.width) * sheet.width, ((event.clientY - box.top) / box.height) * sheet.height];
}

function style() {
  pen.strokeStyle = at("colour").value;
  pen.fillStyle = at("colour").value;
  pen.lineWidth = Number(at("width").value);
  pen.lineCap = "round";
  pen.lineJoin = "round";
}

function outline(tool, [x, y], [toX, toY]) {
  pen.beginPath();
  if (tool === "line") {
    pen.moveTo(x, y);
    pen.lineTo(toX, toY);
  } else if (tool === "rectangle") {
    pen.rect(Math.min(x, toX), Math.min(y, toY), Math.abs(toX - x), Math.abs(toY - y));
  } else {
    pen.ellipse((x + toX) / 2, (y + toY) / 2, Math.abs(toX - x) / 2, Math.abs(toY - y) / 2, 0, 0, 2 * Math.PI);
  }
  if (tool !== "line" && at("filled").checked) {
    pen.fill();
  } else {
    pen.stroke();
  }
}

function write(point) {
  const words = at("text").value.trim();
  if (words) {
    pen.font = `${Math.max(10, 6 * Number(at("width").value))}px sans-serif`;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillText(words, ...point);
  } else {
    at("text").focus();
  }
}

sheet.addEventListener("pointerdown", (event) => {
  const tool = at("tool").value;
  keep();
  style();
  if (tool === "paint") {
    pen.fillRect(0, 0, sheet.width, sheet.height);
  } else if (tool === "text") {
    write(place(event));
  } else {
    sheet.setPointerCapture(event.pointerId);
    stroke = { tool, from: place(event), last: place(event) };
  }
});
sheet.addEventListener("pointermove", (event) => {
  if (!stroke) {
    return;
  }
  const now = place(event);
  if (stroke.tool === "pen") {
    outline("line", stroke.last, now);
  } else {
    pen.putImageData(steps.at(-1), 0, 0);
    outline(stroke.tool, stroke.from, now);
  }
  stroke.last = now;
});
for (const end of ["pointerup", "pointercancel"]) {
  sheet.addEventListener(end, () => {
    stroke = null;
  });
}
at("undo").addEventListener("click", () => {
  if (steps.length) {
    pen.putImageData(steps.pop(), 0, 0);
  }
});
at("clear").addEventListener("click", () => {
  keep();
  empty();
  typed = [];
});

async function show(question) {
  if (question.name === shown) {
    return;
  }
  shown = question.name;
  steps = [];
  typed = [];
  at("message").textContent = question.message;
  at("score").textContent = question.score === null ? "" : `Your last drawing shows ${question.score.toFixed(1)} of 10.`;
  [sheet.width, sheet.height] = [question.width ?? 512, question.height ?? 512];
  empty();
  if (question.previous) {
    pen.drawImage(await picture(`/picture/${question.previous}`), 0, 0, sheet.width, sheet.height);
  }
  at("message").focus();
}

async function drawTyped() {
  const words = at("text").value.trim();
  if (!words) {
    return;
  }
  typed.push(words);
  at("draw").disabled = true;
  const { picture: drawn } = await post("/drawn", { texts: typed });
  keep();
  pen.drawImage(await decoded(drawn), 0, 0, sheet.width, sheet.height);
  at("text").value = "";
  at("draw").disabled = false;
}

at("typed").addEventListener("submit", (event) => {
  event.preventDefault();
  drawTyped();
});
at("text").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    drawTyped();
  }
});
at("send").addEventListener("click", async () => {
  const question = shown;
  if (!question || question === sent) {
    return;
  }
  sent = question;
  at("send").disabled = true;
  const { taken } = await post("/answer", { question, picture: sheet.toDataURL("image/png") });
  sent = taken ? sent : "";
});

followState((state) => {
  const { question, ended, total, finished } = state;
  const waits = question !== null && question.name !== sent;
  at("waiting").hidden = waits || finished;
  at("send").disabled = !waits;
  at("place").textContent = `target ${Math.min(ended.length + 1, total)} of ${total}${question ? `, message ${question.turn}` : ""}`;
  at("results").hidden = !ended.length;
  at("finished").hidden = !finished;
  at("typed").hidden = finished;
  rowsOf(at("rows"), ended, (episode) => [String(episode.turns), episode.mine, episode.best]);
  if (waits) {
    show(question);
  }
}, at("waiting"));
