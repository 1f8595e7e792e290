// A bet: names that move from place to place, by dragging or arrow keys. It stays in the local storage of this browser,
// and is counted where the notebook decides it.
for (const form of document.querySelectorAll("form.bet")) {
  const key = `posenc bet ${location.pathname.split("/").slice(-2).join("/")}`;
  const values = JSON.parse(form.dataset.values), names = Object.keys(values).sort();
  const list = form.querySelector(".bet-list"), places = [...list.children], says = document.querySelector(".bet-says");
  let order = [...names], held = -1;

  function write(made) { // `made`: by the reader, not as it starts
    places.forEach((place, n) => { place.textContent = `${n + 1} ${order[n]}`; });
    const pairs = order.flatMap((one, n) => order.slice(n + 1).map(other => values[one] < values[other]));
    const words = { order: order.join(", "), right: pairs.filter(Boolean).length, all: pairs.length };
    says.textContent = says.dataset.words.replace(/\{(\w+)\}/g, (_, name) => words[name]);
    says.hidden = !made;
  }

  function move(from, to) { // where the name is then
    if (from === to || !places[from] || !places[to]) return from;
    order.splice(to, 0, ...order.splice(from, 1));
    write(true);
    places[to].focus();
    try {
      localStorage.setItem(key, JSON.stringify(order));
    } catch { /* then it is kept until the page is left */ }
    return to;
  }

  list.addEventListener("keydown", event => {
    const from = places.indexOf(event.target), step = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 }[event.key];
    if (step && move(from, from + step) >= 0) event.preventDefault(); // the page does not scroll
  });
  const under = ({ clientX, clientY }) => places.indexOf(document.elementFromPoint(clientX, clientY));
  list.addEventListener("pointerdown", event => {
    held = under(event);
    if (held >= 0) list.setPointerCapture(event.pointerId);
  });
  list.addEventListener("pointermove", event => { held = move(held, under(event)); });
  for (const end of ["pointerup", "pointercancel"]) list.addEventListener(end, () => { held = -1; });

  document.querySelector("form.forget")?.addEventListener("submit", () => {
    order = [...names];
    write(false);
    try {
      localStorage.removeItem(key);
    } catch { /* nothing was stored */ }
  });

  let before;
  try {
    before = JSON.parse(localStorage.getItem(key));
  } catch { /* no storage, or not ours */ }
  const known = Array.isArray(before) && `${[...before].sort()}` === `${names}`;
  if (known) order = before;
  write(known);
  form.hidden = false;
}
