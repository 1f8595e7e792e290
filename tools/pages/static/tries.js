// A task that names a state of an explorer: a button that sets it, as its address would, and brings the picture into view.
for (const words of document.querySelectorAll(".try")) {
  const button = Object.assign(document.createElement("button"), { type: "button", className: "try", title: words.title });
  const at = words.dataset.at, box = document.getElementById("at-" + new URLSearchParams(at).get("at"));
  button.append(...words.childNodes);
  words.replaceWith(button);
  button.addEventListener("click", () => {
    const [left, top] = [scrollX, scrollY];
    history.replaceState(null, "", "#" + at);
    dispatchEvent(new HashChangeEvent("hashchange")); // folds open, the explorer follows its address, to the window's top
    scrollTo(left, top); // only as far as it must: the tasks stay in view beside the picture where there is room
    for (const part of [box, box.querySelector("[role=status]"), box.querySelector("img, svg, canvas")])
      part?.scrollIntoView({ block: "nearest" });
  });
}
