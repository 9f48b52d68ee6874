"use strict";
// Shows the pictures of figures.js, keeps decisions in this browser, and saves them as a file. Texts are set as text only.

(() => {
  const { run, figures } = window.ircoreFigures;
  const key = `ircore-review-${run}`;
  const decisions = readDecisions();

  function readDecisions() {
    try {
      return JSON.parse(localStorage.getItem(key)) || {};
    } catch {
      return {};
    }
  }

  function keepDecisions() {
    try {
      localStorage.setItem(key, JSON.stringify(decisions));
    } catch {
      // A browser that keeps nothing still saves the file.
    }
  }

  function filled(figure) {
    const part = document.getElementById("figure").content.cloneNode(true);
    const item = part.querySelector(".figure");
    const set = (place, text) => {
      part.querySelector(place).textContent = text;
    };
    item.dataset.name = figure.name;
    part.querySelector(".picture").href = figure.file;
    const image = part.querySelector("img");
    image.src = figure.file;
    image.alt = figure.summary;
    image.width = figure.width;
    image.height = figure.height;
    set("h2", figure.name);
    set(".summary", figure.summary);
    set(".read", figure.read);
    set(".description", figure.description);
    set(".program", figure.program);
    for (const longer of part.querySelectorAll(".longer")) {
      longer.hidden = !longer.lastElementChild.textContent;
    }
    for (const reason of figure.unread) {
      const line = document.createElement("li");
      line.textContent = reason;
      part.querySelector(".unread").append(line);
    }
    part.querySelector(".decision").setAttribute("aria-label", `Decision on ${figure.name}`);
    part.querySelector(".accept").addEventListener("click", () => decide(item, figure, "accept"));
    part.querySelector(".reject").addEventListener("click", () => decide(item, figure, "reject"));
    part.querySelector(".reason").addEventListener("input", (event) => {
      decisions[figure.name].reason = event.target.value;
      keepDecisions();
    });
    mark(item, figure);
    return item;
  }

  function decide(item, figure, verdict) {
    const earlier = decisions[figure.name];
    if (earlier && earlier.verdict === verdict) {
      delete decisions[figure.name];
    } else {
      decisions[figure.name] = { sha256: figure.sha256, verdict, reason: earlier ? earlier.reason : "" };
    }
    keepDecisions();
    mark(item, figure);
    count();
  }

  function mark(item, figure) {
    const decision = decisions[figure.name];
    for (const verdict of ["accept", "reject"]) {
      item.querySelector(`.${verdict}`).setAttribute("aria-pressed", String(Boolean(decision && decision.verdict === verdict)));
    }
    const reason = item.querySelector(".reason");
    reason.hidden = !decision || decision.verdict !== "reject";
    reason.value = decision ? decision.reason : "";
  }

  function count() {
    const verdicts = figures.map((figure) => decisions[figure.name]).filter(Boolean);
    const accepted = verdicts.filter((decision) => decision.verdict === "accept").length;
    document.getElementById("tally").textContent =
      `${figures.length} picture${figures.length === 1 ? "" : "s"}: ${accepted} accepted, ${verdicts.length - accepted} rejected, ${figures.length - verdicts.length} open`;
  }

  function show() {
    const wanted = document.getElementById("shown").value;
    let visible = 0;
    for (const item of document.querySelectorAll(".figure")) {
      const decision = decisions[item.dataset.name];
      item.hidden = wanted !== "all" && wanted !== (decision ? decision.verdict : "open");
      visible += item.hidden ? 0 : 1;
    }
    document.getElementById("none").hidden = visible > 0;
  }

  function save() {
    const text = `${JSON.stringify({ schema: 1, run, decisions }, null, 2)}\n`;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    link.download = "decisions.json";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  for (const name of Object.keys(decisions)) {
    const figure = figures.find((known) => known.name === name);
    if (!figure || figure.sha256 !== decisions[name].sha256) {
      delete decisions[name];
    }
  }
  document.getElementById("figures").append(...figures.map(filled));
  document.getElementById("shown").addEventListener("change", show);
  document.getElementById("save").addEventListener("click", save);
  count();
  show();
})();
