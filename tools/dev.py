#!/usr/bin/env python3
"""The one door for those who work on this repository. Needs Python 3.10 or newer and nothing else.

    tools/dev.py demo  [ARGS]           every kernel, end to end, on this machine's device
    tools/dev.py test  [PYTEST ARGS]    lint, types, floors and tests; with arguments, those tests alone
    tools/dev.py lint  [--fix]          lint, types and floors alone
    tools/dev.py gpu   [PYTEST ARGS]    the same tests, the demo and each tiny benchmark on the GPU; logs go to $OUT if it is set
    tools/dev.py bench [NAME...] [ARGS] tools/bench/NAME.py (all of them if none is named); --json gives one list,
                                        --write puts tables and charts into docs/performance.md, or the page that has
                                        their marks
    tools/dev.py fuzz  [NAME...] [ARGS] random inputs for NAME (all targets of tools/fuzz), --minutes N; exit 1 on a finding
    tools/dev.py matrix [ARGS]          the tests on every Python found here, and on the lowest packages; --quick, --ends
    tools/dev.py corpus [ARGS]          what CUDA C++ and Triton compilers write, judged by the verifier
    tools/dev.py docs [ARGS]            the documentation site, into build/docs/html; --quick, --serve, --browser
    tools/dev.py release [--dirty]      sdist and wheel into dist/, tried in fresh environments; nothing is uploaded

Packages come from pyproject.toml into .venv, once; a later run starts at once unless pyproject.toml or Python changed.
`gpu` and `bench` take the Python they are started with as it is, when that can import what they need (a GPU machine
often has PyTorch, and no network); so do the others when nothing can be installed.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import shlex
import subprocess
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

ROOT = Path(__file__).resolve().parent.parent
BENCH = ROOT / "tools" / "bench"
PERFORMANCE = ROOT / "docs" / "performance.md"
VENV = ROOT / ".venv"
BYTECODE = ROOT / ".pytest_cache" / "bytecode"
STAMP = VENV / "ptxgen-dev.json"

# What each command imports, as {module: distribution}; versions and extras stand in pyproject.toml.
RUN = {"jinja2": "jinja2", "llvmlite": "llvmlite", "numpy": "numpy", "click": "click", "rich": "rich"}
TEST = {**RUN, "PIL": "pillow", "pytest": "pytest", "hypothesis": "hypothesis", "xdist": "pytest-xdist"}
DOCS = {**TEST, "sphinx": "sphinx", "myst_parser": "myst-parser", "furo": "furo"}
LINT = {"ruff": "ruff", "mypy": "mypy", "importlinter": "import-linter"}

FLOORS = "from importlinter.cli import lint_imports_command as floors; floors()"
CHECKS = {
    "lint": ("-m", "ruff", "check", "--output-format=concise"),
    "types": ("-m", "mypy"),
    "floors": ("-c", FLOORS, "--no-logo"),
}
FIND_GPU = """
import driver_ctypes
from driver_ctypes.errors import Error
try:
    cuda = driver_ctypes.driver("cuda")
    gpu = cuda.device(0)
except Error as error:
    raise SystemExit(str(error))
print(gpu.name, "sm_%d%d," % gpu.compute_capability, "%.0f GiB," % (gpu.total_memory / 2**30), "driver", cuda.version)
"""


class Trouble(Exception):
    """Something that the person at the keyboard can put right; the text says how."""


def say(text: str) -> None:
    """One line a step, on stderr: stdout belongs to what is run."""
    print(f"dev: {text}", file=sys.stderr, flush=True)


# ---- the Python that runs things -------------------------------------------------------------------------------------


class Environment:
    """A Python with this repository importable: `.venv`, or the one that runs this file (`borrowed`)."""

    def __init__(self, python: str, *, borrowed: bool) -> None:
        self.python = python
        self.borrowed = borrowed
        self.variables = dict(os.environ, PYTHONUNBUFFERED="1")
        if borrowed:
            before = os.environ.get("PYTHONPATH")
            self.variables["PYTHONPATH"] = os.pathsep.join([str(ROOT), *([before] if before else [])])

    def run(self, *arguments: str) -> int:
        return subprocess.run([self.python, *arguments], cwd=ROOT, env=self.variables, check=False).returncode

    def read(self, *arguments: str, stderr: int | None = subprocess.STDOUT) -> tuple[int, str]:
        """Exit status and what was printed, of a command that runs quietly."""
        command = [self.python, *arguments]
        done = subprocess.run(
            command, cwd=ROOT, env=self.variables, check=False, text=True, stdout=subprocess.PIPE, stderr=stderr
        )
        return done.returncode, done.stdout

    def tee(self, log: Path | None, *arguments: str) -> tuple[int, list[str]]:
        """Run with the output shown as it comes, kept, and written to `log`."""
        lines = []
        with contextlib.ExitStack() as stack:
            copy = stack.enter_context(log.open("w")) if log else None
            process = stack.enter_context(
                subprocess.Popen(
                    [self.python, *arguments],
                    cwd=ROOT,
                    env=self.variables,
                    text=True,
                    errors="replace",
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                )
            )
            assert process.stdout is not None
            for line in process.stdout:
                sys.stdout.write(line)
                sys.stdout.flush()
                lines.append(line.rstrip())
                if copy:
                    copy.write(line)
        return process.returncode, lines


def missing(modules: dict[str, str]) -> list[str]:
    """The distributions whose modules this Python cannot import."""
    return [package for module, package in modules.items() if find_spec(module) is None]


def prepared(extras: str, modules: dict[str, str], *, prefer_own: bool = False) -> Environment:
    """The environment for a command that needs `extras` of pyproject.toml, or, without a network, these `modules`."""
    own = Environment(sys.executable, borrowed=True)
    lacking = missing(modules)
    if prefer_own and not lacking:
        say(f"using {sys.executable} as it is: it has what is needed")
        return own
    try:
        return installed(extras)
    except Trouble as trouble:
        if lacking:
            raise Trouble(
                f"{trouble}\n{sys.executable} cannot serve instead: it lacks {', '.join(lacking)}.\n"
                f"  Fix: give it a network, or run here: {sys.executable} -m pip install {' '.join(lacking)}"
            ) from None
        say(f"{str(trouble).splitlines()[0]}; using {sys.executable} as it is: it has what is needed")
        return own


def installed(extras: str) -> Environment:
    """`.venv` with this repository and `extras` in it, made or brought up to date where it is not."""
    python = VENV / "bin" / "python"
    base = os.path.realpath(getattr(sys, "_base_executable", sys.executable))
    identity = {
        "project": hashlib.blake2b((ROOT / "pyproject.toml").read_bytes(), digest_size=16).hexdigest(),
        "python": f"{base} {sys.version}",
        "root": str(ROOT),
    }
    with one_at_a_time():
        before = read_stamp()
        fresh = python.exists() and all(before.get(key) == value for key, value in identity.items())
        have = before["extras"] if fresh else []
        if extras not in have:
            if not (python.exists() and before.get("python") == identity["python"]):
                make_venv(base)
            install(python, extras)
            STAMP.write_text(json.dumps({**identity, "extras": [*have, extras]}))
    return Environment(str(python), borrowed=False)


@contextlib.contextmanager
def one_at_a_time() -> Iterator[None]:
    """Two of these at once must not both build .venv."""
    with (ROOT / ".venv.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def read_stamp() -> dict[str, list[str] | str]:
    try:
        stamp = json.loads(STAMP.read_text())
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def make_venv(base: str, folder: Path = VENV) -> None:
    say(f"making {folder.name} with {base}")
    if find_spec("venv") is None:
        raise Trouble(f"{base} has no module venv.\n  Fix: {how_to_get_venv()}")
    whole = find_spec("ensurepip") is not None
    flags = ["--clear"] + ([] if whole else ["--without-pip"])  # then the pip of this Python installs into it
    if not whole and not pip_can_reach_out():
        raise Trouble(f"{base} can make no virtual environment: ensurepip is missing.\n  Fix: {how_to_get_venv()}")
    done = subprocess.run([base, "-m", "venv", *flags, str(folder)], capture_output=True, text=True, check=False)
    if done.returncode:
        said = (done.stdout + done.stderr).strip()
        raise Trouble(f"making {folder} failed: {said}\n  Fix: {how_to_get_venv()}")


def how_to_get_venv() -> str:
    short = f"{sys.version_info.major}.{sys.version_info.minor}"
    return (
        f"install Python's venv and pip (Debian, Ubuntu: apt-get install python{short}-venv python3-pip; "
        "Fedora: dnf install python3-pip)"
    )


def pip_can_reach_out() -> bool:
    """Whether this Python's own pip can install into another environment (`pip --python`, since 22.3)."""
    try:
        major, minor = (int(part) for part in version("pip").split(".")[:2])
    except (PackageNotFoundError, ValueError):
        return False
    return (major, minor) >= (22, 3)


def pip_of(python: Path) -> list[str]:
    """The command that installs into an environment: its own pip, or the one of the Python that runs this."""
    if (python.parent / "pip").exists():
        return [str(python), "-m", "pip"]
    return [sys.executable, "-m", "pip", "--python", str(python)]


def install(python: Path, extras: str) -> None:
    say(f"installing ptxgen[{extras}] and what it needs into .venv (the first time takes a minute)")
    began = time.perf_counter()
    command = [*pip_of(python), "install", "--disable-pip-version-check", "--editable", f".[{extras}]"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    (VENV / "install.log").write_text(done.stdout + done.stderr)
    if done.returncode:
        told = "\n    ".join((done.stderr or done.stdout).strip().splitlines()[-6:])
        raise Trouble(f"installing into .venv failed (all of it: .venv/install.log)\n    {told}")
    say(f"installed in {time.perf_counter() - began:.0f} s")


# ---- the commands ----------------------------------------------------------------------------------------------------


def demo(arguments: list[str]) -> int:
    environment = prepared("cli,numpy,assemble", RUN)
    say(shlex.join(["python", "-m", "ptxgen", "demo", *arguments]))
    return environment.run("-m", "ptxgen", "demo", *arguments)


def lint(arguments: list[str]) -> int:
    environment = prepared("dev", LINT)
    if "--fix" in arguments:
        environment.run("-m", "ruff", "check", "--fix", "--quiet")
    return report(check_all(environment))


def test(arguments: list[str]) -> int:
    environment = prepared("dev", {**TEST, **LINT})
    parallel = ["-n", str(len(os.sched_getaffinity(0))), "--dist", "loadfile"]
    if arguments:
        say("arguments given: only pytest, without lint, types and floors")
        if "--quick" in arguments and not any(each.startswith(("-n", "--pdb")) for each in arguments):
            arguments = [*parallel, *arguments]
        return run_tests(environment, None, arguments)[0]
    with ThreadPoolExecutor(1) as beside:
        checks: Future[list[Check]] = beside.submit(check_all, environment)
        status, lines = run_tests(environment, None, [*parallel, "--tb=short"])
        say("waiting for lint, types and floors")
        failed = report(checks.result())
    closing = lines[-1] if lines else "0 passed, 1 failed"
    print(closing, flush=True)  # the last word is pytest's own
    return status or failed


def gpu(arguments: list[str]) -> int:
    environment = prepared("test", TEST, prefer_own=True)
    status, found = environment.read("-c", FIND_GPU)
    if status:
        raise Trouble(f"no GPU to test on: {found.strip()}")
    say(f"on {found.strip()}")
    out = Path(os.environ["OUT"]) if os.environ.get("OUT") else None
    tests, lines = run_tests(environment, out and out / "pytest.log", ["--device", "cuda", *arguments])
    say("the demo on the GPU")
    shown, _ = environment.tee(out and out / "demo.log", "-m", "ptxgen", "demo", "--device", "cuda")
    say(f"demo {'passed' if not shown else f'FAILED (status {shown})'}")
    measured = 0
    for name in benchmarks():
        say(f"bench {name} --tiny on the GPU")
        log = out and out / f"bench-{name}.log"
        status, _ = environment.tee(log, str(BENCH / f"{name}.py"), "--tiny", "--device", "cuda")
        if status:
            say(f"bench {name} FAILED (status {status})")
        measured = measured or status
    print(lines[-1] if lines else "0 passed, 1 failed", flush=True)
    return tests or shown or measured


def benchmarks() -> list[str]:
    """The names of all benchmarks; what begins with an underscore is shared by them."""
    return sorted(path.stem for path in BENCH.glob("*.py") if not path.stem.startswith("_"))


def bench(arguments: list[str]) -> int:
    known = benchmarks()
    split = next((at for at, word in enumerate(arguments) if word.startswith("-")), len(arguments))
    names, rest = arguments[:split], arguments[split:]
    if unknown := [name for name in names if name not in known]:
        raise Trouble(f"no benchmark named {', '.join(unknown)}\n  Fix: one of {', '.join(known) or '(none yet)'}")
    environment = prepared("cli,numpy,assemble", RUN, prefer_own=True)
    written = "--write" in rest
    as_json = written or "--json" in rest
    rest = [word for word in rest if word not in ("--write", "--json")] + ["--json"] * as_json
    found: dict[str, list[dict[str, Any]]] = {}
    worst = 0
    for name in names or known:
        say(f"bench {name}")
        script = str(BENCH / f"{name}.py")
        if as_json:
            status, printed = environment.read(script, *rest, stderr=None)
            if not status:
                found[name] = json.loads(printed)
        else:
            status = environment.run(script, *rest)
        if status:
            say(f"bench {name} FAILED (status {status})")
        worst = worst or status
    if written:
        write_page(environment, found)
    elif as_json:
        print(json.dumps([row for rows in found.values() for row in rows], indent=1))
    return worst


def write_page(environment: Environment, found: dict[str, list[dict[str, Any]]]) -> None:
    """Put what benchmarks found into docs/performance.md, or the page that has their marks."""
    sys.path.insert(0, str(ROOT))
    from tools.bench import _page

    status, gpu = environment.read("-c", FIND_GPU)
    machine = f"a machine of {os.cpu_count()} cores without a GPU" if status else gpu.strip()
    for name, rows in found.items():
        page = _page.home(PERFORMANCE.parent, name)
        source = (BENCH / f"{name}.py").read_text()
        _page.write(page, {name: _page.section(name, source, rows, machine, heading=page == PERFORMANCE)})
        say(f"wrote {page.relative_to(ROOT)}")


def release(arguments: list[str]) -> int:
    return Environment(sys.executable, borrowed=True).run(str(ROOT / "tools" / "release.py"), *arguments)


def fuzz(arguments: list[str]) -> int:
    return prepared("test", TEST).run("-m", "tools.fuzz._campaign", *arguments)


def matrix(arguments: list[str]) -> int:
    return Environment(sys.executable, borrowed=True).run(str(ROOT / "tools" / "matrix.py"), *arguments)


def corpus(arguments: list[str]) -> int:
    return prepared("test", TEST).run(str(ROOT / "tools" / "corpus.py"), *arguments)


def docs(arguments: list[str]) -> int:
    return prepared("test,docs", DOCS).run("-m", "tools.site.build", *arguments)


def run_tests(environment: Environment, log: Path | None, arguments: Sequence[str]) -> tuple[int, list[str]]:
    """pytest, and its lines. Its plugins are named: a borrowed Python may hold any number, and pytest compiles the whole package
    of a plugin that it finds by itself, with other asserts, in whatever thread imports it (Python 3.11 then loses its stack).

    Bytecode is kept, beside pytest's own cache where the caller wants none in the tree: without it each worker rewrites every
    test file, and each process that a test starts compiles the packages again, which is a quarter of the time."""
    flags = ["--color=yes"] if sys.stdout.isatty() and not log else []
    environment.variables["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    if environment.variables.pop("PYTHONDONTWRITEBYTECODE", None):
        environment.variables["PYTHONPYCACHEPREFIX"] = str(BYTECODE)
    flags += ["-p", "xdist.plugin", "-p", "_hypothesis_pytestplugin", "-p", "ptxgen.golden.plugin"]
    say(shlex.join(["python", "-m", "pytest", *flags, *arguments]))
    return environment.tee(log, "-m", "pytest", *flags, *arguments)


# ---- lint, types, floors ---------------------------------------------------------------------------------------------


class Check:
    """How one of the static checks went."""

    def __init__(self, name: str, status: int, output: str, seconds: float) -> None:
        self.name = name
        self.failed = status != 0
        self.output = output.strip()
        self.seconds = seconds


def check_all(environment: Environment) -> list[Check]:
    results = []
    for name, command in CHECKS.items():
        began = time.perf_counter()
        status, output = environment.read(*command)
        results.append(Check(name, status, output, time.perf_counter() - began))
    return results


def report(checks: list[Check]) -> int:
    for check in checks:
        if check.failed:
            print(f"---- {check.name} ----\n{check.output}", flush=True)
    for check in checks:
        say(f"{check.name:7} {'FAILED' if check.failed else 'ok'} ({check.seconds:.1f} s)")
    return int(any(check.failed for check in checks))


COMMANDS: dict[str, Callable[[list[str]], int]] = {
    "demo": demo, "test": test, "lint": lint, "gpu": gpu, "bench": bench, "fuzz": fuzz, "matrix": matrix, "corpus": corpus,
    "docs": docs, "release": release,
}  # fmt: skip


def main(arguments: list[str]) -> int:
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(__doc__)
        return 0
    command = COMMANDS.get(arguments[0])
    if command is None:
        say(f"no command {arguments[0]!r}; there are: {', '.join(COMMANDS)}")
        return 2
    try:
        return command(arguments[1:])
    except Trouble as trouble:
        say(str(trouble))
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    if sys.version_info < (3, 10):  # noqa: UP036  # this file is what a person with an older Python starts
        sys.exit(f"dev: ptxgen needs Python 3.10 or newer; this is {sys.version.split()[0]} ({sys.executable})")
    sys.exit(main(sys.argv[1:]))
