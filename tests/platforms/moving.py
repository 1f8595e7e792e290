"""What moves on the pages, in any browser of `webdriver`: pictures that one plays with, explorers of frames, a bet."""

import random
from collections import Counter

from tests.lessons.test_own_sentence import random_states as sentences
from tests.pages.conftest import ALL_SEEN
from tests.pages.playing import random_states
from tests.platforms.webdriver import Driven

# What the picture of a cell says and holds, after `values` were set and drawn.
HOLDS = """async (id, values) => {
    const box = document.getElementById(`at-${id}`), frame = () => new Promise(requestAnimationFrame);
    while (!box.model) await frame(); // it is being imported
    for (const [name, value] of Object.entries(values ?? {})) box.model.set(name, value);
    await frame(); await frame(); await frame();
    const names = Object.keys(box.model.get("controls")), says = box.querySelector("[role=status]").textContent;
    return [says, Object.fromEntries(names.map(name => [name, box.model.get(name)]))];
}"""
FOCUS = """(css, k = 0) => { const all = [...document.querySelectorAll(css)].filter(e => e.type !== "radio" || e.checked);
    all.at(k).scrollIntoView({ block: "center" }); all.at(k).focus(); }"""
SHOWN = "css => [...document.querySelectorAll(css)].flatMap((e, k) => (e.checkVisibility() ? [k] : []))"
BOX = """(css, k, still) => { const one = document.querySelectorAll(css)[k];
    if (!still) one.scrollIntoView({ block: "center" });
    const [r] = one.getClientRects(); return [r.left, r.top, r.width, r.height]; }"""
TEXT = "css => [...document.querySelectorAll(css)].map(e => (e.checkVisibility() ? e.textContent : ''))"
BUTTONS = "css => [...document.querySelectorAll(css)].map(e => e.textContent.trim())"
FACTS = "id => JSON.parse(document.querySelector(`#${id} script`).textContent)"
IDS = "css => [...document.querySelectorAll(css)].map(e => e.id)"
AT = """id => { const { controls } = JSON.parse(document.querySelector(`#${id} script`).textContent);
    const of = name => [...document.querySelectorAll(`#${id} [name='${name}']`)].find(e => e.type !== "radio" || e.checked);
    return controls.map(({ name }) => (of(name).type === "checkbox" ? +of(name).checked : +of(name).value)); }"""
SET = """(id, name, index) => { const all = [...document.querySelectorAll(`#${id} [name='${name}']`)], [one] = all;
    if (one.type === "radio") all.find(e => +e.value === index).checked = true;
    else if (one.type === "checkbox") one.checked = index === 1;
    else one.value = index;
    one.dispatchEvent(new Event("input", { bubbles: true })); }"""
PICTURE = """async (id, file) => { const box = document.getElementById(id), end = performance.now() + 20000;
    const right = image => image.src.endsWith(`/${file}.webp`) && image.complete && image.naturalWidth > 300;
    while (!right(box.querySelector("img")) && performance.now() < end) await new Promise(requestAnimationFrame);
    return right(box.querySelector("img")); }"""
TIPS = """css => { const tip = document.querySelector(css); window.tips = []; // read at once: some pointers leave at the end
    new MutationObserver(() => tip.textContent && tips.push(tip.textContent)).observe(tip, { childList: true }); }"""
TYPE = "css => document.querySelector(css).type"
KEYS = {
    "range": ("Home", "ArrowRight", "PageUp", "End"),
    "checkbox": ("Space",),
    "radio": ("ArrowRight", "ArrowLeft"),
}  # WebKit stops at the last one


class Pages:
    """The pages at one address in one browser, and what was found there: `counts`, {what: how often}, and `wrong`."""

    def __init__(self, browser: Driven, base: str):
        self.browser, self.js, self.base, self.page = browser, browser.js, base, ""
        self.counts, self.wrong = Counter(), []

    def expect(self, what: str, right, about="") -> None:
        self.counts[what] += 1
        if not right:
            self.wrong.append(f"{self.page}: {what}: {about}")
            print("  WRONG", self.wrong[-1], flush=True)

    def visit(self, page: str, seen: bool = True) -> None:
        self.page = page
        self.browser.go(f"{self.base}/{page}.html")
        if seen:
            self.js(f"() => {{ {ALL_SEEN} }}")

    def leave(self) -> None:
        failed = self.js("() => failed")
        self.expect("no error in the page's console", not failed, failed)

    def later(self, condition) -> bool:
        """Return whether `condition` comes true; a page that is being left cannot be asked."""

        def asked() -> bool:
            try:
                return condition()
            except RuntimeError:
                return False

        try:
            return self.browser.wait(asked)
        except TimeoutError:
            return False

    def click(self, css: str, words: str = "") -> None:
        """Press the first of `css`, with these words, by the pointer."""
        x, y, width, height = self.js(BOX, css, self.js(BUTTONS, css).index(words) if words else 0)
        self.browser.drag((x + width / 2, y + height / 2))

    def picture(self, one, cell: str) -> None:
        """A picture that one plays with: ten random states, each control by keyboard, each place that takes a pointer."""

        def same(what: str, values: dict | None = None) -> dict:
            says, held = self.js(HOLDS, cell, values)
            held = {name: held[name] for name in one.values}  # WebKit sorts as it likes
            self.expect(f"picture: {what}", says == one.describe(**held), f"{says!r} at {held}")
            return held

        def reset() -> None:
            self.click(f"{at} button", "reset")
            self.expect("picture: reset", same("reset, sentence") == start)

        at, start = f"#at-{cell}", same("start, sentence")
        own = "own" in start
        for values in sentences(10) if own else random_states(one):
            same("random state, sentence", values)
        reset()
        for name, control in one.constants["controls"].items():
            if "text" in control:
                continue
            css, seen = f"{at} [data-name='{name}']", [start[name]]
            for key in KEYS[self.js(TYPE, css)]:
                self.js(FOCUS, css)
                self.browser.press(key)
                seen.append(same("key, sentence")[name])
            self.expect("picture: keys move each control", len(set(map(str, seen))) > 1, f"{name}: {seen}")
            reset()
        pads = f"{at} .kit-words label" if own else f"{at} .kit-pad"
        if own:  # what is typed, and a word moved by an arrow key
            self.js(FOCUS, f"{at} [type=text], {at} input:not([type])")
            self.browser.press("End", " tonight")
            self.expect("picture: typed", same("typed, sentence")["sentence"].endswith(" tonight"))
            self.js(FOCUS, f"{at} .kit-words input")
            self.browser.press("ArrowRight")
            self.expect("picture: keys move a word", same("key, sentence")["order"] == "own")
            reset()
        for k in self.js(SHOWN, pads):
            x, y, width, height = self.js(BOX, pads, k)
            turn = ((0.5, 0.1), (0.8, 0.25), (0.9, 0.5), (0.75, 0.85))  # clockwise, as a hand is turned
            way = [(x + across * width, y + down * height) for across, down in turn]
            if own:  # on to the place of another word
                there = self.js(BOX, pads, k - 1 if k else 1, True)
                way = [(x + 8, y + 9), (x + 16, y + 9), (there[0] + there[2] / 2, there[1] + 9)]
                way.append((there[0] + (there[2] - 3 if k == 0 else 3), there[1] + 9))
            self.js(TIPS, f"{at} .kit-tip")
            self.browser.drag(*way)
            moved = same("drag, sentence") != start
            tips = self.js("() => tips.length")
            self.counts["picture: drags that moved it"] += moved
            self.counts["picture: tips over it"] += tips > 0
            self.expect("picture: a drag moves it, or a tip says a value", moved or tips, f"{pads} {k}")
            reset()

    def bet(self) -> None:
        """08's names, moved by a key and dragged."""
        css = "[aria-label='Your bet'] div button"
        names = [words[2:] for words in self.js(BUTTONS, css)]
        self.js(FOCUS, css, 6)
        self.browser.press("ArrowUp")
        a, b = self.js(BOX, css, 1), self.js(BOX, css, 4)
        a, b = self.js(BOX, css, 1, True), self.js(BOX, css, 4, True)
        self.browser.drag((a[0] + 9, a[1] + 9), (b[0] + b[2] / 2, b[1] + 9))
        names.insert(5, names.pop(6))
        names.insert(4, names.pop(1))
        self.expect("bet: keys and pointer move names", [words[2:] for words in self.js(BUTTONS, css)] == names)

    def explorer(self, box: str) -> None:
        """An explorer of frames: ten random states, each control by keyboard, the player; sentence and picture follow."""
        facts, draw = self.js(FACTS, box), random.Random(0)

        def same(what: str) -> list[int]:
            at, state = self.js(AT, box), 0
            for index, control in zip(at, facts["controls"], strict=True):
                state = state * len(control["words"]) + index
            file, says = facts["files"][state], self.js(TEXT, f"#{box} [role=status]")[0]
            self.expect(f"explorer: {what}, sentence", says == facts["sentences"][state], f"{says!r} at {at}")
            if file is not None:
                self.expect(f"explorer: {what}, frame", self.js(PICTURE, box, file), f"{file} at {at}")
            return at

        start = same("start")
        for _ in range(10):
            for control in facts["controls"]:
                self.js(SET, box, control["name"], draw.randrange(len(control["words"])))
            same("random state")
        self.click(f"#{box} button", "reset")
        self.expect("explorer: reset", same("reset") == start)
        for k, control in enumerate(facts["controls"]):
            css, seen = f"#{box} [name='{control['name']}']", [start[k]]
            for key in KEYS[self.js(TYPE, css)]:
                self.js(FOCUS, css)
                self.browser.press(key)
                seen.append(same("key")[k])
            self.expect("explorer: keys move each control", len(set(seen)) > 1, f"{control['name']}: {seen}")
        if "play" in self.js(BUTTONS, f"#{box} button"):
            self.click(f"#{box} button", "first")
            before = same("player")
            self.click(f"#{box} button", "play")
            self.expect("explorer: it plays", self.later(lambda: self.js(AT, box) != before))
            self.click(f"#{box} button", "reset")
            self.expect("explorer: reset stops it", same("reset") == start)
