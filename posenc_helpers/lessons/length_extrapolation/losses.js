// Stored losses of seven models against position: drag the position, look at one curve, switch models on and off.
// Losses are means over blocks of positions, [seed][block]; where a seed breaks was found position by position.
export default {
  render({ model, el }) {
    const { make } = kit, colours = model.get("colours").methods, given = model.get("losses");
    const { models, blocks, trained, low, high, mean: MEAN, at: AT } = given, far = blocks.at(-1)[1];
    const two = value => (value + 1e-9).toFixed(2); // a tie goes the way that it goes in Python
    const blockOf = position => blocks.findIndex(([, stop]) => position <= stop);
    const on = values => models.map((_, k) => k).filter(k => values[models[k].key]);
    const stored = ({ losses }, seed, block) =>
      seed === MEAN ? losses.reduce((sum, one) => sum + one[block], 0) / losses.length : losses[seed][block];
    const value = (k, seed, loss, position) => { // of the block, or of all up to the position
      const here = blockOf(position), now = stored(models[k], seed, here);
      const before = blocks.slice(0, here).reduce((sum, [a, b], n) => sum + (b - a) * stored(models[k], seed, n), 0);
      return loss === AT ? now : (before + now * (position - blocks[here][0])) / position;
    };
    const middle = block => (blocks[block][0] + blocks[block][1] + 1) / 2;
    const corners = (k, seed, loss) => blocks.map(([, stop], n) => [loss === AT ? middle(n) : stop, value(k, seed, loss, stop)]);
    const heightAt = (line, position) => { // on a line of corners, as it is drawn
      const found = line.findIndex(([p]) => p >= position), to = found < 0 ? line.length - 1 : Math.max(1, found);
      const [[p, a], [q, b]] = [line[to - 1], line[to]];
      return a + (b - a) * Math.min(1, Math.max(0, (position - p) / (q - p)));
    };
    const broke = (k, { seed, loss, by }) => models[k].breaks[loss][by].map((at, one) => [at, one])
      .filter(([at, one]) => at !== null && (seed === MEAN || one === seed)).sort((a, b) => a[0] - b[0]);

    function sentence(values) {
      const { position, loss, seed, by } = values, seeds = seed === MEAN ? models[0].losses.length : 1;
      const now = on(values).map(k => `${models[k].name} ${two(value(k, seed, loss, position))}`);
      const broken = on(values).flatMap(k => {
        const at = broke(k, values).map(([place]) => place), last = at.at(-1) > at[0] ? ` to ${at.at(-1)}` : "";
        const some = at.length < seeds ? ` (${at.length} of ${seeds} seeds)` : "";
        return at.length ? [`${models[k].name} at ${at[0]}${last}${some}`] : [];
      });
      return `${loss === AT ? "Loss at position" : "Mean loss up to position"} ${position} ` +
        `(${seed === MEAN ? seed : `seed ${seed}`}): ${now.join(", ") || "no model is on"}. ` +
        `Breaks by ${by} nats: ${broken.join(", ") || "none"}.`;
    }

    function bar(add) {
      add.value("position", "position");
      add.choice("loss", "loss");
      add.choice("seed", "seed");
      add.choice("by", "breaks by (nats)");
      for (const { key, name, colour, dash } of models) {
        add.check(key, name);
        const look = `width: 24px; border-top: 4px ${dash ? "dashed" : "solid"} ${colours[colour]}`;
        el.querySelector(`[data-name=${key}]`).after(make(el, "i", { style: look }));
      }
    }

    function spread(heights, gap, lowest) { // of labels, moved as little as keeps them apart and off the floor
      const order = heights.map((_, k) => k).sort((a, b) => heights[a] - heights[b]), placed = [...heights];
      order.forEach((k, n) => { placed[k] = Math.max(placed[k], n ? placed[order[n - 1]] + gap : 0); });
      order.reverse().forEach((k, n) => { placed[k] = Math.min(placed[k], n ? placed[order[n - 1]] - gap : lowest); });
      return placed;
    }

    function build(stage, narrow) {
      const [W, H, left, right, top, size] = narrow ? [300, 320, 28, 78, 26, 12] : [900, 430, 48, 120, 32, 15];
      const svg = stage.size(W, H), wide = W - left - right, floor = H - 3 * size, tall = floor - top, gap = size + 3;
      const x = position => left + (wide * Math.log(position)) / Math.log(far);
      const y = loss => top + (tall * (high - loss)) / (high - low);
      const positionAt = px => Math.round(Math.min(far, Math.max(1, far ** ((px - left) / wide))));
      const path = line => line.map(([p, a], k) => `${k ? "L" : "M"}${x(p).toFixed(1)} ${y(a).toFixed(1)}`).join("");
      const put = (part, px, py) => part.setAttribute("transform", `translate(${px.toFixed(1)} ${py.toFixed(1)})`);
      const see = (part, shown) => part.setAttribute("visibility", shown ? "visible" : "hidden");
      const line = (x1, x2, y1, y2, more) => make(svg, "line", { x1, x2, y1, y2, stroke: "currentColor", ...more });
      const text = (words, px, py, more) => make(svg, "text", { x: px, y: py, "font-size": size, ...more }, words);
      const halo = { dy: "0.35em", stroke: "Canvas", "stroke-width": 4, "stroke-opacity": 0.8, "paint-order": "stroke" };
      for (let p = 1; p <= far; p *= narrow ? 4 : 2) text(p, x(p), floor + size + 6, { "text-anchor": "middle" });
      for (let loss = 1.5; loss <= high; loss += 0.5) {
        line(left, W - right, y(loss), y(loss), { "stroke-opacity": 0.15 });
        text(loss.toFixed(1), left - 6, y(loss), { "text-anchor": "end", dy: "0.35em" });
      }
      line(left, W - right, floor, floor, { "stroke-opacity": 0.4 });
      text("position (characters read)", left + wide / 2, H - 4, { "text-anchor": "middle" });
      text("loss (nats a character)", 2, size - 2);
      line(x(trained), x(trained), top, floor, { "stroke-dasharray": "2 4" });
      text(`trained on ${trained}`, x(trained) - 6, top + size, { "text-anchor": "end" });
      const level = line(x(trained), W - right, 0, 0, { "stroke-dasharray": "3 3" });
      const each = (tag, more) => models.map(({ colour, dash }) => make(svg, tag, more(colours[colour], dash)));
      const single = make(svg, "path", { fill: "none", "stroke-opacity": 0.45 });
      const curves = each("path", (stroke, dash) => ({ fill: "none", stroke, "stroke-dasharray": dash }));
      const ring = stroke => ({ r: narrow ? 4 : 5, fill: "Canvas", stroke, "stroke-width": 2 });
      const circles = models[0].losses.map(() => each("circle", ring));
      const ends = models.map(({ name }) => text(name, 8, 0, halo)), rule = make(svg, "g");
      make(rule, "line", { y1: top, y2: floor, stroke: "currentColor" });
      make(rule, "circle", { cy: floor, r: 8, fill: "currentColor" });
      const dots = each("circle", fill => ({ r: 4.5, fill })), said = models.map(() => text("", 0, 0, halo));
      const where = narrow ? "append" : "prepend"; // on a phone the picture comes before the controls
      el.querySelector(".kit")[where](el.querySelector(".kit-bar"));

      let rest, near = -1, drawn = [], marks = [], dragged = false;
      const nearest = (all, away, most) => all.filter(one => away(one) < most).sort((a, b) => away(a) - away(b))[0];
      const look = k => { if (k !== near) { near = k; stage.set({}); } };
      function hover(px, py) { // the nearest circle, else the nearest curve
        if (dragged) return look(-1);
        const { seed, loss, ...values } = stage.read(), position = positionAt(px);
        const away = k => Math.abs(y(heightAt(drawn[k], position)) - py);
        const mark = nearest(marks, ([, , , mx, my]) => Math.hypot(px - mx, py - my), 8);
        const k = mark?.[0] ?? nearest(on(values), away, 16) ?? -1;
        look(k);
        if (mark) return `${models[k].name} breaks at ${mark[1]} (seed ${mark[2]})`;
        if (k < 0) return;
        const [start, stop] = blocks[blockOf(position)], all = models[k].losses.map((_, n) => value(k, n, loss, position));
        const range = seed === MEAN ? `; seeds ${two(Math.min(...all))} to ${two(Math.max(...all))}` : "";
        const place = loss !== AT ? `up to ${position}` : `at ${stop - start > 1 ? `${start + 1} to ` : ""}${stop}`;
        return `${models[k].name} ${two(value(k, seed, loss, position))} ${place}${range}`;
      }
      const grab = (from, height) => {
        hover(from, height); // a tap, too, is looked at
        stage.set({ position: positionAt(from) });
        return px => {
          dragged ||= positionAt(px) !== positionAt(from);
          stage.set({ position: positionAt(px) });
        };
      };
      const pad = stage.pad([left - 10, top - 6, wide + 20, tall + 24], { grab, hover, touch: "pan-y" });
      pad.addEventListener("pointerup", () => { dragged = false; });
      pad.addEventListener("pointercancel", () => { dragged = false; look(-1); }); // the finger only scrolls
      pad.addEventListener("pointerleave", ({ pointerType }) => pointerType === "mouse" && look(-1)); // a tap stays
      function redraw(values, shown) { // all that the position does not move
        const { seed, loss, by } = values;
        drawn = models.map((_, k) => corners(k, seed, loss));
        marks = shown.flatMap(k => broke(k, values).map(([at, one]) => [k, at, one, x(at), y(heightAt(drawn[k], at))]));
        const heights = spread(shown.map(k => y(drawn[k].at(-1)[1])), gap, floor);
        models.forEach((_, k) => {
          const place = shown.indexOf(k), here = marks.filter(mark => mark[0] === k);
          curves[k].setAttribute("d", path(drawn[k]));
          [curves[k], ends[k], dots[k], said[k]].forEach(part => see(part, place >= 0));
          circles.forEach((ring, n) => { see(ring[k], here[n]); if (here[n]) put(ring[k], here[n][3], here[n][4]); });
          if (place >= 0) put(ends[k], W - right, heights[place]);
        });
        const one = shown.includes(near); // a curve is looked at: the others step back; its seeds, its threshold
        curves.forEach((curve, k) => {
          curve.setAttribute("stroke-width", one && k === near ? 4 : 2.5);
          const parts = [curve, ends[k], said[k], ...circles.map(ring => ring[k])];
          parts.forEach(part => part.setAttribute("opacity", one && k !== near ? 0.3 : 1));
        });
        [level, single].forEach(part => see(part, one));
        if (!one) return;
        put(level, 0, y(value(near, seed, "mean", trained) + by));
        single.setAttribute("stroke", colours[models[near].colour]);
        const seeds = seed === MEAN ? models[near].losses.map((_, n) => path(corners(near, n, loss))) : [];
        single.setAttribute("d", seeds.join(""));
      }
      return values => {
        const { position, ...others } = values, { seed, loss } = others, shown = on(values), px = x(position);
        if (rest !== (rest = JSON.stringify([others, near]))) redraw(values, shown);
        const now = shown.map(k => value(k, seed, loss, position)), heights = spread(now.map(y), gap, floor - 8);
        const before = px > left + wide * 0.7, anchor = before ? "end" : "start"; // of the words, beside the line
        put(rule, px, 0);
        shown.forEach((k, n) => {
          put(dots[k], loss === AT ? x(middle(blockOf(position))) : px, y(now[n])); // on the curve
          said[k].textContent = narrow ? two(now[n]) : `${models[k].name} ${two(now[n])}`;
          said[k].setAttribute("text-anchor", anchor);
          put(said[k], px + (before ? -12 : 12), heights[n]);
        });
      };
    }
    return kit.show({ model, el, build, sentence, bar, label: "Loss of seven models against position" });
  },
};
