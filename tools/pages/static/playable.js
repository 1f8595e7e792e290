// Pictures that one plays with, without a kernel: imports the module of each, and stands in for a notebook's model.
for (const box of document.querySelectorAll(".playable")) {
  const { id, module, css, values, constants } = JSON.parse(box.querySelector("script").textContent);
  const held = { ...constants, ...values }, heard = new Map(); // what the model holds; event -> its listeners
  const each = (events, act) => events.split(" ").forEach(event => act(heard.get(event) ?? heard.set(event, new Set()).get(event)));
  const model = {
    get: name => held[name],
    set(name, value) {
      if (held[name] === value) return;
      held[name] = value;
      heard.get(`change:${name}`)?.forEach(listener => listener());
    },
    save_changes() { // a kernel would be told; here it is the address, which browsers let change only so often
      clearTimeout(writing);
      writing = setTimeout(() => history.replaceState(history.state, "", "#" + new URLSearchParams(
        [["at", id], ...Object.keys(values).map(name => [name, held[name]])])), 300);
    },
    on: (events, listener) => each(events, listeners => listeners.add(listener)),
    off: (events, listener) => each(events, listeners => (listener ? listeners.delete(listener) : listeners.clear())),
  };
  let writing;

  function follow(hash, first) { // an address that names a state; what is not allowed changes nothing
    const asked = new URLSearchParams(hash.slice(1));
    if (asked.get("at") !== id) return clearTimeout(writing); // the address is another's now
    for (const [name, { min, max, values, words, text }] of Object.entries(constants.controls)) {
      const said = asked.get(name), number = Number(said?.replaceAll(",", "") || NaN);
      const named = text ? said ?? undefined : values?.find((value, k) => said === words[k] || said === `${value}` || number === value);
      if (values && named !== undefined) model.set(name, named);
      if (!values && min <= number && number <= max) model.set(name, number);
    }
    if (first) box.scrollIntoView();
  }

  // not from a file of its own: a page that was opened from a folder may import none
  const url = URL.createObjectURL(new Blob([module], { type: "text/javascript" }));
  const opened = location.hash, first = !history.state; // slides write another address before the module is there, landing.js a mark
  import(url).then(({ default: { render } }) => {
    const el = document.createElement("div");
    el.append(Object.assign(document.createElement("style"), { textContent: css }));
    box.querySelector(".still").replaceWith(el);
    render({ model, el });
    box.model = model;
    addEventListener("hashchange", () => follow(location.hash, !history.state));
    follow(opened, first);
    dispatchEvent(new Event("drawn"));
  });
}
