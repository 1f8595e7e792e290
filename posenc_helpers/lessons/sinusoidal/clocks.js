// The clocks of notebook 03: hands of two positions, their rows in the table, and their dot product. Drag any of them.
const TOP = 127; // positions are 0 to TOP
const SHOWN = 6; // hands, of all pairs

const range = count => [...Array(count).keys()];
const speeds = (width, base) => range(width / 2).map(i => base ** ((-2 * i) / width)); // radians a position
const product = (apart, speed) => speed.reduce((sum, w) => sum + Math.cos(apart * w), 0) / speed.length;
const degrees = angle => Math.round((((angle * 180) / Math.PI) % 360 + 360) % 360);

function sentence({ p, q, width, base }) {
  const speed = speeds(width, base), apart = Math.abs(p - q);
  const together = speed.filter(w => Math.cos(apart * w) > 0.99).length;
  const distance = Math.sqrt(speed.reduce((sum, w) => sum + 4 * Math.sin((apart * w) / 2) ** 2, 0));
  return `Clock hands, table rows and dot product of positions ${p} and ${q}: ${together} of ${speed.length} hands point the `
    + `same way; ${apart} apart the dot product is ${product(apart, speed).toFixed(2)} of its largest, `
    + `the distance of the codes ${distance.toFixed(2)}.`;
}

export default {
  render({ model, el }) {
    const colours = model.get("colours"), { make } = kit;
    const of = { p: colours.blue, q: colours.vermilion };

    function bar(add) {
      add.value("p", "p", of.p);
      add.value("q", "q", of.q);
      add.play("p");
      add.choice("width", "width");
      add.choice("base", "base");
    }

    function build(stage, narrow) {
      const svg = narrow ? stage.size(360, 850) : stage.size(920, 470);
      const text = 15, across = narrow ? 3 : SHOWN, slot = stage.width / across;
      const radius = narrow ? 45 : 54, high = narrow ? 157 : 175;
      const table = narrow ? { x: 44, y: 335, w: 256, h: 190 } : { x: 62, y: 205, w: 350, h: 215 };
      const graph = narrow ? { x: 44, y: 606, w: 300, h: 190 } : { x: 540, y: 205, w: 365, h: 215 };
      const write = (x, y, words, more = {}) =>
        make(svg, "text", { x, y, "font-size": text, "text-anchor": "middle", ...more }, words);
      const draw = (tag, more) => make(svg, tag, { fill: "none", stroke: "currentColor", ...more });
      let speed, pairs, shown = "";

      // Clocks: a hand of p, thin with a full tip, above one of q, thick with an open tip.
      const clocks = range(SHOWN).map(k => {
        const x = slot * (k % across + 0.5), y = 46 + radius + high * Math.floor(k / across);
        const group = make(svg, "g", { transform: `translate(${x} ${y})`, "font-size": text, "text-anchor": "middle" });
        make(group, "circle", { r: radius, fill: "currentColor", "fill-opacity": 0.05, stroke: "currentColor", "stroke-width": 1.5 });
        const hand = (name, thick) => { // moved by its ends: to turn it would make a browser sort a long page's layers anew
          const stroke = { stroke: of[name], "stroke-linecap": "round" };
          const arm = make(group, "line", { ...stroke, "stroke-width": thick });
          const tip = make(group, "circle", { ...stroke, r: 7, "stroke-width": 3, fill: name === "p" ? of.p : colours.white });
          return angle => {
            const x = (0.8 * radius * Math.sin(angle)).toFixed(2), y = (-0.8 * radius * Math.cos(angle)).toFixed(2);
            kit.put(arm, { x2: x, y2: y });
            kit.put(tip, { cx: x, cy: y });
          };
        };
        const q = hand("q", 6), p = hand("p", 2.5);
        const lines = [-radius - 26, -radius - 9].map(y => make(group, "text", { y }));
        const angle = name => model.get(name) * speed[pairs[k]];
        const pad = stage.pad([x - radius, y - radius, 2 * radius, 2 * radius], {
          grab(px, py) { // the hand that points nearer to the pointer, turned by as much as the pointer turns
            const turned = (px, py) => Math.atan2(px - x, y - py);
            const off = name => Math.abs(Math.sin((turned(px, py) - angle(name)) / 2));
            const name = off("q") < off("p") - 1e-9 ? "q" : "p";
            let place = model.get(name), before = turned(px, py);
            return (px, py) => {
              const now = turned(px, py), step = now - before;
              place += (step - 2 * Math.PI * Math.round(step / (2 * Math.PI))) / speed[pairs[k]];
              place = Math.min(TOP, Math.max(0, place));
              before = now;
              stage.set({ [name]: place });
            };
          }, touch: "pan-y",
          hover: () => `hand ${pairs[k]}: p ${degrees(angle("p"))}°, q ${degrees(angle("q"))}°`,
        });
        return { group, p, q, lines, pad };
      });

      // The table, a row a position, and the two rows that are compared.
      const canvas = stage.canvas(table.x, table.y, table.w, table.h);
      canvas.style.imageRendering = "pixelated";
      draw("rect", { x: table.x, y: table.y, width: table.w, height: table.h });
      for (const tick of [0, 32, 64, 96, TOP]) write(table.x - 6, rowY(tick) + 5, tick, { "text-anchor": "end" });
      write(table.x, table.y - 10, "position (token)", { "text-anchor": narrow ? "start" : "middle" });
      const ticks = range(SHOWN).map(() => write(0, table.y + table.h + 18, "")), under = table.y + table.h + 38;
      write(table.x + table.w / 2, under, "the pairs i of the hands above");
      const rows = Object.fromEntries(["q", "p"].map(name => {
        const group = make(svg, "g", { "text-anchor": "middle", "font-size": 15 });
        const end = table.x + table.w, knob = end + (name === "p" ? 40 : 14); // side by side, so that none covers the other
        const line = (x, stroke, width) => make(group, "line", { x1: table.x, x2: x, stroke, "stroke-width": width });
        const lines = [line(end, colours.white, name === "p" ? 5 : 7), line(knob, of[name], name === "p" ? 2 : 4)];
        const circle = make(group, "circle",
          { cx: knob, r: 12, stroke: of[name], fill: name === "p" ? of.p : colours.white, "stroke-width": 3 });
        const letter = make(group, "text", { x: knob, style: `fill: ${name === "p" ? colours.white : colours.black}` }, name);
        return [name, y => {
          lines.forEach(line => kit.put(line, { y1: y, y2: y }));
          kit.put(circle, { cy: y });
          kit.put(letter, { y: y + 5 });
        }];
      }));
      function rowY(place) { return table.y + ((place + 0.5) * table.h) / (TOP + 1); }
      const row = y => Math.floor(((y - table.y) * (TOP + 1)) / table.h);
      stage.pad([table.x, table.y - 14, table.w + 54, table.h + 28], {
        grab(x, y) {
          const off = name => Math.abs(rowY(model.get(name)) - y);
          const name = off("q") < off("p") ? "q" : "p";
          return (x, y) => stage.set({ [name]: row(y) });
        },
        hover(x, y) {
          const place = row(y), column = Math.floor(((x - table.x) * 2 * speed.length) / table.w);
          if (place < 0 || place > TOP || column < 0 || column >= 2 * speed.length) return "";
          return `position ${place}, column ${column}: ${code(place, column).toFixed(2)}`;
        },
      });
      const code = (place, column) => (column % 2 ? Math.cos : Math.sin)(place * speed[column >> 1]);

      // The dot product against p - q.
      const curveX = apart => graph.x + ((apart + TOP) * graph.w) / (2 * TOP);
      const curveY = value => graph.y + ((1.1 - value) * graph.h) / 1.85;
      draw("path", { d: `M${graph.x} ${graph.y}v${graph.h}h${graph.w}M${graph.x} ${curveY(0)}h${graph.w}`, "stroke-opacity": 0.5 });
      for (const tick of [-100, -50, 0, 50, 100]) write(curveX(tick), graph.y + graph.h + 18, kit.minus(tick));
      for (const tick of [-0.5, 0, 0.5, 1]) {
        write(graph.x - 6, curveY(tick) + 5, kit.minus(tick), { "text-anchor": "end" });
      }
      write(graph.x + graph.w / 2, graph.y + graph.h + 38, "p − q (tokens)");
      write(graph.x + graph.w / 2, graph.y - 10, "dot product / (d/2)");
      const curve = draw("path", { style: `stroke: ${of.p}`, "stroke-width": 2 });
      const dot = draw("circle", { r: 8, fill: "currentColor" });
      const apartAt = x => Math.round(((x - graph.x) * 2 * TOP) / graph.w) - TOP;
      stage.pad([graph.x - 14, graph.y - 4, graph.w + 28, graph.h + 8], {
        grab: () => x => { // p goes where q leaves it room, then q gives way
          const apart = Math.min(TOP, Math.max(-TOP, apartAt(x)));
          const p = Math.min(TOP, Math.max(0, model.get("q") + apart));
          stage.set({ p, q: p - apart });
        },
        touch: "pan-y",
        hover: x => (Math.abs(apartAt(x)) > TOP ? "" : `p − q = ${apartAt(x)}: ${product(apartAt(x), speed).toFixed(2)}`),
      });

      function another(width, base) { // what only another width or base changes
        speed = speeds(width, base);
        const count = Math.min(SHOWN, speed.length);
        pairs = range(count).map(k => Math.round((k * (speed.length - 1)) / (count - 1)));
        clocks.forEach(({ group, lines, pad }, k) => {
          group.style.display = pad.style.display = ticks[k].style.display = k < count ? "" : "none";
          if (k >= count) return;
          lines[0].textContent = `i = ${pairs[k]}`;
          lines[1].textContent = `${Math.round((2 * Math.PI) / speed[pairs[k]]).toLocaleString("en")} tokens`;
          ticks[k].textContent = pairs[k];
          ticks[k].setAttribute("x", table.x + ((pairs[k] + 0.5) * table.w) / speed.length);
        });
        Object.assign(canvas, { width, height: TOP + 1 });
        const paint = canvas.getContext("2d");
        for (const place of range(TOP + 1)) for (const column of range(width)) {
          paint.fillStyle = kit.shade(colours.signed, code(place, column));
          paint.fillRect(column, place, 1, 1);
        }
        curve.setAttribute("d", "M" + range(2 * TOP + 1).map(k =>
          `${curveX(k - TOP).toFixed(1)} ${curveY(product(k - TOP, speed)).toFixed(1)}`).join("L"));
      }

      return ({ p, q, width, base }) => {
        if (shown !== `${width} ${base}`) another(width, base);
        shown = `${width} ${base}`;
        pairs.forEach((pair, k) => {
          clocks[k].p(p * speed[pair]);
          clocks[k].q(q * speed[pair]);
        });
        rows.p(rowY(p));
        rows.q(rowY(q));
        kit.put(dot, { cx: curveX(p - q), cy: curveY(product(p - q, speed)) });
      };
    }

    return kit.show({ model, el, build, sentence, bar, label: "Clocks of two positions" });
  },
};
