"""`python -m tools.hub_link HUB REPOSITORY [NOTEBOOK] [--branch NAME]`: the link that brings the student edition to a hub.

nbgitpuller names the folder after the last part of the address, `.git` included. The link names the folder itself, so
that it is the one that opens, however the address is written.
"""

import argparse
from urllib.parse import quote, urlencode, urlsplit

from tools.course import notebook_paths


def hub_link(hub: str, repository: str, notebook: str = "", branch: str = "") -> str:
    """Return the address that pulls `repository` on `hub` and opens its folder, or a notebook in it ("06").

    Raises ValueError for a hub or a repository that is no http address with a name, and for an unknown notebook.
    """
    if urlsplit(hub).scheme not in ("http", "https") or not urlsplit(hub).netloc:
        raise ValueError(f"HUB={hub!r} is no address; allowed: https://hub.example.org")
    repository, path = repository.strip().rstrip("/"), urlsplit(repository.strip()).path
    folder = path.rstrip("/").split("/")[-1].removesuffix(".git")
    if urlsplit(repository).scheme not in ("http", "https", "file") or not folder:
        raise ValueError(f"REPOSITORY={repository!r} is no address; allowed: https://HOST/OWNER/NAME, or with .git")
    names = [found.name for found in notebook_paths() if found.name.startswith(notebook)]
    if notebook and len(names) != 1:
        raise ValueError(f"NOTEBOOK={notebook!r} fits {len(names)} notebooks; allowed: 01 and so on")
    place = f"lab/tree/{folder}" + (f"/notebooks/{names[0]}" if notebook else "")
    asked = {"repo": repository, "branch": branch, "targetpath": folder, "urlpath": place}
    query = urlencode({name: value for name, value in asked.items() if value}, quote_via=quote)
    return f"{hub.strip().rstrip('/').removesuffix('/hub')}/hub/user-redirect/git-pull?{query}"


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.hub_link", description=__doc__.split("\n")[0])
    parser.add_argument("hub", help="https://hub.example.org")
    parser.add_argument("repository", help="https://HOST/OWNER/NAME, with or without .git")
    parser.add_argument("notebook", nargs="?", default="", help="01 and so on; without it the folder opens")
    parser.add_argument("--branch", default="", help="of the term; without it the repository's own")
    given = parser.parse_args(arguments)
    try:
        print(hub_link(given.hub, given.repository, given.notebook, given.branch))
    except ValueError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
