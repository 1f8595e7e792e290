// A task that names a state of an explorer: a button that sets it, as its address would, and brings the picture into view.
// A link beside the picture leads back to the task, and is gone then.
const HEADER = 64; // pixels that the bar of a phone may take
const back = Object.assign(document.createElement("a"), { className: "back", textContent: "back to the task" });
let task, place; // the button that was pressed, and where it stood in the window
back.addEventListener("click", event => {
  event.preventDefault();
  back.remove();
  task.focus({ preventScroll: true });
  scrollBy(0, task.getBoundingClientRect().top - place);
});
for (const words of document.querySelectorAll(".try")) {
  const button = Object.assign(document.createElement("button"), { type: "button", className: "try", title: words.title });
  const at = words.dataset.at, box = document.getElementById("at-" + new URLSearchParams(at).get("at"));
  button.append(...words.childNodes);
  words.replaceWith(button);
  const fits = part => part.getBoundingClientRect().height <= innerHeight - HEADER - (part.contains(back) ? 0 : back.offsetHeight);
  const show = () => { // only as far as it must: the tasks stay in view beside the picture where there is room
    const kit = box.querySelector(".kit") ?? box, says = kit.querySelector("[role=status]");
    for (const part of fits(kit) ? [kit] : [says, kit.querySelector("img, svg"), back]) // else the picture, with its sentence if it can
      part?.scrollIntoView({ block: fits(part) ? "nearest" : "start" });
  };
  button.addEventListener("click", () => {
    const [left, top] = [scrollX, scrollY];
    [task, place] = [button, button.getBoundingClientRect().top];
    back.href = `#${button.closest("section").id}`;
    box.querySelector(".kit-stage, .frame, .still").before(back);
    history.replaceState(history.state, "", "#" + at);
    dispatchEvent(new HashChangeEvent("hashchange")); // folds open, the explorer follows its address, to the window's top
    scrollTo(left, top);
    show();
    requestAnimationFrame(show); // again, when the sentence has its lines
  });
}
