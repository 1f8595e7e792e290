// A picture that is wider than its box can be pushed sideways: one line says so, where and while it is so.
const watcher = new ResizeObserver(entries => entries.forEach(({ target }) => {
  const hints = target.matches(".frame") ? target.parentElement : target;
  for (const hint of hints.querySelectorAll(".pan")) {
    const picture = target.matches(".frame") ? target : hint.previousElementSibling.querySelector("img");
    hint.hidden = Math.max(picture.scrollWidth, picture.offsetWidth) <= target.clientWidth + 1;
  }
}));
for (const box of document.querySelectorAll(".explorer .frame, .cell_output:has(.picture + .pan)")) watcher.observe(box);
