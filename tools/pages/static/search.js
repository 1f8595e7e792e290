// The search page: sections ranked by the words asked for; those in headings weigh more, rare ones, too. sections.js holds
// all sections as [page, [[heading, [[anchor, text], ...]], ...]]; [anchor, text, 1] may answer something, and is not shown.
"use strict";
{
  const EMPTY = new Set("a an and are as at be by can do does for from how i if in is it its my not of on or that the this to was what when where which who why with you your".split(" "));
  const MOST = 30, HEADING = 6, TITLE = 2; // results; what a word in a heading, or in the page's title, counts
  const LESS = { "contributing.html": 0.3, "data.html": 0.6, "models.html": 0.6 };

  // "10,000" is 10000, "tables" table, "padding" pad: enough of English to find a word in its other forms.
  const stem = word => (/\d/.test(word) ? word : word
    .replace(/(ies)$/, "y").replace(/(?<=..[^s])s$/, "").replace(/(?<=...)(ing|ed|ion|ions)$/, "").replace(/([^aeiouls])\1$/, "$1").replace(/(?<=...)e$/, ""));
  const words = text => (text.toLowerCase().replace(/(\d),(?=\d{3})/g, "$1").match(/[\p{L}\p{N}²√]+/gu) ?? []).map(stem);
  const count = list => list.reduce((found, word) => found.set(word, (found.get(word) ?? 0) + 1), new Map());

  const sections = SECTIONS.flatMap(([page, list]) => list.map(([heading, parts]) => {
    const text = words(parts.map(part => part[1]).join(" "));
    return { page, title: list[0][0], heading, parts, length: text.length, text: count(text),
      head: new Set(words(heading)), above: new Set(words(list[0][0])) };
  }));
  const known = new Map(); // word -> in how many sections it stands
  for (const { text, head } of sections) for (const word of new Set([...text.keys(), ...head])) known.set(word, (known.get(word) ?? 0) + 1);
  const usual = sections.reduce((sum, section) => sum + section.length, 0) / sections.length;
  const rare = word => Math.log(1 + sections.length / (known.get(word) ?? 1));

  function asked(query) { // the words to look for; the beginning of a word stands for the words that begin so
    const all = words(query), full = all.filter(word => !EMPTY.has(word));
    return [...new Set(full.length ? full : all)].map(word => known.has(word) || word.length < 3 ? [word]
      : [...known.keys()].filter(other => other.startsWith(word)).slice(0, 20));
  }

  function score(section, wanted) {
    let sum = 0, matched = 0, all = 0;
    for (const forms of wanted) {
      const best = Math.max(0, ...forms.map(word => {
        const times = section.text.get(word) ?? 0, long = 0.4 + 0.6 * section.length / usual;
        return rare(word) * (2 * times / (times + long) + HEADING * section.head.has(word) / Math.sqrt(1 + section.head.size / 4)
          + TITLE * section.above.has(word));
      }));
      const weight = forms.length ? Math.min(...forms.map(rare)) : Math.log(1 + sections.length);
      sum += best;
      all += weight;
      matched += best > 0 && weight;
    }
    return sum * (matched / all) ** 2 * (LESS[section.page] ?? 1);
  }

  function place(section, wanted) { // the part of a section that has most of the words, and the text around the first
    const forms = new Set(wanted.flat());
    const rated = section.parts.map(part => [new Set(words(part[1]).filter(word => forms.has(word))).size, part]);
    const most = Math.max(...rated.map(([hits]) => hits)), [anchor, text, shut] = rated.find(([hits]) => hits === most)[1];
    if (shut) return { anchor, bits: [["In a fold, or an answer: it opens there."]] };
    const bits = text.split(/([\p{L}\p{N}²√]+(?:,\d{3})*)/u), first = Math.max(0, bits.findIndex(bit => forms.has(words(bit)[0])));
    return { anchor: section.head.size && most === 0 ? section.parts[0][0] : anchor,
      bits: bits.slice(Math.max(0, first - 16), first + 50).map(bit => [bit, forms.has(words(bit)[0])]) };
  }

  window.findSections = query => { // tests ask it, too
    const wanted = asked(query);
    const found = sections.map(section => [wanted.length ? score(section, wanted) : 0, section]).filter(([points]) => points > 0)
      .sort((a, b) => b[0] - a[0]).slice(0, MOST);
    return found.map(([points, section]) => ({ points, ...section, ...place(section, wanted) }));
  };

  const form = document.querySelector(".find"), list = document.querySelector(".results"), status = document.querySelector(".found");
  const element = (name, ...inside) => {
    const made = document.createElement(name);
    made.append(...inside);
    return made;
  };

  function show() {
    const query = form.elements.q.value, found = findSections(query);
    list.replaceChildren(...found.map(({ page, anchor, title, heading, bits }) => {
      const link = Object.assign(element("a", heading), { href: `${page}#${anchor}` });
      const text = bits.map(([bit, hit]) => (hit ? element("mark", bit) : bit));
      return element("li", link, ...(heading === title ? [] : [element("span", title)]), element("p", ...text));
    }));
    const number = found.length === MOST ? `the ${MOST} best sections` : found.length === 1 ? "one section" : `${found.length} sections`;
    status.textContent = !query.trim() ? "" : found.length ? number : "No section has these words. Try fewer, or others.";
  }

  form.elements.q.value = new URLSearchParams(location.search).get("q") ?? "";
  form.addEventListener("input", show);
  form.addEventListener("submit", event => event.preventDefault());
  show();
  form.elements.q.focus();
}
