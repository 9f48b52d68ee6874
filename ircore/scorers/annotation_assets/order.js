/*
 * The order in which one annotator sees the items: drawn from the study, its seed and the pseudonym, so that it differs
 * from person to person and is the same whenever the same person opens the page.
 *
 * Puts orderFor into window.ircore.
 */
(() => {
  "use strict";

  const WARM_UP = 16; // seeds that differ in their last character only begin alike

  /* A function that draws integers 0 … limit − 1. Seeded by FNV-1a (Fowler, Noll and Vo), drawn by xorshift32
     (Marsaglia 2003, triple 13, 17, 5). */
  function seededDraw(seed) {
    let state = 2166136261;
    for (const character of seed) state = Math.imul(state ^ character.codePointAt(0), 16777619);
    state ||= 1;
    const draw = (limit) => {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      return Math.floor(((state >>> 0) / 2 ** 32) * limit);
    };
    for (let round = 0; round < WARM_UP; round += 1) draw(1);
    return draw;
  }

  /* A shuffled copy (Fisher and Yates). */
  function shuffled(list, draw) {
    const copy = [...list];
    for (let last = copy.length - 1; last > 0; last -= 1) {
      const other = draw(last + 1);
      [copy[last], copy[other]] = [copy[other], copy[last]];
    }
    return copy;
  }

  /* All similarity items, then all preference items: rating one picture comes before two are seen side by side.
     firstLeading says whether the first rendering is shown before the final one: in half of the items, by chance. */
  function orderFor(study, annotator) {
    const draw = seededDraw(`${study.study} ${study.seed} ${annotator}`);
    const items = study.items.map((item, id) => ({ ...item, id, firstLeading: null }));
    const ratings = shuffled(items.filter((item) => item.task === "similarity"), draw);
    const choices = shuffled(items.filter((item) => item.task === "preference"), draw);
    const leading = shuffled(choices.map((_, place) => place % 2 === 0), draw);
    return [...ratings, ...choices.map((item, place) => ({ ...item, firstLeading: leading[place] }))];
  }

  window.ircore = Object.assign(window.ircore ?? {}, { orderFor });
})();
