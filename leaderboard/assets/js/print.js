/* The title of the page for the head of every printed sheet (print.css), which cannot read it from the page itself. */
import { whenReady } from "./dom.js";

whenReady(() => document.documentElement.style.setProperty("--page-title", JSON.stringify(document.title)));
