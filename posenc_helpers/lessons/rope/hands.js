// Two hands, q and k, in every pair of notebook 06, and their score by distance. Drag q, k, both, or the point on the curve.
const FAR = 64; // the curve goes from -FAR to FAR tokens

const range = (from, to) => Array.from({ length: to - from + 1 }, (_, k) => from + k);
const turns = angle => angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI)); // the same direction, between -π and π
const comma = number => Math.round(number).toLocaleString("en");
const some = degrees => `${degrees.toFixed(degrees < 1 ? 2 : 0)}°`;

// What stays where q and k move: speeds (radians a token), first angles of q and k, the curve, its highest place.
function prepare([head_width, base, content, wanted], first, [same, unrelated]) {
  const speed = range(0, head_width / 2 - 1).map(i => base ** ((-2 * i) / head_width));
  const pair = Math.min(wanted, speed.length - 1);
  const q = speed.map((_, i) => first.q[i]);
  const k = content === same ? q : content === unrelated ? first.k : q.map((angle, i) => angle + 20 * speed[i]);
  const wave = i => apart => Math.cos(k[i] - q[i] + apart * speed[i]); // what pair i gives to the score
  const score = apart => speed.reduce((sum, _, i) => sum + wave(i)(apart), 0) / speed.length;
  const curve = range(-FAR, FAR).map(score), share = range(-FAR, FAR).map(wave(pair));
  return { pair, speed, q, k, score, curve, share, best: curve.indexOf(Math.max(...curve)) - FAR };
}

export default {
  render({ model, el }) {
    const colours = model.get("colours"), controls = model.get("controls"), { make, minus } = kit;
    const of = { q: colours.vermilion, k: colours.blue }, place = { q: "m", k: "n" };
    const last = controls.m.max, whole = controls.move_both.max; // q and k stand on 0 to last, moved on by 0 to whole
    const within = at => Math.min(last, Math.max(0, at));
    let known = {}, pairs; // what stays where q and k move; the slider of the pair
    function facts({ head_width, base, content, pair }) {
      const asked = [head_width, base, content, pair], name = `${asked}`;
      if (known.name !== name) known = { name, ...prepare(asked, model.get("first"), controls.content.values) };
      return known;
    }
    const circle = i => comma((2 * Math.PI) / known.speed[i]);
    function sentence(values) {
      const { m, n, move_both: both, content } = values, { pair, speed, score, curve, best } = facts(values);
      const turned = ((Math.abs(n - m) * speed[pair] * 180) / Math.PI) % 360;
      const still = both ? `, unchanged by moving both by ${comma(both)}` : "";
      return `Clock hands in ${speed.length} pairs, and the score by distance, ${content}: q at ${comma(m + both)}, `
        + `k at ${comma(n + both)}, score ${score(n - m).toFixed(2)} of the largest${still}; `
        + `highest, ${curve[best + FAR].toFixed(2)}, at n - m = ${best}. In pair ${pair} (circle in ${circle(pair)} tokens) `
        + `k has turned ${turned.toFixed(0)} degrees ${n < m ? "less" : "more"} than q.`;
    }

    function bar(add) {
      const moved = value => comma(value + model.get("move_both"));
      add.value("m", "q: m =", of.q, moved);
      add.value("n", "k: n =", of.k, moved);
      add.value("move_both", "move both by", undefined, comma);
      pairs = add.value("pair", "pair", undefined, value => `${Math.min(value, model.get("head_width") / 2 - 1)}`); // as drawn
      add.play("m");
      add.choice("content", "content");
      add.choice("base", "base");
      add.choice("head_width", "head width");
    }

    function build(stage, narrow) {
      const svg = narrow ? stage.size(360, 1010) : stage.size(920, 470);
      svg.setAttribute("font-size", narrow ? 14 : 15);
      const radius = narrow ? 44 : 60, slot = narrow ? 120 : 190;
      const cell = narrow ? 58 : 40, across = narrow ? 6 : 8, grid = narrow ? { x: 6, y: 656 } : { x: 596, y: 34 };
      const line = narrow ? { x: 34, y: 238, w: 292 } : { x: 50, y: 256, w: 300 };
      const lens = narrow ? { x: 22, y: 332, w: 316 } : { x: 430, y: 256, w: 460 };
      const graph = narrow ? { x: 36, y: 420, w: 308, h: 160 } : { x: 50, y: 328, w: 856, h: 100 };
      const write = (x, y, said, more) => make(svg, "text", { x, y, "text-anchor": "middle", ...more }, said);
      const draw = (tag, more, into = svg) => make(into, tag, { fill: "none", stroke: "currentColor", ...more });
      const start = { "text-anchor": "start" }, end = { "text-anchor": "end" };
      const turn = angle => `rotate(${((-angle * 180) / Math.PI) % 360})`; // anticlockwise from the right

      function knob(name) { // what is taken hold of: q a ring, k full
        const made = make(svg, "g", { "text-anchor": "middle" });
        make(made, "circle", { r: narrow ? 9 : 11, fill: name === "q" ? colours.white : of.k, stroke: of[name], "stroke-width": 3 });
        make(made, "text", { y: 5, style: `fill: ${name === "q" ? colours.black : colours.white}` }, name);
        return made;
      }
      function clock(x, y, r, thick, reach) { // q's hand is longer and thicker, so that both show where they agree
        const made = make(svg, "g", { transform: `translate(${x} ${y})` });
        const face = draw("circle", { r, fill: "currentColor", "fill-opacity": 0.05 }, made);
        const hand = (name, more) => draw("line", { x2: r * reach[name], style: `stroke: ${of[name]}`, ...more }, made);
        return { made, face, hand, q: hand("q", { "stroke-width": thick }), k: hand("k", { "stroke-width": thick * 0.6 }) };
      }

      const large = [0, 1, 2].map(column => {
        const x = slot * (column + 0.5), y = 50 + radius, reach = { q: 1, k: 0.6 };
        const one = clock(x, y, radius, 5, reach), dots = { "stroke-width": 1.5, "stroke-dasharray": "2 4" };
        const before = { q: one.hand("q", dots), k: one.hand("k", dots) };
        const arc = draw("path", { "stroke-width": 1.5 }, one.made), knobs = { q: knob("q"), k: knob("k") };
        const words = [y - radius - 34, y - radius - 17, y + radius + 28].map(y => write(x, y, ""));
        const tip = (name, angle) => [x + radius * reach[name] * Math.cos(angle), y - radius * reach[name] * Math.sin(angle)];
        const self = { pair: 0, q: 0, k: 0 }; // where the hands point now
        stage.pad([x - radius - 12, y - radius - 12, 2 * radius + 24, 2 * radius + 24], {
          grab(px, py) { // the hand whose knob is nearer, turned by as much as the pointer turns
            const off = name => Math.hypot(px - tip(name, self[name])[0], py - tip(name, self[name])[1]);
            const name = off("k") < off("q") ? "k" : "q", turned = (px, py) => Math.atan2(y - py, px - x);
            let here = model.get(place[name]), before = turned(px, py);
            return (px, py) => {
              const by = turns(turned(px, py) - before);
              [before, here] = [before + by, within(here + by / known.speed[self.pair])];
              stage.set({ [place[name]]: here });
            };
          }, touch: "pan-y",
          hover: () => `pair ${self.pair}: ${some((known.speed[self.pair] * 180) / Math.PI)} a token`,
        });
        return (i, angles, first) => {
          Object.assign(self, { pair: i }, angles);
          for (const name of ["q", "k"]) {
            one[name].setAttribute("transform", turn(angles[name]));
            before[name].setAttribute("transform", turn(first[name]));
            knobs[name].setAttribute("transform", `translate(${tip(name, angles[name])})`);
          }
          const apart = turns(angles.k - angles.q), r = radius * 0.34;
          const rim = angle => `${r * Math.cos(angle)} ${-r * Math.sin(angle)}`;
          arc.setAttribute("d", `M${rim(angles.q)}A${r} ${r} 0 0 ${apart > 0 ? 0 : 1} ${rim(angles.k)}`);
          words[0].textContent = `pair ${i}`;
          words[1].textContent = `${narrow ? "" : "circle in "}${circle(i)} tokens`;
          words[2].textContent = `${some(Math.abs((apart * 180) / Math.PI))}, cosine ${minus(Math.cos(apart).toFixed(2))}`;
        };
      });
      const title = write(grid.x, grid.y - 14, "", start), rows = Math.ceil((controls.pair.max + 1) / across);
      const small = range(0, controls.pair.max).map(i => clock(grid.x + cell * ((i % across) + 0.5),
        grid.y + cell * (Math.floor(i / across) + 0.5), cell * 0.4, 3, { q: 1, k: 0.6 }));
      const under = (x, y) => Math.floor(y / cell) * across + Math.floor(x / cell); // the pair at x, y in the grid
      stage.pad([grid.x, grid.y, cell * across, cell * rows], {
        touch: "pan-y",
        hover: (x, y, i = under(x - grid.x, y - grid.y)) => (known.speed[i] ? `pair ${i}: circle in ${circle(i)} tokens` : ""),
      }).addEventListener("click", ({ offsetX, offsetY, target }) => { // not where a finger only scrolls past
        const scale = (cell * across) / target.offsetWidth, pair = under(offsetX * scale, offsetY * scale);
        if (known.speed[pair]) stage.set({ pair });
      });
      // The line of all positions, along which both move, and the part of it where they are, in which each moves.
      const lineX = at => line.x + (at * line.w) / (whole + last), lensX = at => lens.x + (at * lens.w) / last;
      draw("path", { d: `M${line.x} ${line.y}h${line.w}M${lens.x} ${lens.y}h${lens.w}`, "stroke-opacity": 0.5 });
      for (const at of [0, 1000, 2000, 3000, whole + last]) write(lineX(at), line.y + 20, comma(at));
      write(line.x + line.w, line.y - 32, "move both", end);
      const both = make(svg, "g", { "text-anchor": "middle", "font-size": 15 });
      draw("path", { d: "M0 0l-7 -7h-21v-22h56v22h-21z", "stroke-width": 2, fill: "currentColor", "fill-opacity": 0.1 }, both);
      make(both, "text", { y: -13 }, "q, k");
      stage.pad([line.x - 30, line.y - 36, line.w + 60, 60], {
        grab(x) {
          const knob = lineX(model.get("move_both")), held = Math.abs(x - knob) < 30 ? x - knob : 0;
          return x => stage.set({ move_both: ((x - held - line.x) * (whole + last)) / line.w });
        }, touch: "pan-y",
      });
      write(lens.x + lens.w, lens.y - 32, "move q or k", end);
      const ticks = [0, 20, 40, last].map(at => [write(lensX(at), lens.y + 42, ""), at]);
      const between = draw("path", { "stroke-width": 5 }), stand = { q: knob("q"), k: knob("k") }; // above, below the line
      const lensAt = x => within(Math.round(((x - lens.x) * last) / lens.w));
      stage.pad([lens.x - 20, lens.y - 48, lens.w + 40, 96], {
        touch: "pan-y", grab: (_, y) => x => stage.set({ [place[y < lens.y ? "q" : "k"]]: lensAt(x) }),
        hover: x => `position ${comma(lensAt(x) + model.get("move_both"))}`,
      });

      const curveX = apart => graph.x + ((apart + FAR) * graph.w) / (2 * FAR);
      const curveY = value => graph.y + ((1.1 - value) * graph.h) / 2.2;
      draw("path", { d: `M${graph.x} ${graph.y}v${graph.h}h${graph.w}m0 ${-graph.h / 2}h${-graph.w}`, "stroke-opacity": 0.5 });
      for (const tick of [-60, -40, -20, 0, 20, 40, 60]) write(curveX(tick), graph.y + graph.h + 18, minus(tick));
      for (const tick of [-1, 0, 1]) write(graph.x - 6, curveY(tick) + 5, minus(tick), end);
      write(graph.x + graph.w / 2, graph.y + graph.h + 38, "n − m (tokens)");
      const number = write(graph.x, graph.y - 8, "", start), dashed = write(graph.x + graph.w, graph.y - 8, "", end);
      const dashes = draw("path", { "stroke-dasharray": "6 4", "stroke-opacity": 0.6 });
      const curve = draw("path", { "stroke-width": 2.5 });
      const dot = draw("circle", { r: 9, fill: "currentColor" });
      const apartAt = x => Math.min(last, Math.max(-last, Math.round(((x - graph.x) * 2 * FAR) / graph.w) - FAR));
      stage.pad([graph.x - 14, graph.y - 4, graph.w + 28, graph.h + 8], {
        grab: () => x => { // n goes where m leaves it room, then m gives way
          const apart = apartAt(x), n = within(model.get("m") + apart);
          stage.set({ n, m: n - apart });
        }, touch: "pan-y",
        hover: x => `n − m = ${minus(apartAt(x))}: score ${minus(known.curve[apartAt(x) + FAR].toFixed(2))}`,
      });
      const path = values => `M${values.map((value, k) => [curveX(k - FAR).toFixed(1), curveY(value).toFixed(1)]).join("L")}`;
      let drawn;
      return values => {
        const { pair, speed, q, k, score } = facts(values), { m, n, move_both } = values;
        const angles = i => ({ q: q[i] + (m + move_both) * speed[i], k: k[i] + (n + move_both) * speed[i] });
        [0, pair, speed.length - 1].forEach((i, column) => large[column](i, angles(i), { q: q[i], k: k[i] }));
        small.forEach(({ made, face, ...hands }, i) => {
          if ((made.style.display = i < speed.length ? "" : "none")) return;
          face.setAttribute("stroke-width", i === pair ? 3.5 : 1);
          for (const name of ["q", "k"]) hands[name].setAttribute("transform", turn(angles(i)[name]));
        });
        both.setAttribute("transform", `translate(${lineX(move_both)} ${line.y})`);
        stand.q.setAttribute("transform", `translate(${lensX(m)} ${lens.y - 16})`);
        stand.k.setAttribute("transform", `translate(${lensX(n)} ${lens.y + 16})`);
        between.setAttribute("d", `M${lensX(m)} ${lens.y}H${lensX(n)}`);
        for (const [tick, at] of ticks) tick.textContent = comma(at + move_both);
        number.textContent = `n − m = ${minus(n - m)}: score ${minus(score(n - m).toFixed(2))}`;
        dot.setAttribute("transform", `translate(${curveX(n - m)} ${curveY(score(n - m))})`);
        if (drawn === known) return; // where q and k stand changes nothing of the curve
        drawn = known;
        pairs.max = speed.length - 1;
        title.textContent = `all ${speed.length} pairs: click one`;
        dashed.textContent = `dashed: pair ${pair}`;
        curve.setAttribute("d", path(known.curve));
        dashes.setAttribute("d", path(known.share));
      };
    }

    return kit.show({ model, el, build, sentence, bar, label: "Two hands" });
  },
};
