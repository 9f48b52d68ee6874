// Shows the events of the demo as they come: by game one card a run, its episode under way, and the episodes that have ended.

const PAUSE_MS = 500;
const games = new Map();
const tables = new Map();
let next = 0;

const fromTemplate = (id) => document.getElementById(id).content.cloneNode(true).firstElementChild;

const counted = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

function showGame({ name, title, introduction }) {
  if (!games.has(name)) {
    const section = fromTemplate("game");
    section.querySelector("h2").textContent = title;
    section.querySelector(".introduction").textContent = introduction;
    document.getElementById("games").append(section);
    games.set(name, section);
  }
}

function tableOf(event) {
  let table = tables.get(event.run);
  if (!table) {
    const card = fromTemplate("table");
    card.querySelector("h3").textContent = event.name;
    games.get(event.game).querySelector(".tables").append(card);
    table = { card, ended: 0, turns: 0, last: new Map() };
    tables.set(event.run, table);
  }
  return table;
}

function picture(event, name) {
  return `/live/picture/${encodeURIComponent(event.run)}/${encodeURIComponent(name)}`;
}

function showTurn(event, { card, last }) {
  const target = card.querySelector(".target img");
  if (target.dataset.episode !== event.episode) {
    target.dataset.episode = event.episode;
    target.src = picture(event, event.episode);
    target.alt = `target of ${event.episode}`;
    card.querySelector(".drawn").hidden = true;
    card.querySelector(".said").textContent = "";
  }
  const said = event.text.replace(/<\/?[A-Z_]+>/g, "").trim(); // without the tags of the protocol
  if (said) {
    card.querySelector(".said").textContent = said;
  }
  if (event.rendering) {
    last.set(event.episode, event.rendering);
    const drawn = card.querySelector(".drawn img");
    drawn.src = picture(event, event.rendering);
    drawn.alt = `rendering of turn ${event.turn}`;
    card.querySelector(".drawn").hidden = false;
  }
}

function showEnd(event, table) {
  table.ended += 1;
  const item = document.createElement("li");
  const image = document.createElement("img");
  const rendering = table.last.get(event.episode);
  image.src = picture(event, rendering ?? event.episode);
  image.alt = `${event.episode}: ${event.outcome}`;
  image.title = image.alt;
  item.append(image);
  table.card.querySelector(".ended").append(item);
}

function show(event) {
  const table = tableOf(event);
  if (event.outcome) {
    showEnd(event, table);
  } else {
    table.turns += event.rendering ? 1 : 0;
    showTurn(event, table);
  }
  const pictures = table.turns ? `, ${counted(table.turns, "picture")}` : "";
  table.card.querySelector(".count").textContent = `${counted(table.ended, "episode")} ended${pictures}`;
}

function showStages({ stages, stage, failed, site }) {
  const list = document.getElementById("stages");
  if (!list.children.length) {
    list.append(...stages.map((label) => Object.assign(document.createElement("li"), { textContent: label })));
  }
  [...list.children].forEach((item, place) => {
    item.className = place < stage ? "done" : place === stage ? "now" : "";
    item.toggleAttribute("aria-current", place === stage);
  });
  document.getElementById("ready").hidden = !site;
  const problem = document.getElementById("failed");
  problem.hidden = !failed;
  problem.textContent = failed ?? "";
}

async function update() {
  let pause = PAUSE_MS;
  try {
    const answer = await fetch(`/live/feed.json?since=${next}`);
    const state = await answer.json();
    state.games.forEach(showGame);
    state.events.forEach(show);
    showStages(state);
    pause = state.events.length && next + 1 < state.next ? 0 : PAUSE_MS;
    next = state.next;
    if (state.site && !state.events.length) {
      return;
    }
  } catch {
    pause = 4 * PAUSE_MS; // the demo has ended, or begins again
  }
  setTimeout(update, pause);
}

update();
