/* Making elements without markup: text goes in as text, whoever wrote it. Puts its functions into window.ircore. */
(() => {
  "use strict";

  /* An element with a class, and with content that is elements or text. */
  function element(name, className = "", ...content) {
    const made = document.createElement(name);
    if (className) made.className = className;
    made.append(...content.filter((one) => one !== null && one !== undefined));
    return made;
  }

  function button(words, whenPressed, className = "tool") {
    const made = element("button", className, words);
    made.type = "button";
    made.addEventListener("click", whenPressed);
    return made;
  }

  /* Call it when the page is there, and again whenever the theme puts another page in its place. */
  function whenReady(enhance) {
    if (window.document$) window.document$.subscribe(enhance);
    else if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", enhance);
    else enhance();
  }

  window.ircore = Object.assign(window.ircore ?? {}, { element, button, whenReady });
})();
