"""Firefox and WebKit driven by the W3C WebDriver protocol, without a package: sockets and JSON are all that it takes.

WebKitWebDriver speaks it over HTTP. Firefox answers the same commands on a socket of its own (Marionette, what geckodriver
translates to), so no geckodriver is needed.
"""

import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

PATIENCE = 60  # seconds
KEYS = {"Enter": "\ue007", "Tab": "\ue004", "Space": " ", "Escape": "\ue00c", "PageUp": "\ue00e", "End": "\ue010"}
KEYS |= {"Home": "\ue011", "ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014", "ArrowDown": "\ue015"}
PATHS = {"Navigate": "url", "ExecuteAsyncScript": "execute/async", "PerformActions": "actions"}
PATHS |= {"SetTimeouts": "timeouts", "SetWindowRect": "window/rect"}
ASYNC = "const [...given] = arguments, done = given.pop(); (async () => ({ value: await (%s)(...given) }))()"
ASYNC += ".then(done, error => done({ error: `${error}` }));"


class Driven:
    """A browser with one empty window, in a profile of its own; a context manager."""

    process, address, socket = None, "", None

    def __enter__(self) -> "Driven":
        self.folder = tempfile.TemporaryDirectory(prefix="posenc-engine-", ignore_cleanup_errors=True)
        self.home = Path(self.folder.name)
        self.output = open(self.home / "output.txt", "w+", encoding="utf-8", errors="replace")
        try:
            self.version = self.start()
            self.send("SetTimeouts", script=1000 * PATIENCE, pageLoad=1000 * PATIENCE)
            self.send("SetWindowRect", width=1280, height=1000)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_error) -> None:
        try:
            self.stop()
        finally:
            if self.process and self.process.poll() is None:
                self.process.terminate()
                self.process.wait(20)
            self.output.close()
            self.folder.cleanup()

    def run(self, *command: str, **variables: str) -> None:
        streams = {"stdout": self.output, "stderr": subprocess.STDOUT, "stdin": subprocess.DEVNULL}
        self.process = subprocess.Popen(command, env=os.environ | variables, **streams)

    def wait(self, ask):
        """Return what `ask` does as soon as that is true. Raises TimeoutError where it is not, or the browser ends."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.process.poll() is None:
            if found := ask():
                return found
            time.sleep(0.1)
        raise TimeoutError(f"{ask.__qualname__}: not within {PATIENCE} s; {self.said()[-2000:]}")

    def said(self) -> str:
        return (self.home / "output.txt").read_text(encoding="utf-8", errors="replace")

    def go(self, address: str) -> None:
        self.send("Navigate", url="about:blank")  # else another # at the end loads nothing
        self.send("Navigate", url=address)

    def js(self, function: str, *arguments):
        """Call a function of JavaScript in the page, wait for what it promises, and return that."""
        answer = self.send("ExecuteAsyncScript", script=ASYNC % function, args=list(arguments))
        if not answer or "error" in answer:
            raise RuntimeError(answer["error"] if answer else "the page went")
        return answer.get("value")

    def press(self, *keys: str) -> None:
        """Press keys by their names, one after the other; what is no name is typed."""
        steps = [{"type": way, "value": k} for key in keys for k in KEYS.get(key, key) for way in ("keyDown", "keyUp")]
        self.send("PerformActions", actions=[{"type": "key", "id": "keys", "actions": steps}])

    def drag(self, *places: tuple[float, float], hold: bool = True) -> None:
        """Move the mouse from place to place of the window; from the first to the last its button is down if `hold`."""
        steps = [{"type": "pointerMove", "x": round(x), "y": round(y), "duration": 60} for x, y in places]
        if hold:
            steps.insert(1, {"type": "pointerDown", "button": 0})
            steps.append({"type": "pointerUp", "button": 0})
        mouse = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": steps}
        self.send("PerformActions", actions=[mouse])


class Firefox(Driven):
    NEEDS = "firefox or firefox-esr"

    def start(self) -> str:
        program = shutil.which("firefox-esr") or shutil.which("firefox")
        if not program:
            raise FileNotFoundError(self.NEEDS)
        profile = self.home / "profile"
        profile.mkdir()
        (profile / "user.js").write_text('user_pref("marionette.port", 0);\n', encoding="utf-8")  # any that is free
        chosen = ("--marionette", "--no-remote", "--profile", str(profile))
        self.run(program, "--headless", *chosen, HOME=str(self.home))
        port = profile / "MarionetteActivePort"
        self.wait(lambda: port.exists() and port.read_text(encoding="utf-8"))
        self.socket = socket.create_connection(
            ("127.0.0.1", int(port.read_text(encoding="utf-8"))), timeout=2 * PATIENCE
        )
        self.stream, self.count = self.socket.makefile("rb"), 0
        self.receive()
        found = self.send("NewSession", strictFileInteractability=True)["capabilities"]
        return f"Firefox {found['browserVersion']}"

    def receive(self):
        size = b""
        while not size.endswith(b":"):
            size += self.stream.read(1)
        return json.loads(self.stream.read(int(size[:-1])))

    def send(self, command: str, **given):
        self.count += 1
        text = json.dumps([0, self.count, f"WebDriver:{command}", given]).encode()
        self.socket.sendall(b"%d:%s" % (len(text), text))
        _, _, error, result = self.receive()
        if error:
            raise RuntimeError(f"{command}: {error['error']}: {error['message']}")
        return result["value"] if isinstance(result, dict) and result.keys() == {"value"} else result

    def stop(self) -> None:
        if self.socket:
            self.socket.close()


class WebKit(Driven):
    NEEDS = "WebKitWebDriver (Debian: webkit2gtk-driver), and a screen, or that of xvfb-run"

    def start(self) -> str:
        program = shutil.which("WebKitWebDriver")
        if not program or "DISPLAY" not in os.environ:
            raise FileNotFoundError(self.NEEDS)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{port}/session"
        self.run(program, f"--port={port}", HOME=str(self.home), LIBGL_ALWAYS_SOFTWARE="1")
        asked = json.dumps({"capabilities": {}}).encode()
        found = self.wait(lambda: self.ask("", asked))
        self.address += f"/{found['sessionId']}"
        return f"{found['capabilities']['browserName']} {found['capabilities']['browserVersion']}"

    def ask(self, path: str, body: bytes | None, method: str = "POST"):
        request = urllib.request.Request(self.address + path, body, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=2 * PATIENCE) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{path}: {error.read().decode()}") from None
        except urllib.error.URLError:  # it does not listen yet
            return None

    def send(self, command: str, **given):
        return self.ask(f"/{PATHS[command]}", json.dumps(given).encode())

    def stop(self) -> None:
        if "-" in self.address.rsplit("/", 1)[-1]:
            self.ask("", None, "DELETE")
