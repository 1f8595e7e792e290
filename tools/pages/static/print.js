// What is folded is open on paper, and as it was afterwards; only the answers of a quiz stay shut, and code that draws.
// pages.css does the same without scripts, in newer browsers.
const opened = new Set();
addEventListener("beforeprint", () => {
  for (const fold of document.querySelectorAll("details:not([open], .quiz-reasons, .cell.tag_hide-input > .hide)")) {
    opened.add(fold);
    fold.open = true;
  }
});
addEventListener("afterprint", () => {
  for (const fold of opened) fold.open = false;
  opened.clear();
});
