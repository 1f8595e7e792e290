"""A real browser for tests and benchmarks: a Chromium, and a JupyterLab on loopback that asks nobody for anything."""

import json
import os
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tools.chromium import find_chromium

ROOT = Path(__file__).resolve().parents[1]
HOW_TO_GET_ONE = (
    "no Chromium found: install Chromium or Google Chrome (Debian, Ubuntu: apt install chromium; macOS: brew install "
    "--cask chromium), or name one in the environment variable CHROMIUM"
)
FLAGS = (
    "--no-sandbox",  # a container's root user has none
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-device-scale-factor=1",
)
PATIENCE = (
    180  # seconds that tests wait for a condition: a machine may be busy, and a test that holds waits for nothing
)
NOTEBOOK = "jupyterapp.shell.currentWidget.content"  # the notebook on the screen, as JavaScript
SETTINGS = {  # what JupyterLab would ask the network for, switched off; everything else stays as a reader finds it
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False, "doNotDisturbMode": True},
    "extensionmanager-extension/plugin": {"enabled": False},
}


no_browser = find_chromium() is None and os.environ.get("POSENC_NEED_BROWSER") != "1"
needs_browser = pytest.mark.skipif(no_browser, reason=HOW_TO_GET_ONE)


def nightly_unless(path: Path, *numbers: str):
    """Return `path` as a parameter of a test that only the nightly run does, unless the notebook has one of `numbers`."""
    return pytest.param(path, marks=[] if path.name[:2] in numbers else pytest.mark.nightly)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Run a headless Chromium with a profile of its own. Raises FileNotFoundError where there is none."""
    path = find_chromium()
    if path is None:
        raise FileNotFoundError(HOW_TO_GET_ONE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, headless=True, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Log:
    """What went wrong in a page: errors in its console, uncaught exceptions, and requests for other machines."""

    errors: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)


def watch(context: BrowserContext) -> Log:
    """Record the errors of every page of `context`, and refuse (and record) requests to other machines."""
    log = Log()

    def local_only(route):
        if re.match(r"(https?|wss?)://(127\.0\.0\.1|localhost)[:/]|(data|blob|file|about):", route.request.url):
            return route.continue_()
        log.outside.append(route.request.url)
        return route.abort()

    context.route("**/*", local_only)
    context.on("console", lambda m: log.errors.append(f"{m.text} ({m.location['url']})") if m.type == "error" else None)
    context.on("weberror", lambda e: log.errors.append(f"uncaught: {e.error.stack}"))
    return log


@contextmanager
def quiet(browser: Browser, known: Sequence[tuple[str, ...]] = (), **viewport: int) -> Iterator[Page]:
    """Give an empty page; at the end its console must hold no error, and nothing may have asked another machine.

    `known` lists errors of other people's code by parts of their text, which all stand in it.
    """
    with browser.new_context(viewport=viewport) as context:
        context.set_default_timeout(PATIENCE * 1000)
        log = watch(context)
        yield context.new_page()
        unknown = [error for error in log.errors if not any(all(part in error for part in parts) for parts in known)]
        assert not unknown, f"errors in the browser's console: {unknown}"
        assert not log.outside, "requests for other machines"


class Lab:
    """JupyterLab on loopback, which works on copies of notebooks: nothing in the repository changes.

    Use as a context manager: the server, its kernels and its folder are gone at the end. User settings of this machine
    play no part: configuration, settings, workspaces and runtime files live in the same temporary folder.
    """

    def __init__(self, settings: dict[str, dict] | None = None, **variables: str):
        """`settings` of JupyterLab, by default SETTINGS, and further `variables` of its environment."""
        self.settings, self.variables = SETTINGS if settings is None else settings, variables

    def __enter__(self) -> "Lab":
        self._folder = tempfile.TemporaryDirectory(prefix="posenc-lab-", ignore_cleanup_errors=True)
        home = Path(self._folder.name)
        self.root = home / "notebooks"
        runtime = home / "runtime"
        self.root.mkdir()
        for name, values in self.settings.items():
            file = home / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(values), encoding="utf-8")
        self.token = secrets.token_hex(16)
        environment = os.environ | {
            "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])),
            "JUPYTER_TOKEN": self.token,  # not on the command line, which other users can read
            "JUPYTER_PLATFORM_DIRS": "1",
            "JUPYTER_RUNTIME_DIR": str(runtime),
            "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
            "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
            **{name: str(home / name) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR")},
            **self.variables,
        }
        server = {"ip": "127.0.0.1", "port": 0, "open_browser": False, "allow_root": True, "root_dir": self.root}
        options = [f"--ServerApp.{name}={value}" for name, value in server.items()]
        options += ["--LabApp.extension_manager=readonly", "--LabApp.expose_app_in_browser=True"]
        self._log = open(home / "server.log", "w+", encoding="utf-8", errors="replace")
        command = [sys.executable, "-m", "jupyterlab", *options]
        pipes = {"stdout": self._log, "stderr": subprocess.STDOUT, "stdin": subprocess.DEVNULL}
        self._server = subprocess.Popen(command, env=environment, cwd=self.root, **pipes)
        try:
            self.url = self._wait(runtime)
        except BaseException:
            self.__exit__()
            raise
        return self

    def _wait(self, runtime: Path, seconds: float = PATIENCE) -> str:
        """Return the server's address as soon as it answers."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and self._server.poll() is None:
            for file in runtime.glob("jpserver-*.json"):
                try:
                    url = json.loads(file.read_text(encoding="utf-8"))["url"]
                    with urllib.request.urlopen(f"{url}api?token={self.token}", timeout=5):
                        return url
                except (ValueError, KeyError, OSError):
                    pass  # half written, or not listening yet
            time.sleep(0.1)
        self._log.seek(0)
        raise RuntimeError(f"JupyterLab did not start within {seconds:.0f} s; its log:\n{self._log.read()[-3000:]}")

    def __exit__(self, *_error) -> None:
        if self._server.poll() is None:
            self._server.terminate()  # it takes its kernels along
            try:
                self._server.wait(60)
            except subprocess.TimeoutExpired:
                self._server.kill()
                self._server.wait()
        self._log.close()
        self._folder.cleanup()

    def api(self, path: str, method: str = "GET"):
        """Call the server's REST interface, and return what it answers."""
        request = urllib.request.Request(
            f"{self.url}api/{path}", method=method, headers={"Authorization": f"token {self.token}"}
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def open(self, page: Page, notebook: Path, kernel: bool = True) -> None:
        """Open a fresh copy of `notebook` as the only tab, with a kernel that is ready or with none at all."""
        for session in self.api("sessions"):
            self.api(f"sessions/{session['id']}", "DELETE")
        shutil.copy(notebook, self.root)
        page.goto(f"{self.url}lab?reset&token={self.token}")
        page.wait_for_function("window.jupyterapp?.restored.then(() => true)", timeout=PATIENCE * 1000)
        preference = {} if kernel else {"kernelPreference": {"shouldStart": False, "canStart": False}}
        arguments = {"path": notebook.name, "factory": "Notebook", **preference}
        page.evaluate(
            """async ([options, kernel]) => {
                const panel = await jupyterapp.commands.execute("docmanager:open", options);
                await panel.context.ready;
                if (kernel) { await panel.sessionContext.ready; await panel.sessionContext.session.kernel.info; }
            }""",
            [arguments, kernel],
        )
        page.wait_for_function(f"{NOTEBOOK}.widgets.every(cell => cell.node.isConnected)", timeout=PATIENCE * 1000)


def run_all(page: Page, seconds: float = 900) -> list[str]:
    """Clear all outputs, choose Run > Run All Cells, wait for the end, and return the errors of the cells."""
    page.evaluate("jupyterapp.commands.execute('notebook:clear-all-cell-outputs')")
    page.get_by_role("menubar").get_by_text("Run", exact=True).click()
    page.get_by_text("Run All Cells", exact=True).click()
    code = f"{NOTEBOOK}.widgets.filter(cell => cell.model.type === 'code').map(cell => cell.model)"
    failed = "cell.outputs.toJSON().filter(output => output.output_type === 'error')"
    page.wait_for_function(
        f"""() => {{
            const cells = {code};
            return cells.some(cell => {failed}.length)
                || cells.every(cell => cell.executionCount && cell.executionState === "idle");
        }}""",
        timeout=seconds * 1000,
    )
    return page.evaluate(f"{code}.flatMap(cell => {failed}.map(e => `cell ${{cell.id}}: ${{e.ename}}: ${{e.evalue}}`))")
