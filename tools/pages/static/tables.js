// What is wider than the screen can be scrolled by keyboard; the table of models is sorted by its headings and filtered.
"use strict";
const wide = new ResizeObserver(boxes => boxes.forEach(({ target }) => { // also what is shut at first, when it opens
  if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
}));
document.querySelectorAll(".table-wrapper, .cell_output, .formula, .frame, pre").forEach(box => wide.observe(box));
for (const link of document.querySelectorAll(".toc-drawer a")) { // on a phone the contents lie over the page
  link.addEventListener("click", () => (document.getElementById("__toc").checked = false));
}
for (const box of document.querySelectorAll(".models")) {
  const body = box.querySelector("tbody"), search = box.querySelector("input"), status = box.querySelector("[role=status]");
  const heads = [...box.querySelectorAll("th")], rows = [...body.rows];
  const value = (row, k) => (row.cells[k].dataset.number ? +row.cells[k].dataset.number : row.cells[k].textContent);
  const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(b));

  heads.forEach((head, k) => head.firstChild.addEventListener("click", () => {
    const down = head.ariaSort === "ascending";
    heads.forEach(other => (other.ariaSort = "none"));
    head.ariaSort = down ? "descending" : "ascending";
    const filled = rows.filter(row => value(row, k) !== "–"), empty = rows.filter(row => value(row, k) === "–");
    filled.sort((a, b) => (down ? -1 : 1) * compare(value(a, k), value(b, k)));
    body.append(...filled, ...empty); // what has no entry stays at the end
  }));

  search.addEventListener("input", () => {
    const words = search.value.toLowerCase().split(/\s+/);
    rows.forEach(row => (row.hidden = !words.every(word => row.textContent.toLowerCase().includes(word))));
    const left = rows.filter(row => !row.hidden).length;
    status.textContent = left ? `${left} models` : "no model has all of these words";
  });
}
