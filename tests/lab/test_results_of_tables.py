"""ruler.csv, three_back.csv, keys_only.csv, smaller_k.csv: what notebooks 04 and 05 say about them."""

from posenc_helpers.lab.results import load_results
from tools import experiments


def values(name: str, column: str, **asked) -> list[float]:
    """Return one value a seed of what fits `asked`."""
    found = [row[column] for row in load_results(name) if asked.items() <= row.items()]
    assert len(found) == 8
    return found


def ruler(what: str, std: float, steps: int) -> list[float]:
    return values("ruler", "value", what=what, std=std, steps=steps)


def three_back(
    encoding: str, length: int = 128, steps: int = 300, rate: int = 1, column: str = "accuracy"
) -> list[float]:
    return values("three_back", column, encoding=encoding, length=length, steps=steps, rate=rate)


def test_a_small_start_makes_a_ruler_soon_and_a_large_one_late():
    assert min(ruler("on a line", 0.02, 400)) > 0.7
    assert max(ruler("on a line", 0.5, 400)) < 0.1
    assert 0.11 < min(ruler("on a line", 0.5, 2000)) <= max(ruler("on a line", 0.5, 2000)) < 0.3


def test_copied_rows_help_where_few_keys_are_in_sight():
    seen = {what: ruler(what, 0.02, 400) for what in ("random, 8 keys", "copied, 8 keys", "inside, 8 keys")}
    for random, copied, inside in zip(*seen.values(), strict=True):
        assert random - copied > 0.5 and copied - inside < 0.1


def test_a_row_counts_for_later_tokens():
    for token in (16, 31):
        own, others = ruler(f"own row, token {token}", 0.02, 400), ruler(f"other rows, token {token}", 0.02, 400)
        assert all(b - a > 0.35 for a, b in zip(own, others, strict=True))


def test_what_a_move_within_the_trained_rows_costs_grows_with_training():
    starts = ((0.02, 400), (0.02, 2000), (0.5, 2000))
    for early, late, large in zip(*(ruler("moved by 16", *start) for start in starts), strict=True):
        assert -0.01 < early < 0.06 and early < late < 0.1 and large > 0.07


def test_rows_count_more_after_2000_steps_and_those_of_others_most():
    for token in (16, 31):
        own, others = (ruler(f"{which}, token {token}", 0.02, 2000) for which in ("own row", "other rows"))
        assert all(b - a > 0.3 and b > 1.2 for a, b in zip(own, others, strict=True))


def test_copied_rows_help_a_table_without_a_ruler_whatever_is_in_sight():
    for steps in (400, 2000):
        for std in (0.5, 0.02):
            rows = (ruler(f"{which}, all keys", std, steps) for which in ("random", "copied"))
            gains = [random - copied for random, copied in zip(*rows, strict=True)]
            assert min(gains) > 0.3 if std == 0.5 else max(gains) < 0.2


def test_every_encoding_learns_three_back_but_a_table_of_3():
    for name in experiments.RELATIVE:
        reached = three_back(name, 16)
        assert max(reached) < 0.5 if name == "relative bias, K = 3" else min(reached) > 0.95


def test_what_is_left_of_three_back_at_eight_times_the_length():
    assert min(three_back("transformer-xl")) > 0.9
    assert max(three_back("rope")) < 0.6
    assert max(three_back("t5") + three_back("relative bias, K = 16")) < 0.6 < min(three_back("relative bias, K = 8"))
    # the same method without rows that 16 tokens never reach
    assert 0.7 < min(three_back("t5, D = 16")) < min(three_back("t5, D = 16", steps=600))


def test_a_longer_training_mends_every_table_and_sooner_one_without_unreached_rows():
    assert min(three_back("relative bias, K = 8", steps=1500)) > 0.95 < min(three_back("relative bias, K = 8", rate=8))
    assert max(three_back("t5", steps=1500)) < 0.85
    for name in ("t5", "relative bias, K = 16"):
        assert max(three_back(name, rate=8)) < 0.9 and min(three_back(name, rate=8, column="levelled")) > 0.95
        assert min(three_back(name, rate=16)) > 0.8 and min(three_back(name, rate=32)) > 0.95


def test_vectors_that_meet_a_word_keep_more_than_a_table_of_as_many_rows():
    assert min(three_back("deberta") + three_back("deberta", steps=600)) > 0.95
    assert min(three_back("shaw")) > max(three_back("relative bias, K = 16"))
    assert min(three_back("shaw")) > 0.75 and max(three_back("shaw")) < 0.97
    for steps in (300, 600):  # with rows that 16 tokens never reach, and without
        assert min(three_back("shaw, K = 8", steps=steps)) > 0.98 and min(three_back("shaw", steps=steps)) < 0.9
        assert min(three_back("deberta, K = 32", steps=steps)) < 0.95


def test_keys_only_learns_order_late():
    early, late = (values("keys_only", "order", steps=steps) for steps in (300, 600))
    assert min(early) < 0.6 and min(late) > 0.9


def test_with_k_8_some_seed_still_ranks_wrong():
    for name in ("relative bias", "deberta"):
        assert min(values("smaller_k", "ranked", encoding=name, steps=600)) < 0.6
    helped = [
        sum(share > 0.98 for share in values(result, "ranked", encoding="relative bias", steps=600))
        for result in ("smaller_k", "learned")
    ]
    assert helped[0] > helped[1] + 2
