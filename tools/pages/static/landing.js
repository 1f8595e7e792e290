// Whoever follows a link to a place in a fold, to the heading above one, or to an explorer's state (#at=...), finds the
// fold open, and the place in sight. Who comes back (reload, Back) is where the browser puts them: it knows better. Places
// of the history that were seen before carry a mark.
"use strict";
{
  let landed; // the place that a link led to, until the reader does something
  const land = () => {
    const hash = decodeURIComponent(location.hash.slice(1)), state = new URLSearchParams(location.hash.slice(1)).get("at");
    const place = document.getElementById(state ? `at-${state}` : hash), first = !history.state;
    history.replaceState({ seen: true }, "");
    if (!place) return;
    for (let at = place; at; at = at.parentElement) if (at.localName === "details") at.open = true;
    let next = place.closest("p"); // a cell's anchor stands before the heading
    while (next && !next.nextElementSibling) next = next.parentElement;
    const section = [place, next?.nextElementSibling, place.parentElement].find(one => one?.localName === "section");
    const fold = section?.querySelector(":scope > details.deeper");
    if (fold) fold.open = true;
    landed = first ? place : null;
    if (first) place.scrollIntoView();
  };
  addEventListener("hashchange", land);
  addEventListener("click", ({ target }) => { // the same link again changes no address
    if (location.hash && target.closest?.("a")?.href === location.href) setTimeout(land);
  });
  for (const event of ["wheel", "touchstart", "pointerdown", "keydown"]) addEventListener(event, () => { landed = null; });
  addEventListener("drawn", () => landed?.scrollIntoView()); // a picture above has become larger
  land();
}
