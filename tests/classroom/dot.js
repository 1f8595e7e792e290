// The smallest picture that one plays with: a dot on a line, and how a name is written.
export default {
  render({ model, el }) {
    const colours = model.get("colours");
    const sentence = ({ place, size, ticked }) => `A dot at ${place} of 10, ${size}${ticked ? ", ticked" : ""}.`;
    const bar = add => {
      add.value("place", "place", colours.blue);
      add.choice("size", "size");
      add.check("ticked", "ticked");
    };
    function build(stage, narrow) {
      const svg = stage.size(narrow ? 320 : 640, 80);
      const x = place => 30 + (place * (stage.width - 60)) / 10;
      kit.make(svg, "line", { x1: x(0), x2: x(10), y1: 40, y2: 40, stroke: "currentColor" });
      const dot = kit.make(svg, "circle", { cy: 40, fill: colours.blue });
      stage.pad([0, 0, stage.width, 80], {
        grab: () => px => stage.set({ place: ((px - 30) * 10) / (stage.width - 60) }),
        hover: px => `${((px - 30) * 10 / (stage.width - 60)).toFixed(1)}`,
      });
      return ({ place, size }) => {
        dot.setAttribute("cx", x(place));
        dot.setAttribute("r", size === "large" ? 16 : 8);
      };
    }
    return kit.show({ model, el, build, sentence, bar, label: "A dot on a line" });
  },
};
