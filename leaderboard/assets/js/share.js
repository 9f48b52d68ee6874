/*
 * Below every page with numbers: its link, with all that a reader has chosen, and a citation that names this link. An
 * episode of a target with a page of its own (data-episodes, by pair) is shared by that page, which has a card.
 */
import { enhanceEach } from "./dom.js";
import { copy } from "./export.js";

class Share {
  constructor(root) {
    this.status = root.querySelector("[role=status]");
    this.entry = root.querySelector("[data-bibtex]");
    this.episodes = JSON.parse(root.dataset.episodes ?? "{}");
    this.written = this.entry.textContent;
    this.offer(root.querySelector("[data-copy-link]"), () => this.link(), "Link copied.");
    this.offer(root.querySelector("[data-copy-bibtex]"), () => this.entry.textContent, "BibTeX copied.");
    root.querySelector("details").addEventListener("toggle", () => this.show());
  }

  /* What else a reader has chosen, such as a comparison, stands in the address of the target's page alone. */
  link() {
    const pair = location.hash.slice(1).split("~")[0];
    const chosen = [...new URLSearchParams(location.search).keys()].some((name) => name !== "pair");
    const alone = !chosen && Object.hasOwn(this.episodes, pair);
    return alone ? new URL(this.episodes[pair], document.baseURI).href : location.href;
  }

  show() {
    const address = `  url = {${this.link().replace(/[{}\\]/g, encodeURIComponent)}},`;
    const lines = this.written.split("\n").filter((line) => !line.startsWith("  url = "));
    this.entry.textContent = [...lines.slice(0, -1), address, lines.at(-1)].join("\n");
  }

  offer(button, text, done) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      this.show();
      this.status.textContent = (await copy(text())) ? done : "The browser did not allow copying.";
    });
  }
}

enhanceEach("share", (root) => new Share(root));
