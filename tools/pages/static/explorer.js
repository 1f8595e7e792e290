// Explorers without a kernel: every state was drawn beforehand, and this swaps pictures and sentences.
for (const box of document.querySelectorAll(".explorer")) {
  const { id, folder, size, controls, files, sentences, play } = JSON.parse(box.querySelector("script").textContent);
  const form = box.querySelector("form"), says = box.querySelector("[role=status]");
  const inputs = controls.map(({ name }) => form.elements.namedItem(name)); // elements.length would be a number
  const player = controls.findIndex(({ name }) => name === play), button = form.querySelector("[data-do=play]");
  const pictures = new Map(); // file -> promise of a decoded picture
  let picture = box.querySelector("img"), wanted, playing, writing;
  const read = () => inputs.map(input => (input.type === "checkbox" ? +input.checked : +input.value));
  const write = (k, index) => {
    if (inputs[k].type === "checkbox") inputs[k].checked = index === 1;
    else inputs[k].value = index;
  };
  const stateOf = at => at.reduce((sum, index, k) => sum * controls[k].words.length + index, 0);
  const along = (at, k) => controls[k].words.map((_, index) => index) // the states along control k, nearest first
    .sort((a, b) => Math.abs(a - at[k]) - Math.abs(b - at[k])).map(index => stateOf(at.with(k, index)));

  function load(state) {
    const file = files[state];
    if (file !== null && !pictures.has(file)) {
      const image = Object.assign(new Image(...size), { src: `${folder}${file}.webp` });
      pictures.set(file, image.decode().then(() => image, () => (pictures.delete(file), picture)));
    }
    return pictures.get(file);
  }

  function show() {
    const at = read(), state = stateOf(at);
    inputs.forEach((input, k) => {
      if (input.type !== "range") return;
      input.setAttribute("aria-valuetext", controls[k].words[at[k]]);
      input.nextElementSibling.textContent = controls[k].words[at[k]];
    });
    says.textContent = sentences[state];
    wanted = state; // a state that the subject refuses keeps the last picture, and the sentence says why
    load(state)?.then(image => {
      if (wanted !== state) return;
      image.alt = sentences[state];
      picture.replaceWith(image);
      picture = image;
    });
    inputs.forEach((_, k) => along(at, k).slice(1, 3).forEach(load));
    clearTimeout(writing); // browsers refuse an address that changes too often
    writing = setTimeout(() => history.replaceState(null, "", "#" + new URLSearchParams(
      [["at", id], ...controls.map(({ name, words }, k) => [name, words[at[k]]])])), 300);
  }

  function run(on) {
    clearInterval(playing);
    playing = on && setInterval(go, 400 / form.querySelector("select").value, 1);
    button?.setAttribute("aria-pressed", on);
  }

  function go(steps) {
    const last = controls[player].words.length - 1, next = Math.min(Math.max(0, read()[player] + steps), last);
    write(player, next);
    if (next === last) run(false);
    show();
  }

  function follow() { // an address that names a state
    const asked = new URLSearchParams(location.hash.slice(1));
    if (asked.get("at") !== id) return;
    controls.forEach(({ name, words }, k) => words.includes(asked.get(name)) && write(k, words.indexOf(asked.get(name))));
    show();
    box.scrollIntoView();
  }

  form.addEventListener("input", event => (event.target.matches("select") ? playing && run(true) : show()));
  form.addEventListener("focusin", event => { // a hand on a control: load all that it can show
    const k = inputs.indexOf(event.target);
    if (k >= 0) along(read(), k).forEach(load);
  });
  form.addEventListener("reset", () => {
    run(false); // at once: on a slow machine a step may be due before the controls are back
    setTimeout(show);
  });
  button?.addEventListener("click", () => run(!playing));
  form.querySelectorAll("[data-steps]").forEach(b => b.addEventListener("click", () => go(+b.dataset.steps)));
  addEventListener("hashchange", follow);
  form.hidden = false; // without this script only the picture stands there
  follow();
}
