"""Your own sentence: the browser's numbers are Python's, a reader types and moves words by keyboard and by pointer."""

import random
import re

import pytest
import torch

from posenc_helpers.classroom import playable
from posenc_helpers.encodings import sinusoidal
from posenc_helpers.lessons.why_order_matters import own_sentence as own
from posenc_helpers.lessons.why_order_matters.descriptions import shuffle
from posenc_helpers.lessons.why_order_matters.pictures import shuffled_sentence
from tests.browser import needs_browser
from tests.pages.playing import drag, page_of, said, within
from tools.pages.playable import Playable
from tools.pages.sources import index_page

STATE = {"sentence": own.SENTENCE, "order": own.ORDERS, "own": "", "causal_mask": False, "positions": False}
START, REVERSED = ({**STATE, "order": order} for order in ("typed", "reversed"))
# what JavaScript or Unicode might treat in a way of its own
STRANGE = "constructor __proto__ Ärger ΣΑΣ naïve 犬 🐕 don't Dog 2 men, toString İ".split()  # noqa: SIM905


def random_states(count: int) -> list[dict]:
    draw = random.Random(1)
    words = [*own.SENTENCE.split(), *STRANGE, *["the", "quick", "brown", "fox", "jumps"]]
    found = []
    for _ in range(count):
        typed = draw.choices(words, k=draw.randint(1, 10))
        places = draw.sample(range(min(8, len(typed))), min(8, len(typed)))
        found.append(
            {
                "sentence": "  ".join(typed),
                "order": draw.choice([*own.ORDERS.values(), "own"]),
                "own": "".join(map(str, places)) + draw.choice(["", "", "", "x"]),  # x: no order
                "causal_mask": draw.random() < 0.5,
                "positions": draw.random() < 0.5,
            }
        )
    return found


@pytest.fixture
def page(quiet_page, tmp_path):
    values, constants = playable.traits(STATE, own.DATA)
    one = Playable(playable.source(own.MODULE), values, constants, shuffled_sentence, shuffle, "One sentence.")
    quiet_page.goto(page_of(one, tmp_path))
    said(quiet_page)
    return quiet_page


def held(page) -> dict:
    return page.evaluate(
        "names => Object.fromEntries(names.map(n => [n, document.querySelector('.playable').model.get(n)]))", [*STATE]
    )


@needs_browser
def test_all_numbers_of_the_browser_are_pythons(page):
    states = [START, REVERSED, {**REVERSED, "sentence": "dog"}, {**REVERSED, "sentence": " "}, *random_states(12)]
    for values in states:
        found = page.evaluate(
            """async ([module, data, values]) => {
                const url = URL.createObjectURL(new Blob([module], { type: "text/javascript" }));
                return (await import(url)).measure(data, values);
            }""",
            [playable.source(own.MODULE), own.DATA, values],
        )
        assert said(page, values) == shuffle(**values)
        expected = own.measure(**values)
        if expected is None:
            assert found["places"] == []
            continue
        assert (found["now"]["words"], found["places"]) == (expected.moved, expected.places)
        for side in ("typed", "now"):
            for got, wanted in zip(
                (found[side]["weights"], found[side]["outputs"]), getattr(expected, side), strict=True
            ):
                assert torch.allclose(torch.tensor(got).double(), wanted, atol=1e-5), (values, side)
        assert found["apart"] == pytest.approx(expected.apart.tolist(), abs=1e-5)


@needs_browser
def test_a_reader_types_moves_words_by_keys_and_drags_them(page):
    field = page.get_by_label("your sentence")
    field.fill("cats chase <b>dogs</b>")
    typed = {**START, "sentence": "cats chase <b>dogs</b>"}
    assert said(page) == shuffle(**typed)
    page.get_by_role("radio", name="reversed").check()
    assert said(page) == shuffle(**typed | {"order": "reversed"})
    page.get_by_role("slider", name="cats").press("ArrowLeft")  # from the last place of three to the middle
    assert said(page).startswith("Weights and outputs of “<b>dogs</b> cats chase”")
    assert page.evaluate("document.activeElement.labels[0].innerText") == "cats"
    assert held(page) == {**typed, "order": "own", "own": "201"}
    page.keyboard.press("Home")
    assert said(page).startswith("Weights and outputs of “cats <b>dogs</b> chase”")
    page.get_by_label("positions").check()
    assert said(page) == shuffle(**held(page)) and "3 of 3 words have another output" in said(page)
    first, last = (page.locator(".kit-words label").nth(k).bounding_box() for k in (0, 2))
    drag(page, within(first, 0.2, 0.4), within(last, 0.95, 0.4), steps=12)
    page.mouse.move(*within(first, 0.2, 0.4))  # nothing is held any more
    assert said(page).startswith("Weights and outputs of “<b>dogs</b> chase cats”") and held(page)["own"] == "210"
    page.get_by_role("radio", name="chase and <b>dogs</b> swapped").check()
    assert said(page).startswith("Weights and outputs of “cats <b>dogs</b> chase”")
    field.fill("a b c d e f g h i j")
    assert said(page) == shuffle(**held(page)) and said(page).endswith("Words after the eighth are not read.")
    field.fill("")
    assert said(page) == "Type a word, or up to eight."
    page.get_by_role("button", name="reset").click()
    assert said(page) == shuffle(**START) and field.input_value() == own.SENTENCE


@needs_browser
def test_the_address_holds_the_sentence(page):
    page.get_by_label("your sentence").fill("q & k = v")
    page.wait_for_function("location.hash.includes('q+%26+k')")
    address, sentence = page.url, said(page)
    page.goto("about:blank")
    page.goto(address)
    assert said(page) == sentence and page.get_by_label("your sentence").input_value() == "q & k = v"


def test_only_mask_and_positions_let_order_show():
    for values in random_states(12):
        found = own.measure(**values)
        plain = own.measure(**values | {"causal_mask": False, "positions": False})
        assert plain.apart.max() < 1e-12
        if not values["causal_mask"] and values["positions"] and found.moved != found.words:
            assert found.apart.max() > 0.01


def test_the_layer_is_attention_and_a_word_has_one_vector():
    assert torch.equal(own.vector("Dog"), own.vector("dog")) and torch.equal(own.vector("fox"), own.vector("fox"))
    some = torch.stack([own.vector(word) for word in ["the", "quick", "brown", "fox", "a", "b", "c"]])
    apart = torch.cdist(some, some) + 10 * torch.eye(len(some))
    assert apart.min() > 3 and some.std() == pytest.approx(1, abs=0.2)
    found = own.measure(**REVERSED | {"causal_mask": True, "positions": True})
    x = torch.stack([own.VECTORS[word] for word in found.moved]) + sinusoidal(torch.arange(5), own.WIDTH).double()
    q, k, v = (x @ matrix for matrix in own.MATRICES)
    expected = torch.nn.functional.scaled_dot_product_attention(2 * q, k, v, is_causal=True)
    assert torch.allclose(found.now[1], expected, atol=0.01)  # the codes of places are stored with three digits


def test_the_still_says_the_words_and_how_far_the_outputs_are():
    fig = shuffled_sentence(**REVERSED | {"positions": True})
    typed, now, strips = fig.axes[:3]
    assert [label.get_text() for label in now.get_yticklabels()] == ["men", "two", "bites", "dog", "one"]
    assert [label.get_text() for label in typed.get_xticklabels()] == own.SENTENCE.split()
    apart = own.measure(**REVERSED | {"positions": True}).apart
    assert [text.get_text() for text in strips.texts[:5]] == [f"{value:.2f}" for value in apart]


def test_it_starts_with_the_words_as_they_are_on_the_first_page_too(tmp_path):
    """A change of order is the reader's: no still and no task shows it beforehand."""
    values, _ = playable.traits(STATE)
    assert values == START and own.measure(**values).places == [0, 1, 2, 3, 4]
    alt = "Weights and outputs of “one dog bites two men” beside “one dog bites two men”"
    text = index_page(tmp_path)
    (still,) = re.findall(rf'<img src="(pictures/[^"]+)" alt="{alt}', text)
    assert (tmp_path / still).is_file() and text.count('class="playable" id="at-see-run"') == 1
