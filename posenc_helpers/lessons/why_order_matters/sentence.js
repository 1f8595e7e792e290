// Your own sentence: one attention layer, computed here from the weights that own_sentence.py stores. What is measured
// is the twin of `measure` there; a test compares all its numbers.
const MOST = 8; // words that are read

const second = count => Math.min(1, Math.max(0, count - 2)); // the word that is swapped with the last

// Which typed word stands where, in the order that is asked for.
function arrange(count, order, own) {
  const typed = [...Array(count).keys()], one = second(count), last = count - 1;
  if (order === "reversed") return typed.reverse();
  if (order === "swapped") return typed.map(k => (k === one ? last : k === last ? one : k));
  if (order === "moved") return typed.map(k => (k + 1) % count);
  const digits = [...own].map(digit => parseInt(digit, 10));
  return order === "own" && `${[...digits].sort()}` === `${typed}` ? digits : typed;
}

// Sixteen made-up numbers from the letters of a word: its hash (FNV-1a) starts a generator (xorshift).
function madeUp(word, width) {
  let state = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(word)) state = Math.imul(state ^ byte, 0x01000193) >>> 0;
  state ||= 1;
  const uniform = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  return Array.from({ length: width }, () => (uniform() + uniform() + uniform() + uniform() - 2) * Math.sqrt(3));
}

const times = (x, w) => x.map(row => w[0].map((_, column) => row.reduce((sum, value, k) => sum + value * w[k][column], 0)));

// One layer of attention: the weights (L, L) and the outputs (L, d) of `words`.
function attend({ vectors, matrices, codes }, words, causal, positions) {
  const width = codes[0].length, x = words.map((word, place) => {
    const name = word.toLowerCase(), vector = Object.hasOwn(vectors, name) ? vectors[name] : madeUp(name, width);
    return positions ? vector.map((value, k) => value + codes[place][k]) : vector;
  });
  const [q, k, v] = matrices.map(matrix => times(x, matrix));
  const weights = q.map((query, i) => {
    const scores = k.map(key => (2 * key.reduce((sum, value, c) => sum + value * query[c], 0)) / Math.sqrt(width));
    const parts = scores.map((score, j) => (causal && j > i ? 0 : Math.exp(score))), sum = parts.reduce((a, b) => a + b);
    return parts.map(part => part / sum);
  });
  return { weights, outputs: times(weights, v) };
}

// Everything that the picture shows: words, weights and outputs as `typed` and `now`, `places`, which typed word stands
// where now, `apart`, how far the output of each word now is from the one as typed, and how many words are `left` out.
export function measure(data, { sentence, order, own, causal_mask, positions }) {
  const all = sentence.split(/\s+/).filter(Boolean), words = all.slice(0, MOST), places = arrange(words.length, order, own);
  const [typed, now] = [words, places.map(k => words[k])].map(text => (
    { words: text, ...(text.length ? attend(data, text, causal_mask, positions) : { weights: [], outputs: [] }) }));
  const largest = (one, other) => Math.max(...one.map((value, column) => Math.abs(value - other[column])));
  const apart = places.map((k, place) => largest(now.outputs[place], typed.outputs[k]));
  return { typed, now, places, apart, left: all.length - words.length };
}

const shown = value => value.toFixed(2), differs = value => value >= 0.005; // is not shown as 0.00
const cut = word => (word?.length > 9 ? `${word.slice(0, 8)}…` : word ?? "");

export default {
  render({ model, el }) {
    const { make, shade } = kit, colours = model.get("colours"), limit = model.get("limit");
    const data = Object.fromEntries(["vectors", "matrices", "codes"].map(name => [name, model.get(name)]));
    const columns = data.codes[0].length, swap = model.get("controls").order.values.indexOf("swapped");
    let set, read; // the values of the model
    function sentence(values) {
      const { typed, now, apart, left } = measure(data, values), count = apart.length;
      if (!count) return "Type a word, or up to eight.";
      const most = Math.max(...apart), other = apart.filter(differs).length;
      const switches = `${values.causal_mask ? "causal" : "no"} mask, ${values.positions ? "" : "no "}positions`;
      const which = other ? `${other} of ${count} words ${other === 1 ? "has" : "have"} another output` : "every word keeps its output";
      const where = other ? ` (${now.words[apart.indexOf(most)]})` : "", rest = left ? " Words after the eighth are not read." : "";
      const texts = `Weights and outputs of “${now.words.join(" ")}” beside “${typed.words.join(" ")}”`;
      return `${texts}, ${switches}: ${which}; largest difference ${shown(most)}${where}.${rest}`;
    }

    // The field, and the words as chips; in each a hidden slider, the place of the word.
    const head = Object.assign(document.createElement("div"), { className: "kit-head" });
    const line = make(head, "label", { class: "kit-bar" }, "your sentence, up to eight words");
    const field = make(line, "input", { type: "text", "data-name": "sentence", maxlength: 90, spellcheck: "false", autocomplete: "off" });
    field.addEventListener("input", () => set({ sentence: field.value, order: read().order.replace("own", "typed") }));
    const row = make(head, "div", { class: "kit-bar kit-words", role: "group", "aria-label": "words, to drag or to move by arrow keys" });
    const chips = []; // chip k is word k as typed

    function move(word, to) {
      const places = measure(data, read()).places.filter(k => k !== word);
      places.splice(to, 0, word);
      set({ order: "own", own: places.join("") });
    }
    function followChips({ typed: { words }, places, apart }) {
      while (chips.length > words.length) chips.pop().remove();
      while (chips.length < words.length) {
        const k = chips.length, chip = make(row, "label", { class: "kit-value" });
        make(chip, "b");
        make(chip, "input", { type: "range", "data-name": "own", min: 0 })
          .addEventListener("input", event => move(k, +event.target.value));
        chips.push(chip);
      }
      const focused = row.contains(document.activeElement) && document.activeElement;
      places.forEach((k, place) => {
        const [name, slider] = chips[k].children;
        if (row.children[place] !== chips[k]) row.insertBefore(chips[k], row.children[place]);
        name.textContent = words[k];
        slider.setAttribute("aria-label", `${words[k]}, word ${k + 1} as typed`);
        Object.assign(slider, { max: words.length - 1, value: place });
        slider.setAttribute("aria-valuetext", `place ${place + 1} of ${words.length}, output differs by ${shown(apart[place])}`);
      });
      if (focused && focused !== document.activeElement) focused.focus({ preventScroll: true }); // it was lost on the way
    }
    let held; // the chip that a pointer drags
    row.addEventListener("pointerdown", event => {
      if (event.button || !(held = event.target.closest("label"))) return;
      event.preventDefault();
      held.lastChild.focus({ preventScroll: true });
      row.setPointerCapture(event.pointerId); // a chip that changes its place would lose it
    });
    row.addEventListener("pointermove", ({ clientX, clientY }) => {
      const all = [...row.children], over = document.elementFromPoint(clientX, clientY)?.closest("label"), to = all.indexOf(over);
      if (!held || to < 0 || over === held) return;
      const { left, right } = over.getBoundingClientRect(); // past its middle, else the two would take turns
      if (to > all.indexOf(held) === clientX > (left + right) / 2) move(chips.indexOf(held), to);
    });
    for (const end of ["pointerup", "pointercancel"]) row.addEventListener(end, () => (held = undefined));

    function bar(add) {
      ({ set, read } = add);
      add.choice("order", "order");
      for (const name of ["causal_mask", "positions"]) add.check(name, name.replace("_", " "));
    }

    function build(stage, narrow) {
      const [width, now, wide, strip, long, high, top, size] = narrow
        ? [340, 66, 112, 186, 112, 208, 26, 14] : [900, 424, 240, 680, 156, 240, 30, 16];
      const svg = stage.size(width, top + high + 76), pen = stage.canvas(0, 0, width, stage.height).getContext("2d");
      [pen.canvas.width, pen.canvas.height] = [2 * width, 2 * stage.height];
      pen.scale(2, 2);
      const write = (x, y, words, more = {}) => make(svg, "text", { x, y, "font-size": size, ...more }, words);
      const tables = narrow ? [["now", now]] : [["typed", 88], ["now", now]];
      const label = x => Array.from({ length: MOST }, () => write(x, 0, "", { "text-anchor": "end", dy: "0.35em" }));
      const beside = tables.map(([, left]) => label(left - 6)), below = tables.map(() => label(0)), by = label(width - 4);
      for (const [which, left] of tables) write(left, 18, narrow ? "weights" : `weights ${which === "now" ? which : "as typed"}`);
      write(strip, 18, narrow ? "output" : "output: typed, now");
      write(width - 4, 18, narrow ? "differs" : "differs by", { "text-anchor": "end" });
      for (const [y, words, most, ramp] of [[30, "weight 0", "1", colours.magnitude], [52, `output −${limit}`, limit, colours.signed]]) {
        write(strip + 76, top + high + y + 11, words, { "font-size": 15, "text-anchor": "end" });
        write(strip + 127, top + high + y + 11, most, { "font-size": 15 });
        ramp.forEach((fill, k) => make(svg, "rect", { x: strip + 79 + k * 1.3, y: top + high + y, width: 1.5, height: 12, fill }));
      }
      const box = (fillStyle, ...place) => Object.assign(pen, { fillStyle }).fillRect(...place);
      let found, cells; // what is drawn, how many cells along a table
      stage.pad([0, top, width, high], {
        touch: "pan-y",
        hover(x, y) {
          const at = (value, from, size, count) => Math.floor(((value - from) / size) * count);
          const { typed, now, places } = found, place = at(y, top, high, cells), column = at(x, strip, long, columns);
          const before = typed.outputs[places[place]]?.[column], after = now.outputs[place]?.[column];
          if (after !== undefined) return `${now.words[place]}, column ${column}: typed ${shown(before)}, now ${shown(after)}`;
          for (const [which, left] of tables) {
            const { words, weights } = found[which], key = at(x, left, wide, cells), weight = weights[place]?.[key];
            if (weight !== undefined) return `${words[place]} looks at ${words[key]}: ${shown(weight)}`;
          }
        },
      });
      return values => {
        found = measure(data, values);
        const { typed, now, places, apart } = found, count = places.length, step = long / columns;
        const across = wide / (cells = Math.max(5, count)), down = high / cells;
        followChips(found);
        if (field.value !== values.sentence) field.value = values.sentence;
        el.querySelectorAll("[data-name=order]")[swap].nextSibling.textContent = // that choice names the two words
          count > 1 ? `${typed.words[second(count)]} and ${typed.words.at(-1)} swapped` : "two words swapped";
        pen.clearRect(0, 0, width, stage.height);
        tables.forEach(([which, left], table) => {
          const { words, weights } = found[which];
          beside[table].forEach((label, k) => {
            label.setAttribute("y", top + (k + 0.5) * down);
            below[table][k].setAttribute("transform", `translate(${left + (k + 0.5) * across} ${top + count * down + 6}) rotate(-90)`);
            label.textContent = below[table][k].textContent = cut(words[k]);
          });
          weights.forEach((line, place) => line.forEach((weight, key) => box(
            shade(colours.magnitude, weight, false), left + key * across, top + place * down, across - 1, down - 1)));
        });
        by.forEach((label, place) => {
          label.setAttribute("y", top + (place + 0.5) * down);
          label.setAttribute("font-weight", differs(apart[place]) ? 700 : 400);
          label.textContent = place < count ? shown(apart[place]) : "";
        });
        places.forEach((k, place) => [typed.outputs[k], now.outputs[place]].forEach((output, half) => output.forEach(
          (value, column) => box(shade(colours.signed, value / limit), strip + column * step,
            top + (place + 0.08 + 0.42 * half) * down, step + 0.3, 0.42 * down + 0.3))));
      };
    }
    const leave = kit.show({ model, el, build, sentence, bar, label: "Your own sentence" });
    el.querySelector(".kit").prepend(head);
    return leave;
  },
};
