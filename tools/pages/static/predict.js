// "Predict, then see": what answers a question stays shut until a prediction was entered, or the number that is asked for.
// Entries stay in the local storage of this browser. What is shut opens for a link, and for a search, into it.
const NUMBER = /^[^\d\/<>=]*?(\d[\d.,\s]*|[.,]\d+)([e^][-−+]?\d+)?(\s*\/\s*\d+)?[^\d\/<>=]*$/i; // one, and words around it
const KEY = `posenc predictions ${location.pathname.split("/").slice(-2).join("/")}`;
const says = document.querySelector(".answer-says"), forget = document.querySelector("form.forget");
const kept = forget?.querySelector("span"), where = kept?.textContent; // where entries are kept, or that they are gone
const questions = new Map(); // the part that is shut -> what can be done with it

function stored() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) ?? {};
  } catch { // no storage, or not ours
    return {};
  }
}

function store(entries) {
  kept.textContent = where;
  try {
    localStorage.setItem(KEY, JSON.stringify(entries));
  } catch { /* then it is kept until the page is left */ }
}

for (const form of document.querySelectorAll("form.predict")) {
  const { id } = form.dataset, part = document.getElementById(`${id}-answer`);
  const button = form.querySelector("button"), inputs = [...form.querySelectorAll("input")];
  const refused = form.querySelector(".refused"), numeric = inputs[0].inputMode === "decimal";
  const waits = form.nextElementSibling; // room, so that what comes next is not in sight of the question
  const words = { false: button.textContent, true: button.dataset.open };
  const bold = [...part.querySelectorAll("pre span")].find(span => span.textContent.startsWith("=>"));
  const you = document.createElement("span"); // above the line that answers
  you.className = "you";
  bold?.before(you);

  const read = () => form.elements.namedItem("entry").value.trim(); // of radios: the value of the one that is chosen
  function write(entry) {
    for (const input of inputs) {
      if (input.type === "radio") input.checked = input.value === entry;
      else input.value = entry;
    }
  }

  function turn(open) {
    const entry = read(), line = entry && says.dataset.you.replace("{}", entry);
    if (open) part.removeAttribute("hidden");
    else part.setAttribute("hidden", "until-found"); // the browser's own search and links look into it, and open it
    waits.hidden = open;
    button.textContent = words[open];
    button.ariaLabel = button.ariaLabel.replace(words[!open], words[open]);
    button.setAttribute("aria-expanded", open);
    if (inputs.includes(document.activeElement)) button.focus(); // else the place is lost
    for (const input of inputs) input.disabled = open; // what was said before stays said
    you.textContent = entry && `    ${line}\n`;
    return [line, bold?.textContent.replace("=>", "").trim()].filter(Boolean).join(". ");
  }

  form.addEventListener("submit", event => {
    event.preventDefault();
    const open = part.hasAttribute("hidden"), entry = read();
    const again = refused.textContent === refused.dataset.empty; // pressed twice: whoever does not want to guess may look
    const wrong = entry && numeric && !NUMBER.test(entry);
    refused.textContent = !open ? "" : wrong ? refused.dataset.wrong : entry || again ? "" : refused.dataset.empty;
    if (refused.textContent) return inputs[0].focus();
    const said = turn(open);
    says.textContent = open ? said : "";
    store({ ...stored(), [id]: { entry: read(), open } });
  });
  form.addEventListener("input", () => { refused.textContent = ""; });
  part.addEventListener("beforematch", () => turn(true));
  questions.set(part, { turn, write });
  const before = stored()[id];
  write(before?.entry ?? "");
  turn(before?.open ?? false);
  form.hidden = false; // without this script nothing is shut, and nothing asks
}

function openAround(element) { // a part may stand in another
  for (let part = element?.closest(".unseen"); part; part = part.parentElement.closest(".unseen")) {
    questions.get(part)?.turn(true);
  }
}

function follow() { // an address that names a cell, or the state of an explorer
  const hash = decodeURIComponent(location.hash.slice(1)), state = new URLSearchParams(hash).get("at");
  const target = document.getElementById(state ? `at-${state}` : hash);
  openAround(target);
  return target;
}

function arrive() {
  const target = follow(), section = target?.closest("section") ?? document.querySelector("article");
  let open = section.textContent.toLowerCase(), terms = [];
  try { // what was searched for, which Sphinx's script has not taken away yet
    terms = (localStorage.getItem("sphinx_highlight_terms") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  } catch { /* no storage */ }
  const parts = [...section.querySelectorAll(".unseen[hidden]")];
  for (const part of parts) open = open.replace(part.textContent.toLowerCase(), "");
  for (const part of parts) { // a word that stands in no other place of the section
    if (terms.some(term => part.textContent.toLowerCase().includes(term) && !open.includes(term))) openAround(part);
  }
}

if (questions.size) {
  forget.hidden = false;
  forget.addEventListener("submit", event => {
    event.preventDefault();
    store({});
    for (const { turn, write } of questions.values()) {
      write("");
      turn(false);
    }
    says.textContent = kept.textContent = kept.dataset.done; // by ear and by eye
  });
  addEventListener("hashchange", follow);
  arrive();
}
