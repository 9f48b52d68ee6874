// The describer's seat: shows the question that waits, sends the message, and shows what is right and wrong so far.

import { followState, post, rowsOf } from "./seat.js";

const at = (id) => document.getElementById(id);
let shown = "";
let sent = "";

function showPictures(question) {
  at("target").src = `/picture/${question.target}`;
  const last = question.renderings.at(-1);
  at("drawn").hidden = !last;
  at("difference").hidden = !last;
  at("done").hidden = !last;
  if (last) {
    at("rendering").src = `/picture/${last}`;
    at("caption").textContent = `drawn after message ${question.renderings.length}`;
    showDifference();
  }
}

async function showDifference() {
  const canvas = at("canvas");
  const images = [at("target"), at("rendering")];
  await Promise.all(images.map((image) => image.decode()));
  [canvas.width, canvas.height] = [images[0].naturalWidth, images[0].naturalHeight];
  const context = canvas.getContext("2d", { willReadFrequently: true });
  const [target, drawn] = images.map((image) => {
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    return context.getImageData(0, 0, canvas.width, canvas.height);
  });
  for (let place = 0; place < target.data.length; place += 4) {
    const away = [0, 1, 2].map((channel) => Math.abs(target.data[place + channel] - drawn.data[place + channel]));
    const shade = 255 - Math.max(...away);
    target.data.set([shade, shade, shade, 255], place);
  }
  context.putImageData(target, 0, 0);
}

function showFacts(checked) {
  at("facts").hidden = !checked;
  if (checked) {
    at("score").textContent = checked.score === null ? "Too little can be told to score it" : `${checked.score.toFixed(1)} of 10`;
    at("counts").textContent = `${checked.right} ${checked.right === 1 ? "fact is" : "facts are"} right, ${checked.wrong} wrong${checked.wrong ? "; it is not true that" : ""}`;
    at("wrong").replaceChildren(...checked.sentences.map((text) => Object.assign(document.createElement("li"), { textContent: text })));
  }
}

function showQuestion(question) {
  if (question.name === shown) {
    return;
  }
  shown = question.name;
  showPictures(question);
  showFacts(question.checked);
  at("text").value = "";
  at("text").placeholder = question.renderings.length ? "What should be different?" : "What do you see?";
  at("send").textContent = question.renderings.length ? "Correct it" : "Draw it";
  at("text").focus();
}

function showResults({ ended, total, finished, question }) {
  const number = Math.min(ended.length + 1, total);
  const told = question?.category && question;
  const what = told ? `: ${question.category.replaceAll("_", " ")}, ${question.difficulty}, message ${question.turn}` : "";
  at("place").textContent = `target ${number} of ${total}${what}`;
  at("results").hidden = !ended.length;
  at("finished").hidden = !finished;
  at("form").hidden = finished;
  rowsOf(at("rows"), ended, (episode) => [String(episode.turns), episode.mine, episode.best]);
}

async function send(text) {
  const question = shown;
  if (!text.trim() || question === sent) {
    return;
  }
  sent = question;
  at("send").disabled = true;
  at("done").disabled = true;
  const { taken } = await post("/answer", { question, text });
  sent = taken ? sent : "";
}

at("form").addEventListener("submit", (event) => {
  event.preventDefault();
  send(at("text").value);
});
at("done").addEventListener("click", () => send("DONE"));
at("text").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    send(at("text").value);
  }
});
/* Of a study: no scores, no facts, and nothing of the target but its picture. */
function showStudy({ consent, check }) {
  at("checks").hidden = true;
  at("results").hidden = true;
  at("consent").hidden = consent === null;
  at("consent-words").textContent = consent ?? "";
  at("check").hidden = check === null;
  at("check-word").textContent = check ?? "";
  const plays = consent === null && check === null;
  at("pictures").hidden = !plays;
  at("form").hidden = !plays || at("form").hidden;
  at("waiting").hidden = !plays || at("waiting").hidden;
}

at("consent").addEventListener("submit", (event) => {
  event.preventDefault();
  post("/answer", { consent: true });
});
at("check").addEventListener("submit", (event) => {
  event.preventDefault();
  post("/answer", { check: at("word").value });
  at("word").value = "";
});
followState((state) => {
  const { question } = state;
  const waits = question !== null && question.name !== sent;
  at("waiting").hidden = waits || state.finished;
  at("send").disabled = !waits;
  at("done").disabled = !waits;
  showResults(state);
  if (state.study) {
    showStudy(state.study);
  }
  if (waits) {
    showQuestion(question);
  }
}, at("waiting"));
