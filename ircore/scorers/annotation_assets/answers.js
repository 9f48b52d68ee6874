/*
 * One annotator's answers: kept in the browser's storage, exported as CSV (RFC 4180, UTF-8).
 *
 * Puts Answers into window.ircore. An answer is {value, reason, seconds, at}: value is 0–10 or, for a preference, 1 for
 * the final and 0 for the first rendering; null if the annotator cannot tell, with the reason.
 */
(() => {
  "use strict";

  const COLUMNS = [
    "study", "annotator", "run_id", "episode_id", "turn", "task", "rendering", "first_leading", "value", "reason",
    "seconds", "answered_at",
  ];

  class Answers {
    /* complain: called with a sentence when the browser keeps nothing or kept something damaged. */
    constructor(study, annotator, complain) {
      this.study = study;
      this.annotator = annotator;
      this.key = `ircore-ratings:${study.study}:${annotator}`;
      this.complain = complain;
      this.unsaved = false;
      this.kept = this.load();
    }

    get(item) {
      return this.kept[item.id];
    }

    /* Another tab may have answered other items meanwhile: only this one is replaced. */
    set(item, answer) {
      this.kept = { ...this.kept, ...this.load(), [item.id]: answer };
      this.save();
    }

    remove(item) {
      this.kept = { ...this.kept, ...this.load() };
      delete this.kept[item.id];
      this.save();
    }

    save() {
      try {
        localStorage.setItem(this.key, JSON.stringify(this.kept));
        this.unsaved = false;
      } catch {
        this.unsaved = true;
        this.complain("This browser does not keep your answers (a private window?). Export them before you close the page.");
      }
    }

    load() {
      let text = null;
      try {
        text = localStorage.getItem(this.key);
      } catch {
        this.complain("This browser does not keep your answers (a private window?). Export them before you close the page.");
      }
      if (text === null) return {};
      try {
        const found = Object.entries(JSON.parse(text)).filter(([id, one]) => this.isAnswer(this.study.items[id], one));
        return Object.fromEntries(found);
      } catch {
        this.complain("What this browser had kept of your answers was damaged and is not used.");
        return {};
      }
    }

    isAnswer(item, one) {
      const top = item?.task === "similarity" ? 10 : 1;
      const rated = Number.isInteger(one?.value) && one.value >= 0 && one.value <= top && one.reason === "";
      const told = one?.value === null && typeof one.reason === "string" && one.reason !== "";
      return item !== undefined && (rated || told) && Number.isFinite(one.seconds) && typeof one.at === "string";
    }

    /* Every item in the order in which this annotator sees them; the open ones have neither value nor reason. */
    csv(order) {
      const rows = order.map((item) => {
        const one = this.get(item);
        const answered = one ? [one.value ?? "", one.reason, one.seconds.toFixed(1), one.at] : ["", "", "", ""];
        const place = item.firstLeading ?? "";
        return [
          this.study.study, this.annotator, item.run_id, item.episode_id, item.turn, item.task, item.rendering, place,
          ...answered,
        ];
      });
      return [COLUMNS, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
    }
  }

  /* A spreadsheet takes a cell that begins with one of these for a formula; an apostrophe makes it text. */
  function cell(value) {
    const text = String(value);
    const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
  }

  window.ircore = Object.assign(window.ircore ?? {}, { Answers });
})();
