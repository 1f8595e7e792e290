// What all pictures that one plays with share. It stands in front of each module, which imports nothing and exports
// { render({ model, el }) }; of the model it uses get, set, save_changes, on and off, as anywidget 0.9 (Colab) has them.
const kit = {
  narrow: 640, // pixels: below, a picture is laid out for a phone

  // Append an element to `parent` and return it. `tag` is that of SVG where `parent` is in an SVG.
  make(parent, tag, attributes = {}, words = "") {
    const inside = tag === "svg" || parent.namespaceURI?.endsWith("svg");
    const made = inside ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
    kit.put(made, attributes);
    made.textContent = words;
    parent.append(made);
    return made;
  },

  // Change attributes of an element, those that are not as they are wanted.
  put(element, attributes) {
    for (const [name, value] of Object.entries(attributes)) {
      if (element.getAttribute(name) !== `${value}`) element.setAttribute(name, value);
    }
  },

  minus: number => `${number}`.replace("-", "−"), // as it is written, not typed

  // The colour of `value` (-1 to 1 in a signed ramp, 0 to 1 in another) in a ramp of the model's colours.
  shade: (ramp, value, signed = true) => {
    const place = signed ? (value + 1) / 2 : value;
    return ramp[Math.round(Math.min(1, Math.max(0, place)) * (ramp.length - 1))];
  },

  // Show a picture in `el` that follows the model, and return what removes it again.
  //   build(stage, narrow)  draws once for a wide or a narrow place, and returns update(values), which only changes what
  //                         is drawn; `stage` has size, below
  //   sentence(values)      what stands under it, the same words as Python's describe
  //   bar(add)              the controls: add.value(name, label[, colour[, words]]) for what is dragged, a hidden slider
  //                         of the browser's own; add.choice(name, label[, words]), add.check(name, label),
  //                         add.button(words, act), add.play(name): a button that moves a slider from value to value
  // `values` is {name: value} of the model's `controls`, and set({name: value}) in `stage` and `add` changes some.
  show({ model, el, build, sentence, bar, label }) {
    const { make } = kit, controls = model.get("controls"), names = Object.keys(controls);
    const start = Object.fromEntries(names.map(name => [name, model.get(name)])); // what reset goes back to
    const root = make(el, "div", { class: "kit", role: "group", "aria-label": label });
    root.addEventListener("focusin", ({ target }) => { // else JupyterLab takes the arrow keys, and goes to another cell
      target.setAttribute("data-lm-suppress-shortcuts", "true");
    });
    let was; // what a pointer began to move; it goes back where a finger turns out to scroll
    root.addEventListener("pointerdown", ({ isPrimary }) => { if (isPrimary) was = read(); }, true); // before it moves
    root.addEventListener("pointercancel", () => { if (was) set(was); });
    const row = make(root, "div", { class: "kit-bar" }), box = make(root, "div", { class: "kit-stage" });
    const says = make(root, "p", { class: "kit-says", role: "status" });
    const tip = make(root, "div", { class: "kit-tip", "aria-hidden": "true", hidden: "" });
    const views = []; // what each control shows of the values
    let update, laid, waiting = 0, unsaved = false, playing = false, run = () => {};

    const read = () => Object.fromEntries(names.map(name => [name, model.get(name)]));
    const within = (name, value) => { // the nearest value that the control has
      const { min, max, step, values, text } = controls[name];
      if (text) return value;
      if (values) return values.includes(value) ? value : model.get(name);
      return Math.min(max, Math.max(min, min + Math.round((value - min) / step) * step));
    };
    const ask = () => { waiting ||= requestAnimationFrame(draw); };
    function set(wanted) {
      for (const [name, value] of Object.entries(wanted)) {
        const next = within(name, value);
        if (next !== model.get(name)) { model.set(name, next); unsaved = true; }
      }
      ask();
    }
    function draw() { // once a frame at most, however fast the pointer or the keys
      waiting = 0;
      if (unsaved) model.save_changes();
      unsaved = false;
      const values = read(), words = sentence(values);
      update?.(values);
      views.forEach(view => view(values));
      if (says.textContent !== words) says.textContent = words;
    }

    const words = (name, value) => controls[name].words?.[controls[name].values.indexOf(value)] ?? `${value}`;
    const add = {
      set, read,
      value(name, title, colour, spoken = value => words(name, value)) {
        const { min, max, step, values } = controls[name];
        const holder = make(row, "label", { class: "kit-value" });
        if (colour) make(holder, "i", { style: `background: ${colour}` });
        make(holder, "span", {}, title);
        const shown = make(holder, "b"), limits = values ? { min: 0, max: values.length - 1, step: 1 } : { min, max, step };
        const input = make(holder, "input", { type: "range", "data-name": name, ...limits });
        input.addEventListener("input", () => set({ [name]: values ? values[+input.value] : +input.value }));
        views.push(now => {
          input.value = values ? values.indexOf(now[name]) : now[name];
          const words = spoken(now[name]);
          if (shown.textContent !== words) input.setAttribute("aria-valuetext", shown.textContent = words);
        });
        return input;
      },
      choice(name, title, spoken = value => words(name, value)) {
        const holder = make(row, "fieldset"), group = `kit-${Math.random().toString(36).slice(2)}`;
        make(holder, "legend", {}, title);
        for (const value of controls[name].values) {
          const holds = make(holder, "label", { class: "kit-choice" });
          const input = make(holds, "input", { type: "radio", name: group, "data-name": name });
          make(holds, "span", {}, spoken(value));
          input.addEventListener("change", () => set({ [name]: value }));
          views.push(now => { input.checked = now[name] === value; });
        }
      },
      check(name, title) {
        const holder = make(row, "label", { class: "kit-choice" });
        const input = make(holder, "input", { type: "checkbox", "data-name": name });
        make(holder, "span", {}, title);
        input.addEventListener("change", () => set({ [name]: input.checked }));
        views.push(now => { input.checked = now[name]; });
      },
      button(title, act) {
        const made = make(row, "button", { type: "button" }, title);
        made.addEventListener("click", act);
        return made;
      },
      play(name) {
        const { min, max, step } = controls[name];
        const go = () => (model.get(name) < max ? set({ [name]: model.get(name) + step }) : run(false));
        const button = add.button(`play ${name}`, () => run(!playing));
        run = on => {
          clearInterval(playing);
          playing = on && setInterval(go, 200);
          if (on && model.get(name) === max) set({ [name]: min }); // at the end, it starts again
          button.textContent = `${on ? "pause" : "play"} ${name}`;
          says.setAttribute("aria-live", on ? "off" : "polite"); // quiet while it plays
        };
      },
    };

    const stage = {
      set, read,
      // Give the stage a size in units of its own (those of its SVG), and return the SVG.
      size(width, height) {
        box.replaceChildren();
        Object.assign(stage, { width, height });
        return make(box, "svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
      },
      // Place an element of HTML, such as a canvas, at x, y, width, height in units of the stage.
      place(element, x, y, width, height) {
        const per = (part, whole) => `${(100 * part) / whole}%`;
        Object.assign(element.style, { left: per(x, stage.width), top: per(y, stage.height),
          width: per(width, stage.width), height: per(height, stage.height) });
        return element;
      },
      canvas(x, y, width, height) {
        const made = stage.place(make(box, "canvas", { "aria-hidden": "true" }), x, y, width, height);
        box.prepend(made); // behind the SVG
        return made;
      },
      // A place for the pointer. grab(x, y), in units of the stage, returns move(x, y), or nothing where it holds nothing;
      // hover(x, y) returns the words of a tip, or nothing. `touch` is what a finger may do else: "none", "pan-y".
      pad([x, y, width, height], { grab, hover, touch = "none" }) {
        const pad = stage.place(make(box, "div", { class: "kit-pad", "aria-hidden": "true" }), x, y, width, height);
        pad.style.touchAction = touch;
        let move, spot, asked = 0;
        const measure = ({ clientX, clientY }) => { // here, where nothing has changed yet: to ask later costs a layout
          const { left, top, width, height } = box.getBoundingClientRect(), scale = box.offsetWidth / width; // of a slide
          const across = clientX - left, down = clientY - top;
          spot = { x: (across / width) * stage.width, y: (down / height) * stage.height, right: across > width / 2,
            left: across * scale, top: down * scale + box.offsetTop - 34, away: (width - across) * scale };
        };
        const follow = () => { // the newest event of this frame
          asked = 0;
          const { x, y, left, top, right, away } = spot;
          if (move) move(x, y);
          const words = hover?.(x, y) ?? "";
          if (tip.textContent !== words) tip.textContent = words;
          tip.hidden = !words;
          kit.put(tip, { style: `top: ${top}px; ${right ? `right: ${away + 12}px` : `left: ${left + 12}px`}` });
          if (waiting) { // in this frame, not in the next
            cancelAnimationFrame(waiting);
            draw();
          }
        };
        const heard = event => {
          measure(event);
          asked ||= requestAnimationFrame(follow);
        };
        pad.addEventListener("pointerdown", event => {
          if (event.button) return;
          measure(event);
          move = grab?.(spot.x, spot.y);
          if (move) pad.setPointerCapture(event.pointerId);
          heard(event);
        });
        pad.addEventListener("pointermove", heard);
        const still = () => { cancelAnimationFrame(asked); asked = 0; tip.hidden = true; };
        pad.addEventListener("pointerup", () => { move = undefined; });
        pad.addEventListener("pointercancel", () => {
          still();
          move = undefined;
        });
        pad.addEventListener("pointerleave", still);
        return pad;
      },
    };

    bar(add);
    const reset = add.button("reset", () => {
      run(false);
      set(start);
    });
    reset.setAttribute("aria-label", `reset: ${label}`);
    row.insertBefore(reset, row.querySelector("fieldset")); // beside what is dragged, on a phone, too
    const fit = () => {
      const narrow = root.clientWidth < kit.narrow;
      if (!root.clientWidth || narrow === laid) return; // hidden, or as it was
      laid = narrow;
      update = build(stage, narrow);
      draw();
    };
    const watch = new ResizeObserver(fit);
    watch.observe(root);
    names.forEach(name => model.on(`change:${name}`, ask));
    fit();
    draw();
    return () => {
      run(false);
      watch.disconnect();
      cancelAnimationFrame(waiting);
      names.forEach(name => model.off(`change:${name}`, ask));
      root.remove();
    };
  },
};
