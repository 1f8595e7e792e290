// On paper what is folded is open, and as it was afterwards; only the answers of a quiz stay shut, and code that draws.
// What answers a question goes to the end, under "Answers"; what answers a question in there, to another sheet after that.
const ANSWERS = ".unseen, details.answer", undo = [];
const made = (tag, words = "") => Object.assign(document.createElement(tag), { textContent: words });

addEventListener("beforeprint", () => {
  for (const fold of document.querySelectorAll("details:not([open], .quiz-reasons, .cell.tag_hide-input > .hide)")) {
    fold.open = true;
    undo.push(() => { fold.open = false; });
  }
  const depth = part => (part = part.parentElement.closest(ANSWERS)) ? 1 + depth(part) : 0;
  const parts = [...document.querySelectorAll(ANSWERS)].map((part, k) => ({ part, name: `Answer ${k + 1}`, deep: depth(part) }));
  const sheets = [];
  for (const { part, name, deep } of parts.sort((a, b) => a.deep - b.deep)) {
    const sheet = sheets[deep] ??= Object.assign(made("div"), { className: "answers" });
    if (!sheet.firstChild) sheet.append(made("h2", deep ? "Answers to questions among the answers" : "Answers"));
    const pointer = made("p", `${name} stands at the end.`), shut = part.hidden;
    part.replaceWith(pointer);
    part.removeAttribute("hidden");
    sheet.append(made("h3", name), part);
    undo.push(() => {
      pointer.replaceWith(part);
      if (shut) part.setAttribute("hidden", "until-found");
    });
  }
  document.querySelector("article")?.append(...sheets);
  undo.push(() => sheets.forEach(sheet => sheet.remove()));
});
addEventListener("afterprint", () => {
  while (undo.length) undo.pop()();
});
