// What was read gets a mark in the contents: a section once its heading and then its end have been in sight, a page once all
// of its sections have. Kept in this browser's local storage, sent to nobody.
"use strict";
{
  const KEY = "posenc-read", DWELL = 1500; // ms that the end of a section must be in sight
  const name = path => path.split("/").slice(-2).join("/").replace(/\.html$/, ""); // notebooks/06_rope
  const here = name(location.pathname);
  let stored = {}; // page -> { of: number of sections, read: [ids] }
  try {
    stored = JSON.parse(localStorage.getItem(KEY)) ?? {};
  } catch {} // no storage here: marks last as long as the page

  const links = [...document.querySelectorAll(".toc-tree a[href^='#']")].filter(link => link.hash.length > 1);
  const page = (stored[here] ??= { of: 0, read: [] });
  page.of = links.length;

  function mark(link, words, text) {
    link.querySelector(".read")?.remove();
    if (!words) return;
    const sign = Object.assign(document.createElement("span"), { className: "read" });
    sign.innerHTML = `<span aria-hidden="true">${words}</span><span class="by-ear"> (${text})</span>`;
    link.append(" ", sign);
  }

  function show() {
    for (const link of links) mark(link, page.read.includes(link.hash.slice(1)) && "✓", "read");
    for (const link of document.querySelectorAll(".sidebar-tree a")) {
      const { of, read } = (link.hash ? page : stored[name(link.pathname)]) ?? { of: 0, read: [] };
      const share = of ? Math.floor(100 * read.length / of) : 0;
      mark(link, share === 100 ? "✓" : share ? `${share} %` : "", share === 100 ? "read" : `${share} per cent read`);
    }
    for (const button of document.querySelectorAll(".forget-read")) button.hidden = !Object.values(stored).some(({ read }) => read.length);
  }

  function save() {
    try {
      localStorage.setItem(KEY, JSON.stringify(stored));
    } catch {}
    show();
  }

  // The end of a section is the next heading of the contents, the last one's the foot of the page.
  const headings = links.map(link => document.getElementById(decodeURIComponent(link.hash.slice(1)))?.querySelector("h1, h2, h3, h4")).filter(Boolean);
  const ends = [...headings.slice(1), document.querySelector("footer")], begun = new Set(), waiting = new Map();
  const watcher = new IntersectionObserver(entries => entries.forEach(({ target, isIntersecting }) => {
    if (isIntersecting && headings.includes(target)) begun.add(target);
    clearTimeout(waiting.get(target));
    if (isIntersecting) waiting.set(target, setTimeout(ended, DWELL, target));
  }));
  function ended(end) {
    const heading = headings[ends.indexOf(end)], id = heading?.parentElement.id;
    const shut = heading && [...heading.parentElement.children].some(child => child.matches("details.deeper:not([open])"));
    if (!id || !begun.has(heading) || shut || page.read.includes(id)) return;
    page.read.push(id);
    save();
  }
  if (here.startsWith("notebooks/")) [...new Set([...headings, ...ends])].filter(Boolean).forEach(place => watcher.observe(place));

  for (const button of document.querySelectorAll(".forget-read")) button.addEventListener("click", () => {
    for (const known of Object.values(stored)) known.read = [];
    save();
    button.closest("details").querySelector("summary").focus(); // the button is gone
  });
  show();
}
