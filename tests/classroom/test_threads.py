"""Drawing from two threads: JupyterLab handles sliders in a thread of their own, beside the cell that is running."""

import threading

import matplotlib

from posenc_helpers.classroom.explorers import Screen
from posenc_helpers.classroom.figures import STYLE, figure, style


def test_style_lets_one_thread_in_and_restores_settings():
    before = {name: matplotlib.rcParams[name] for name in STYLE}
    inside = threading.Event()

    def other():
        with style():
            inside.set()

    thread = threading.Thread(target=other)
    with style(), style():  # the same thread may enter twice
        thread.start()
        assert not inside.wait(0.2)
    assert inside.wait(10)
    thread.join()
    assert {name: matplotlib.rcParams[name] for name in STYLE} == before


def test_a_figure_drawn_from_four_threads_is_never_mixed_up():
    with style():
        fig = figure(3, 2)
        ax = fig.add_subplot()
        ax.plot([0, 1], [0, 1])
        screen = Screen(fig, lambda top: ax.set(ylim=(0, top), title=f"up to {top}") and None)
        alone = {top: screen.draw({"top": top}) for top in range(1, 5)}
        alone = {top: screen.draw({"top": top}) for top in alone}  # the first one also lays the figure out
    drawn = {top: [] for top in alone}

    def draw(top):
        for _ in range(5):
            with style():
                drawn[top].append(screen.draw({"top": top}))

    threads = [threading.Thread(target=draw, args=(top,)) for top in alone]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert drawn == {top: [picture] * 5 for top, picture in alone.items()}
