// Whoever lands on a place in a fold, or on an explorer's state (#at=...), finds the fold open.
"use strict";
{
  const land = () => {
    const hash = decodeURIComponent(location.hash.slice(1)), state = new URLSearchParams(location.hash.slice(1)).get("at");
    const place = document.getElementById(state ? `at-${state}` : hash);
    if (!place) return;
    for (let at = place; at; at = at.parentElement) if (at.localName === "details") at.open = true;
    place.scrollIntoView();
  };
  addEventListener("hashchange", land);
  land();
}
