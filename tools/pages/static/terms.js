// A word of the glossary says what it means while it is pointed at or has the focus; Escape closes. Without this
// script it is a link. On a touch screen the first tap explains, the second follows the link.
"use strict";
{
  const tip = Object.assign(document.createElement("div"), { id: "means", className: "means", role: "tooltip", hidden: true });
  let shown = null, closing, wasShown;

  function show(link) {
    clearTimeout(closing);
    if (shown === link) return;
    hide();
    shown = link;
    tip.textContent = link.dataset.means;
    tip.hidden = false;
    link.setAttribute("aria-describedby", tip.id);
    const word = link.getBoundingClientRect(), room = document.documentElement.clientWidth - tip.offsetWidth - 8;
    const bar = document.querySelector(".mobile-header")?.getBoundingClientRect().bottom ?? 0;
    const below = word.top - tip.offsetHeight - 8 < bar; // else above: the words that come next stay free
    tip.style.left = `${Math.max(8, Math.min(word.left, room)) + scrollX}px`;
    tip.style.top = `${(below ? word.bottom + 4 : word.top - tip.offsetHeight - 4) + scrollY}px`;
  }

  function hide() {
    shown?.removeAttribute("aria-describedby");
    shown = null;
    tip.hidden = true;
  }

  const later = () => { // time to move the pointer from the word to what it means
    clearTimeout(closing);
    closing = setTimeout(hide, 250);
  };
  for (const link of document.querySelectorAll("a.term")) {
    link.addEventListener("pointerenter", event => event.pointerType === "mouse" && show(link));
    link.addEventListener("pointerleave", event => event.pointerType === "mouse" && link !== document.activeElement && later());
    link.addEventListener("focus", () => show(link));
    link.addEventListener("blur", later);
    link.addEventListener("pointerdown", event => (wasShown = event.pointerType !== "touch" || shown === link));
    link.addEventListener("click", event => {
      if (wasShown === false) {
        event.preventDefault();
        show(link);
      }
      wasShown = undefined; // Enter follows the link
    });
  }
  tip.addEventListener("pointerenter", () => clearTimeout(closing));
  tip.addEventListener("pointerleave", later);
  addEventListener("keydown", event => event.key === "Escape" && hide());
  document.body.append(tip);
}
