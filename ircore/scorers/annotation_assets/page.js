/*
 * The page: start, one item at a time, end. Needs study.js, order.js, answers.js and parts.js. All text goes in as text, never as
 * markup.
 */
(() => {
  "use strict";

  const PSEUDONYM = /^[a-z0-9][a-z0-9_.-]{0,99}$/;
  const CANNOT_TELL = "cannot tell";
  const TEN_MILLISECONDS = 1000; // 1 and then 0 within this time is 10
  const KEYS = {
    similarity: "Keys: 0–9 rate, 1 then 0 for ten · C cannot tell · Z enlarge · Enter next · Backspace back",
    preference: "Keys: A or B choose · C cannot tell · Z enlarge · Enter next · Backspace back",
  };

  const study = window.ircoreStudy;
  const { ANCHORS, Answers, anchorOf, clock, drawScale, make, orderFor, picturesOf, preload, range, welcome } = window.ircore;
  const by = (id) => document.getElementById(id);

  let annotator = "";
  let answers = null;
  let order = [];
  let at = 0;
  let secondsBefore = 0;
  let shown = []; // the item's pictures: {name, file, width, height, value} in the order of the page
  let zoomed = 0;
  let lastOne = -Infinity;
  let keysOn = true;

  function show(section) {
    for (const name of ["start", "item", "end"]) by(name).hidden = name !== section;
    by("bar").hidden = section === "start";
  }

  function complain(sentence) {
    by("notice").textContent = sentence;
  }

  // ---- start

  function openStart() {
    by("anchors").append(
      ...ANCHORS.flatMap(({ low, high, text }) => [make("dt", {}, range(low, high)), make("dd", {}, text)]),
    );
    const asked = new URLSearchParams(location.search).get("annotator") ?? "";
    const known = study.annotators;
    by("annotator").hidden = known.length > 0;
    document.querySelector("label[for='annotator']").hidden = known.length > 0;
    by("annotator-choice").hidden = known.length === 0;
    by("annotator-choice").append(make("option", { value: "" }, "Choose"), ...known.map((name) => make("option", { value: name }, name)));
    const refused = asked !== "" && (known.length > 0 ? !known.includes(asked) : !PSEUDONYM.test(asked));
    if (refused) complain("The pseudonym in the address is not one of this study. Check the link that you were given.");
    else by(known.length > 0 ? "annotator-choice" : "annotator").value = asked;
    show("start");
    nameBegin();
  }

  function chosenAnnotator() {
    return study.annotators.length > 0 ? by("annotator-choice").value : by("annotator").value.trim();
  }

  /* Say where a known annotator goes on. */
  function nameBegin() {
    const name = chosenAnnotator();
    const kept = PSEUDONYM.test(name) ? Object.keys(new Answers(study, name, () => {}).kept).length : 0;
    by("begin").textContent = kept > 0 ? `Go on: ${kept} of ${study.items.length} answered` : "Begin";
  }

  function begin() {
    const name = chosenAnnotator();
    if (!PSEUDONYM.test(name)) {
      complain("Give your pseudonym first: lower-case letters, digits, _ . and - only.");
      by(study.annotators.length > 0 ? "annotator-choice" : "annotator").focus();
      return;
    }
    complain("");
    annotator = name;
    answers = new Answers(study, annotator, complain);
    order = orderFor(study, annotator);
    by("who").textContent = annotator;
    by("guide-dialog-place").append(by("guide-text"));
    rememberName();
    openFirst();
  }

  /* So that the page opened again knows who rates. */
  function rememberName() {
    try {
      history.replaceState(null, "", `?annotator=${encodeURIComponent(annotator)}`);
    } catch {
      // Some browsers allow no change of address on a file; the name is then asked again.
    }
  }

  // ---- one item

  /* Open the first item without an answer; the end if there is none. */
  function openFirst() {
    const open = order.findIndex((item) => answers.get(item) === undefined);
    if (open === -1) openEnd();
    else openItem(open);
  }

  function openItem(place) {
    at = place;
    const item = order[at];
    secondsBefore = answers.get(item)?.seconds ?? 0;
    shown = picturesOf(item);
    const similarity = item.task === "similarity";
    by("question").textContent = similarity ? "How similar is B to A?" : "Which is more similar to the target?";
    by("item").dataset.task = item.task;
    by("scale").hidden = !similarity;
    by("keys-text").textContent = KEYS[item.task];
    by("pictures").replaceChildren(...shown.map(card));
    by("pictures").setAttribute("role", similarity ? "group" : "radiogroup");
    by("reason").value = "";
    by("count").textContent = `${at + 1} of ${order.length}`;
    by("back").disabled = at === 0;
    show("item");
    showAnswer();
    if (answers.get(item) === undefined) by("reading").textContent = welcome(order, at);
    by("question").focus({ preventScroll: true });
    scrollTo(0, 0);
    clock.restart();
    preload(order[at + 1]);
  }

  function card(picture, place) {
    const { file, width, height } = picture;
    const image = make("img", { src: file, width, height, alt: picture.name, draggable: false });
    image.addEventListener("error", () => complain("A picture did not load. If it stays so, answer “Cannot tell”."));
    const button = make("button", { type: "button", className: "picture", ariaLabel: `Enlarge: ${picture.name}` }, image);
    button.style.setProperty("--ratio", String(width / height));
    button.addEventListener("click", () => openZoom(place));
    const caption = make("figcaption", {}, picture.value === undefined ? picture.name : choice(picture));
    return make("figure", {}, button, caption);
  }

  function choice(picture) {
    const radio = make("input", { type: "radio", name: "choice", value: picture.name });
    radio.addEventListener("change", () => answer(picture.value));
    return make("label", { className: "choice" }, radio, make("span", {}, `${picture.name} is more similar`));
  }

  function answer(value, reason = "") {
    const seconds = secondsBefore + clock.seconds();
    answers.set(order[at], { value, reason, seconds: Math.round(seconds * 10) / 10, at: new Date().toISOString() });
    showAnswer();
  }

  function cannotTell() {
    const told = answers.get(order[at])?.reason;
    if (told) answers.remove(order[at]);
    else answer(null, CANNOT_TELL);
    showAnswer();
    if (!told) by("status").textContent = "Cannot tell";
  }

  function explain() {
    const said = by("reason").value.replaceAll(/\s+/g, " ").trim();
    answer(null, said === "" ? CANNOT_TELL : `${CANNOT_TELL}: ${said}`);
  }

  /* Bring the controls to what is kept of the item. */
  function showAnswer() {
    const kept = answers.get(order[at]);
    const value = kept?.value ?? null;
    const unable = kept !== undefined && value === null;
    by("cannot").setAttribute("aria-pressed", String(unable));
    by("reason-line").hidden = !unable;
    if (unable && document.activeElement !== by("reason")) {
      by("reason").value = kept.reason.slice(CANNOT_TELL.length).replace(/^: /, "");
    }
    by("next").classList.toggle("waiting", kept === undefined);
    const answered = order.filter((item) => answers.get(item) !== undefined).length;
    by("progress").max = order.length;
    by("progress").value = answered;
    by("progress").setAttribute("aria-valuetext", `${answered} of ${order.length} answered`);
    if (order[at].task === "similarity") showRating(value, unable);
    else showChoice(value, unable);
  }

  function showRating(value, unable) {
    const slider = by("slider");
    slider.classList.toggle("untouched", value === null);
    slider.value = String(value ?? 5);
    const words = value === null ? (unable ? "Cannot tell" : "Not rated yet") : `${value}: ${anchorOf(value).text}`;
    slider.setAttribute("aria-valuetext", words);
    by("reading").textContent = words;
    for (const tick of by("ticks").children) tick.classList.toggle("chosen", tick.dataset.value === String(value));
    for (const band of by("bands").children) {
      band.classList.toggle("chosen", value !== null && band.dataset.low === String(anchorOf(value).low));
    }
  }

  function showChoice(value, unable) {
    by("reading").textContent = unable ? "Cannot tell" : "";
    for (const radio of by("pictures").querySelectorAll("input")) {
      radio.checked = value !== null && shown.find((picture) => picture.name === radio.value).value === value;
    }
  }

  function rate(value) {
    answer(value);
    by("status").textContent = by("reading").textContent;
  }

  function choose(name) {
    const picture = shown.find((candidate) => candidate.name === name);
    if (!picture) return;
    answer(picture.value);
    by("status").textContent = `${name} is more similar`;
  }

  function next() {
    if (answers.get(order[at]) === undefined) {
      const rating = order[at].task === "similarity";
      const words = `${rating ? "Move the slider" : "Choose A or B"} first, or say that you cannot tell.`;
      by("reading").textContent = words;
      by("status").textContent = words;
      return;
    }
    if (at + 1 < order.length) openItem(at + 1);
    else openFirst();
  }

  function back() {
    if (!by("end").hidden) openItem(order.length - 1);
    else if (at > 0) openItem(at - 1);
  }

  // ---- scale, zoom, end

  function openZoom(place) {
    const choices = shown.map((picture, number) => {
      const button = make("button", { type: "button", className: "quiet" }, picture.name);
      button.addEventListener("click", () => showZoomed(number));
      return button;
    });
    by("zoom-choices").replaceChildren(...choices);
    showZoomed(place);
    by("zoom").showModal();
  }

  function showZoomed(place) {
    zoomed = (place + shown.length) % shown.length;
    const { name, file } = shown[zoomed];
    by("zoom-title").textContent = name;
    Object.assign(by("zoom-picture"), { src: file, alt: name });
    [...by("zoom-choices").children].forEach((button, number) => button.setAttribute("aria-pressed", String(number === zoomed)));
  }

  function openEnd() {
    const unable = order.filter((item) => answers.get(item).value === null).length;
    by("end-title").textContent = order.length === 1 ? "The item is answered. Thank you." : `All ${order.length} items answered. Thank you.`;
    by("end-text").textContent =
      `Export the ratings and hand in the file.${unable ? ` You could not tell in ${unable} of them.` : ""}`;
    by("count").textContent = "Done";
    by("progress").max = by("progress").value = order.length;
    show("end");
    by("end-title").focus({ preventScroll: true });
  }

  function exportRatings() {
    const address = URL.createObjectURL(new Blob([answers.csv(order)], { type: "text/csv;charset=utf-8" }));
    make("a", { href: address, download: `ratings-${study.study}-${annotator}.csv` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
    answers.unsaved = false;
    by("status").textContent = "Exported";
  }

  // ---- keys

  const ON_ITEM = {
    Enter: next, Backspace: back, c: cannotTell, z: () => openZoom(shown.length > 2 ? 0 : 1), a: () => choose("A"), b: () => choose("B"),
  };
  const ON_ZOOM = {
    ArrowLeft: () => showZoomed(zoomed - 1), ArrowRight: () => showZoomed(zoomed + 1), z: () => by("zoom").close(),
  };

  function pressed(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || by("guide").open) return;
    const onButton = event.target.closest("button, select") !== null && event.key === "Enter";
    if (by("zoom").open) run(ON_ZOOM, event);
    else if (event.target === by("annotator")) onKey(event, "Enter", begin);
    else if (event.target === by("reason")) onKey(event, "Enter", next);
    else if (!by("end").hidden) onKey(event, "Backspace", back);
    else if (!by("item").hidden && !onButton) onItem(event);
  }

  function onKey(event, key, action) {
    if (event.key === key) action();
  }

  function onItem(event) {
    if (keysOn && /^[0-9]$/.test(event.key) && order[at].task === "similarity") typed(event);
    else run(ON_ITEM, event);
  }

  function run(actions, event) {
    const letter = event.key.length === 1;
    const action = actions[letter ? event.key.toLowerCase() : event.key];
    if (!action || event.repeat || (letter && !keysOn)) return;
    event.preventDefault();
    action();
  }

  function typed(event) {
    const ten = event.key === "0" && event.timeStamp - lastOne < TEN_MILLISECONDS;
    lastOne = event.key === "1" ? event.timeStamp : -Infinity;
    rate(ten ? 10 : Number(event.key));
  }

  /* Single keys can be in the way of those who speak to their computer (WCAG 2.2, 2.1.4). */
  function toggleKeys() {
    keysOn = !keysOn;
    by("keys-toggle").textContent = keysOn ? "Turn letter and digit keys off" : "Turn letter and digit keys on";
  }

  /* Who clicks and then types Enter wants the next item, not the same button again. */
  function clicked(event, action) {
    action();
    const itemInFront = !by("item").hidden && !by("guide").open && !by("zoom").open;
    if (itemInFront && event.detail > 0) by("question").focus({ preventScroll: true });
  }

  function listen() {
    const clicks = {
      begin, next, back, cannot: cannotTell, "export-button": exportRatings, "end-export": exportRatings, "end-back": back,
      "keys-toggle": toggleKeys, "guide-button": () => by("guide").showModal(), "guide-close": () => by("guide").close(),
      "zoom-close": () => by("zoom").close(), "zoom-picture": () => by("zoom").close(),
    };
    for (const [id, action] of Object.entries(clicks)) by(id).addEventListener("click", (event) => clicked(event, action));
    by("annotator").addEventListener("input", nameBegin);
    by("annotator-choice").addEventListener("change", nameBegin);
    by("reason").addEventListener("input", explain);
    by("slider").addEventListener("input", () => answer(Number(by("slider").value)));
    // A click on the middle, where an untouched slider stands, changes nothing and so tells nothing but this.
    by("slider").addEventListener("click", () => answer(Number(by("slider").value)));
    document.addEventListener("keydown", pressed);
    document.addEventListener("visibilitychange", () => clock.hidden());
    addEventListener("beforeunload", (event) => answers?.unsaved && event.preventDefault());
  }

  drawScale(by("ticks"), by("bands"), rate);
  listen();
  openStart();
})();
