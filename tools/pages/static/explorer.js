// Explorers without a kernel: every state was drawn beforehand, and this swaps pictures and sentences.
for (const box of document.querySelectorAll(".explorer")) {
  const { id, folder, size, controls, files, sentences, play, numbers } = JSON.parse(box.querySelector("script").textContent);
  const form = box.querySelector("form"), frame = box.querySelector(".frame"), says = box.querySelector("[role=status]");
  const inputs = controls.map(({ name }) => form.elements.namedItem(name)); // elements.length would be a number
  const player = controls.findIndex(({ name }) => name === play), button = form.querySelector("[data-do=play]");
  const last = controls[player]?.words.length - 1;
  const pictures = new Map(); // file -> promise of a decoded picture
  let picture = box.querySelector("img"), wanted, playing, writing, speaking;
  named(picture);
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

  function named(image) { // by ear: a short name, the sentence once, under the picture
    image.alt = frame.dataset.name;
    image.setAttribute("aria-describedby", says.id);
  }

  function say(sentence) { // seen at once; spoken when the hand rests, and not while it plays
    says.ariaLive = "off";
    says.textContent = sentence;
    clearTimeout(speaking);
    if (!playing) speaking = setTimeout(() => {
      says.ariaLive = "polite";
      says.textContent = sentence;
    }, 600);
  }

  function show() {
    const at = read(), state = stateOf(at);
    inputs.forEach((input, k) => {
      if (input.type !== "range") return;
      input.setAttribute("aria-valuetext", controls[k].words[at[k]]);
      input.nextElementSibling.textContent = controls[k].words[at[k]];
    });
    say(sentences[state]);
    wanted = state; // a state that the subject refuses keeps the last picture, and the sentence says why
    load(state)?.then(image => {
      if (wanted !== state) return;
      named(image);
      picture.replaceWith(image);
      picture = image;
    });
    inputs.forEach((_, k) => along(at, k).slice(1, 3).forEach(load));
    clearTimeout(writing); // browsers refuse an address that changes too often
    writing = setTimeout(() => history.replaceState(history.state, "", "#" + new URLSearchParams(
      [["at", id], ...controls.map(({ name, words }, k) => [name, words[at[k]]])])), 300);
  }

  function run(on) {
    if (on === Boolean(playing)) return;
    clearTimeout(playing);
    playing = on && setTimeout(step, pause());
    if (!button) return;
    button.textContent = on ? "pause" : "play";
    button.toggleAttribute("data-playing", on);
    if (!on) say(says.textContent); // where it came to a stop
  }

  function pause() { // how long the state on the screen stays, in ms: steps of other sizes take other times
    const at = read()[player], mean = Math.min(400, 10000 / last);
    const scale = numbers?.[0] > 0 && numbers[last] > 50 * numbers[0] ? Math.log : Number; // 100, 1,000, 10,000: by factors
    const share = numbers ? last * (scale(numbers[at + 1]) - scale(numbers[at])) / (scale(numbers[last]) - scale(numbers[0])) : 1;
    return Math.max(mean * share, 80) / form.querySelector("select").value;
  }

  function step() {
    const next = read()[player] + 1;
    if (next === last) run(false);
    move(next);
    if (playing) playing = setTimeout(step, pause());
  }

  function move(index) {
    write(player, Math.min(Math.max(0, index), last));
    show();
  }

  function follow() { // an address that names a state
    const asked = new URLSearchParams(location.hash.slice(1));
    if (asked.get("at") !== id) return clearTimeout(writing); // the address is another's now
    run(false);
    controls.forEach(({ name, words }, k) => words.includes(asked.get(name)) && write(k, words.indexOf(asked.get(name))));
    show();
    if (!history.state) box.scrollIntoView(); // landing.js marks what was seen before
  }

  let held; // what a pointer began to move; it goes back where a finger turns out to scroll
  form.addEventListener("pointerdown", ({ isPrimary }) => { if (isPrimary) held = read(); });
  form.addEventListener("pointercancel", () => {
    if (!held || `${held}` === `${read()}`) return;
    held.forEach((index, k) => write(k, index));
    show();
  });
  form.addEventListener("input", event => event.target.matches("select") || show()); // the speed counts from the next step on
  form.addEventListener("focusin", event => { // a hand on a control: load all that it can show
    const k = inputs.indexOf(event.target);
    if (k >= 0) along(read(), k).forEach(load);
  });
  form.addEventListener("reset", () => {
    run(false); // at once: on a slow machine a step may be due before the controls are back
    setTimeout(show);
  });
  button?.addEventListener("click", () => {
    along(read(), player).forEach(load);
    if (!playing && read()[player] === last) move(0);
    run(!playing);
  });
  form.querySelectorAll("[data-steps]").forEach(b => b.addEventListener("click", () => {
    run(false);
    move(read()[player] + +b.dataset.steps);
  }));
  addEventListener("hashchange", follow);
  form.hidden = false; // without this script only the picture stands there
  follow();
}
