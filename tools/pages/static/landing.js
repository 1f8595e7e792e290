// Whoever lands on a place in a fold finds the fold open.
"use strict";
{
  const land = () => {
    const place = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!place) return;
    for (let at = place; at; at = at.parentElement) if (at.localName === "details") at.open = true;
    place.scrollIntoView();
  };
  addEventListener("hashchange", land);
  land();
}
