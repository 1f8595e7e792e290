"""The link for a hub: one folder however the address is written, and the place that opens lies in it."""

from urllib.parse import parse_qs, urlsplit

import pytest

from tools.course import notebook_paths
from tools.hub_link import hub_link, main

HUB, REPOSITORY = "https://hub.example.org", "https://git.example.org/uni/posenc-class"


def asked(link):
    return {name: value for name, (value,) in parse_qs(urlsplit(link).query, strict_parsing=True).items()}


@pytest.mark.parametrize("end", ["", "/", ".git", ".git/", "//"])
@pytest.mark.parametrize("hub", [HUB, HUB + "/", HUB + "/hub", HUB + "/hub/"])
def test_every_spelling_of_both_addresses_leads_to_one_folder(hub, end):
    link = hub_link(hub, REPOSITORY + end, "06", "2027-spring")
    given = asked(link)
    assert link.startswith(f"{HUB}/hub/user-redirect/git-pull?")
    assert given["targetpath"] == "posenc-class" and given["branch"] == "2027-spring"
    assert given["urlpath"] == "lab/tree/posenc-class/notebooks/06_rope.ipynb"
    assert given["repo"] == REPOSITORY + (".git" if ".git" in end else "")


def test_a_hub_below_a_path_and_names_with_odd_signs_come_through():
    link = hub_link("https://example.org/teach/", "https://git.example.org/~ada/a+b & c.d", branch="term/2027 a")
    assert link.startswith("https://example.org/teach/hub/user-redirect/git-pull?") and " " not in link
    given = asked(link)
    assert given["repo"].endswith("a+b & c.d") and given["branch"] == "term/2027 a"
    assert given["urlpath"] == f"lab/tree/{given['targetpath']}" == "lab/tree/a+b & c.d"


def test_the_folder_opens_without_a_notebook_and_every_notebook_can_be_opened():
    assert asked(hub_link(HUB, REPOSITORY)).keys() == {"repo", "targetpath", "urlpath"}
    for path in notebook_paths():
        assert asked(hub_link(HUB, REPOSITORY, path.name[:2]))["urlpath"].endswith(f"/notebooks/{path.name}")


@pytest.mark.parametrize(
    ("given", "named"),
    [
        (("hub.example.org", REPOSITORY), "HUB='hub.example.org'"),
        ((HUB, "git@git.example.org:uni/posenc-class.git"), "REPOSITORY='git@"),
        ((HUB, "https://git.example.org/"), "REPOSITORY='https://git.example.org'"),
        ((HUB, "https://git.example.org/.git"), "REPOSITORY="),
        ((HUB, REPOSITORY, "77"), "NOTEBOOK='77' fits 0"),
        ((HUB, REPOSITORY, "0"), "NOTEBOOK='0' fits"),
    ],
)
def test_what_is_no_address_or_notebook_is_named(given, named, capsys):
    with pytest.raises(ValueError, match="allowed: ") as raised:
        hub_link(*given)
    assert str(raised.value).startswith(named)
    with pytest.raises(SystemExit) as stopped:
        main(list(given))
    assert stopped.value.code == 2 and named in capsys.readouterr().err


def test_the_command_prints_the_link_alone(capsys):
    main([HUB, REPOSITORY, "06", "--branch", "spring"])
    assert capsys.readouterr().out == hub_link(HUB, REPOSITORY, "06", "spring") + "\n"
