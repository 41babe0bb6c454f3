"""What an installed ptxgen must do, tried from outside the checkout by `tools/dev.py release`.

    python -I tools/installed.py bare      in an environment with the wheel and its dependencies alone
    python -I tools/installed.py kernels   in one with the wheel's extras `kernels` and `numpy`
    python -I tools/installed.py extras    in one with the wheel's extra `test`
    python -I tools/installed.py alone     in one with driver_ctypes, its own distribution, and nothing else
    python -I tools/installed.py LEVEL --project pyproject.toml    compare with that file's version and entry points

One line a check; exit status 1 at the first that fails.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from importlib.metadata import distribution, entry_points, requires, version
from pathlib import Path

SAXPY = """
import ptxgen as px
from ptxgen import f32, u32

@px.kernel
def saxpy(k: px.Builder, n: u32, a: f32, x: px.ptr[f32], y: px.ptr[f32]):
    i = k.global_id.x
    with k.if_(i < n):
        y[i] = k.fma(a, x[i], y[i])

def test_saxpy(golden):
    golden("saxpy", "f32", saxpy.module(target="sm_90a"))
"""
RUN = "saxpy.py 4 2.0 arange:f32:4 ones:f32:4 --block 32 --device cpu --out y=y.npy"


class Failed(Exception):
    """A check of the installed package failed; the text says what was wanted."""


def want(condition: object, what: str) -> None:
    if not condition:
        raise Failed(what)
    print(f"  ok  {what}")


def command(*words: str) -> subprocess.CompletedProcess[str]:
    """Run a program of this environment in the working directory, without what the caller's environment adds."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYTEST"))}
    program = str(Path(sys.executable).parent / words[0])
    return subprocess.run([program, *words[1:]], env=clean, capture_output=True, text=True, check=False)


def page_program(name: str) -> str:
    """The program on the page of a distribution."""
    program = re.search(r"```python\n(.*?)```", str(distribution(name).read_text("METADATA")), re.DOTALL)
    want(program, f"the page of {name} has a program")
    return program[1] if program else ""


def installed(project: Path | None) -> None:
    import driver_ctypes
    import ptxgen

    for package in (ptxgen, driver_ctypes):
        folder = Path(package.__file__ or "").parent
        want(Path(sys.prefix) in folder.parents, f"{package.__name__} is imported from the environment")
        want((folder / "py.typed").is_file(), f"{package.__name__}/py.typed is there")
    for package, stub in ((driver_ctypes, "__init__.pyi"), (ptxgen, "builder/exact/chains.pyi")):
        want((Path(package.__file__ or "").parent / stub).is_file(), f"the stub {package.__name__}/{stub} is there")
    want(entry_points(group="driver_ctypes.drivers", name="cpu"), "the entry point of the CPU driver is there")
    want(entry_points(group="pytest11", name="ptxgen"), "the entry point of the pytest plugin is there")
    want(entry_points(group="pygments.lexers", name="ptxgen"), "the entry point of the lexer is there")
    want(requires("ptxgen"), "the requirements are stated")
    if project is not None:
        want(f'\nversion = "{version("ptxgen")}"\n' in project.read_text(), f"the version is {version('ptxgen')}")


def alone(project: Path | None) -> None:
    """The program of its page runs where there is a GPU; else the error says what was tried."""
    import driver_ctypes

    want(
        Path(sys.prefix) in Path(driver_ctypes.__file__ or "").parents, "driver_ctypes is imported from the environment"
    )
    want(not requires("driver_ctypes") or "extra" in str(requires("driver_ctypes")), "it requires nothing")
    found = version("driver_ctypes")
    want(
        project is None or f'\nversion = "{found}"\n' in project.read_text(), f"the version is that of ptxgen, {found}"
    )
    done = command("python", "-I", "-c", page_program("driver_ctypes"))
    right = done.returncode == 0 and done.stdout == "[2, 4, 6, 8]\n"
    want(right or "DriverNotFoundError" in done.stderr, "the program of its page runs, or says that there is no driver")


def driver() -> None:
    """`driver_ctypes` alone finds the CPU driver by its entry point."""
    program = "import sys, driver_ctypes as dc; d = dc.driver('cpu').device(0); print(d.name)"
    done = command("python", "-I", "-c", program)
    want(done.returncode == 0 and done.stdout.strip(), "driver_ctypes opens the CPU driver by its entry point")


def programs() -> None:
    """A kernel and PTX text make programs; the codes lead to their functions."""
    from importlib import import_module

    import ptxgen as px

    Path("saxpy.py").write_text(SAXPY)
    sys.path.insert(0, "")
    module = import_module("saxpy").saxpy.module(target="sm_90a")
    want(px.verify(module) == [] and px.parse(str(module)) == module, "a kernel is built, verified, printed and parsed")
    found = px.explain("PTX220").to_dict()["rules"]
    want(found and all(rule["line"] for rule in found), "a code leads to the functions that report it")


def without_library() -> None:
    """Everything of ptxgen is imported without the kernel library; what belongs to that says how to get it."""
    import ptxgen as px
    from ptxgen.lazy import LIBRARY

    try:
        print(px.ops)
    except ModuleNotFoundError as missing:
        want("ptxgen[kernels]" in str(missing), "px.ops says what it needs where the kernel library is missing")
    else:
        raise Failed("px.ops needs the kernel library")
    folder = Path(px.__file__ or "").parent
    want(not [room for room in LIBRARY if (folder / room).exists()], "no room of the library is there")


def library() -> None:
    """The kernel library: its templates, its catalogue, and the program of its page."""
    import ptxgen as px
    from ptxgen.kernels import catalogue

    want(version("ptxgen_kernels") == version("ptxgen"), "the library has the version of ptxgen")
    folder = Path(px.__file__ or "").parent / "kernels" / "templates"
    want(sorted(path.name for path in folder.glob("*.j2")), "the templates of the library are there")
    made = px.render(str(folder / "elementwise.ptx.j2"), op="add", target="sm_80")
    want(px.verify(made) == [], "a template of the library is rendered")
    want(len(list(catalogue.__all__)), "the catalogue of kernels is imported")
    done = command("python", "-I", "-c", page_program("ptxgen_kernels"))
    want(done.returncode == 0 and done.stdout == "[1 1 2 3]\n", "the program of the library's page runs")


def without_click() -> None:
    done = command("ptxgen", "info")
    want(done.returncode == 2 and "Fix: " in done.stderr, "the command says what it needs where click is missing")


def shell() -> None:
    want(command("ptxgen", "explain", "PTX548").returncode == 0, "ptxgen explain")
    want(command("ptxgen", "emit", "saxpy.py", "--target", "sm_80", "-o", "saxpy.ptx").returncode == 0, "ptxgen emit")
    want(command("ptxgen", "check", "saxpy.ptx").returncode == 0, "ptxgen check")
    done = command("ptxgen", "run", *RUN.split())
    want(done.returncode == 0 and Path("y.npy").is_file(), "ptxgen run on the CPU device")
    want(command("python", "-m", "ptxgen", "info").returncode == 0, "python -m ptxgen info")


def plugin() -> None:
    """The golden plugin comes with the package: `--bless` writes, the next run compares."""
    Path("pytest.ini").write_text("[pytest]\n")
    pytest = ("pytest", "-q", "-p", "no:cacheprovider", "saxpy.py")
    want(command(*pytest).returncode == 1, "a golden that is missing fails")
    want(command(*pytest, "--bless").returncode == 0, "pytest --bless pins a golden")
    want(command(*pytest).returncode == 0, "a golden is compared")


def lexer() -> None:
    """Pygments finds the lexer by its entry point."""
    from pygments.lexers import get_lexer_by_name

    want(get_lexer_by_name("ptxgen").name == "PTX", "Pygments finds the lexer of PTX")


CHECKS = {
    "bare": (driver, programs, without_library, without_click),
    "kernels": (driver, programs, library),
    "extras": (driver, programs, library, shell, plugin, lexer),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("level", choices=(*CHECKS, "alone"))
    parser.add_argument("--project", type=Path)
    arguments = parser.parse_args()
    checks = CHECKS.get(arguments.level, ())
    project = arguments.project and arguments.project.resolve()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            if arguments.level == "alone":
                alone(project)
                return 0
            installed(project)
            for check in checks:
                check()
        except Failed as failed:
            print(f"  FAILED: {failed}")
            return 1
        finally:
            os.chdir("/")
    return 0


if __name__ == "__main__":
    sys.exit(main())
