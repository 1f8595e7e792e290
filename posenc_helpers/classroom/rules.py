"""`check_encoding`: what holds of an encoding of your own, and the smallest input where something does not."""

from posenc_helpers.lab.rules import examine


def check_encoding(mine: object, width: int = 64, heads: int = 4, only_broken: bool = False) -> None:
    """Print, rule by rule, what holds of `mine`, and where a rule is broken the smallest input, why, and what to change.

    `mine` is a class, a function (width, heads, length) -> encoding, as in ENCODINGS, or an encoding that is built already
    for this width and these heads. `only_broken` leaves out the rules that hold, but for their number. In a program:
    `lab.rules.examine`.
    Raises TypeError for what is none of the three.
    """
    findings = examine(mine, width, heads)
    for rule, broken in findings:
        if broken is None:
            if not only_broken:
                print(f"ok  {rule.name}")
            continue
        print(f"NO  {rule.name}\n    where:  {broken}\n    why:    {rule.why}\n    change: {rule.change}")
    held = sum(broken is None for _, broken in findings)
    rest = "; the other rules wait until it runs" if len(findings) == 1 else ""
    print(f"{held} of {len(findings)} rules hold{rest}.")
