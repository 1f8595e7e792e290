// Starts reveal.js. Keys inside an explorer belong to the explorer, but for Page Up, Page Down (clickers) and Escape.
"use strict";
const inExplorer = event => event.target.closest?.(".explorer, .playable");
const asked = new URLSearchParams(location.hash.slice(1)).get("at"); // an address that names the state of an explorer

addEventListener("keydown", event => {
  if (!inExplorer(event) || !["PageUp", "PageDown", "Escape"].includes(event.key)) return;
  event.preventDefault();
  event.stopPropagation();
  event.target.blur();
  if (event.key === "PageUp") Reveal.prev();
  if (event.key === "PageDown") Reveal.next();
}, true);

Reveal.initialize({
  width: 1280, height: 720, margin: 0, center: false, display: "flex", transition: "none",
  hash: true, slideNumber: "c/t", controls: false, plugins: [RevealNotes],
  keyboardCondition: event => !inExplorer(event),
}).then(() => {
  const slide = asked && document.getElementById(`at-${asked}`)?.closest("section");
  if (slide) Reveal.slide(Reveal.getIndices(slide).h);
});
