#!/usr/bin/env python3
"""Builds the sdists and the wheels into dist/ and tries them in fresh environments: `tools/dev.py release`.

    python tools/release.py [--dirty]      --dirty: take changes that are not committed along, for a trial

1. CHANGELOG.md has a section for the version in pyproject.toml, and nothing is uncommitted.
2. Three distributions are built, each an sdist from a copy of its tracked files and a wheel from that, with `build` in an
   environment of its own: ptxgen; ptxgen_kernels, the rooms that tools/library/pyproject.toml names; and driver_ctypes.
   tools/repack.py then compresses the wheels again, by Zopfli.
3. An sdist of ptxgen holds every tracked file of what pyproject.toml includes, a wheel every tracked one of its own. Wheels are
   small.
4. tools/installed.py runs in fresh environments: ptxgen with its dependencies alone, with the extra `kernels`, with the extra
   `test`, and driver_ctypes alone.
5. A bill of materials (CycloneDX) lists what the first of these environments has.

It uploads nothing and sets no tag; it ends with the commands for both. Needs a network, as the first `tools/dev.py test` does.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tools.dev import Trouble, make_venv, pip_of, say

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
ADDED = {"PKG-INFO", ".gitignore"}
"""What the builder puts into an sdist by itself."""
OWN = {"driver_ctypes/pyproject.toml", "driver_ctypes/README.md", "driver_ctypes/LICENSE"}
"""What makes driver_ctypes a distribution, and is in no wheel."""
LARGEST = {"ptxgen": 2_050_000, "ptxgen_kernels": 1_200_000, "driver_ctypes": 330_000}
"""Bytes of the wheel of each distribution."""
ZOPFLIPY = "1.14"
"""The version that compresses wheels: another one might make other bytes of the same files."""


def project_text(root: Path, name: str, pattern: str) -> str:
    """What a pattern finds in a file of the project. tomllib came with Python 3.11."""
    found = re.search(pattern, (root / name).read_text("utf-8"), re.MULTILINE | re.DOTALL)
    if found is None:
        raise Trouble(f"{name} has nothing like {pattern}")
    return found[1]


def project_version(root: Path = ROOT) -> str:
    return project_text(root, "pyproject.toml", r'^version = "([^"]+)"')


def included(root: Path = ROOT) -> list[str]:
    """The paths that pyproject.toml puts into the sdist, from the root on."""
    listed = project_text(root, "pyproject.toml", r"^\[tool\.hatch\.build\.targets\.sdist\]\ninclude = \[(.*?)\]")
    return [path.lstrip("/") for path in re.findall(r'"([^"]+)"', listed)]


def library(root: Path = ROOT) -> list[str]:
    """The folders of the rooms that are in the wheel of ptxgen_kernels, and not in that of ptxgen."""
    listed = project_text(root, "tools/library/pyproject.toml", r"^only-include = \[(.*?)^\]")
    return re.findall(r'"([^"]+)"', listed)


def check_changelog(version: str, root: Path = ROOT) -> None:
    """Trouble unless the newest section that is not "Unreleased" is this version's."""
    sections = re.findall(r"^## (\S+)", (root / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    newest = next((name for name in sections if name != "Unreleased"), None)
    if newest != version:
        raise Trouble(
            f"pyproject.toml says version {version}, the newest section of CHANGELOG.md is {newest}\n"
            f"  Fix: write a section '## {version}' there, or set the version"
        )


def tracked(root: Path, paths: list[str]) -> set[str]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--", *paths], cwd=root, capture_output=True, text=True, check=True
    )
    return {name for name in listed.stdout.split("\0") if name and (root / name).exists()}


def check_clean(root: Path = ROOT) -> None:
    changed = subprocess.run(["git", "status", "--porcelain"], cwd=root, capture_output=True, text=True, check=True)
    if changed.stdout:
        raise Trouble(f"uncommitted changes:\n{changed.stdout}  Fix: commit them, or try with --dirty")


def difference(kind: str, held: set[str], wanted: set[str]) -> list[str]:
    """One line for each file too few and too many."""
    lacking = [f"{kind} lacks {name}" for name in sorted(wanted - held)]
    return lacking + [f"{kind} has {name}, which is not tracked" for name in sorted(held - wanted)]


def sdist_files(path: Path) -> set[str]:
    """The files of an sdist, without the folder that they are in."""
    with tarfile.open(path) as archive:
        return {member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()}


def wheel_files(path: Path) -> set[str]:
    with zipfile.ZipFile(path) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name and not name.endswith("/")}


def check_contents(sdist: Path, wheels: dict[str, Path], root: Path = ROOT) -> None:
    """Trouble unless all files are where they belong, and no wheel is larger than it should be."""
    rooms = tracked(root, library(root))
    found = difference("the sdist", sdist_files(sdist) - ADDED, tracked(root, included(root)) - rooms - ADDED)
    wanted = {
        "ptxgen": tracked(root, ["ptxgen"]) - rooms,
        "ptxgen_kernels": rooms,
        "driver_ctypes": tracked(root, ["driver_ctypes"]) - OWN,
    }
    for name, wheel in wheels.items():
        found += difference(f"the wheel of {name}", wheel_files(wheel), wanted[name])
        if wheel.stat().st_size > LARGEST[name]:
            found.append(f"the wheel of {name} has {wheel.stat().st_size} bytes, more than {LARGEST[name]}")
    if found:
        raise Trouble("\n".join(found[:20]) + "\n  Fix: pyproject.toml, [tool.hatch.build.targets]")


def environment(folder: Path, *packages: str) -> Path:
    """The Python of a fresh environment with these packages."""
    make_venv(sys.executable, folder)
    python = folder / "bin" / "python"
    run([*pip_of(python), "install", "--disable-pip-version-check", "--quiet", *packages])
    return python


def run(command: list[str], cwd: Path | None = None) -> None:
    done = subprocess.run(command, cwd=cwd, check=False)
    if done.returncode:
        raise Trouble(f"{Path(command[0]).name} {' '.join(command[1:6])} failed (status {done.returncode})")


def copied(folder: Path, names: set[str], root: Path = ROOT) -> Path:
    """These files of the project, in a folder."""
    for name in sorted(names):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(root / name, folder / name)
    return folder


def own_files(root: Path = ROOT) -> set[str]:
    """What ptxgen is built from: the tracked files without the other distributions, on which it then depends."""
    return tracked(root, ["."]) - tracked(root, ["driver_ctypes", *library(root)])


def library_alone(folder: Path, root: Path = ROOT) -> Path:
    """What ptxgen_kernels is built from: its rooms, the files of tools/library, and where the version stands."""
    shared = {"LICENSE", "ptxgen/__init__.py", "tools/requirements_hook.py"}
    copied(folder, tracked(root, library(root)) | shared, root)
    for name in ("pyproject.toml", "README.md"):
        shutil.copy2(root / "tools" / "library" / name, folder / name)
    return folder


def build(folder: Path, version: str) -> dict[str, tuple[Path, Path]]:
    """(sdist, wheel) of each distribution, in dist/ and nothing else of them there."""
    for old in (path for name in LARGEST for path in DIST.glob(f"{name}-*")):
        old.unlink()
    python = environment(folder / "build", "build", "cyclonedx-bom", f"zopflipy=={ZOPFLIPY}")
    sources = {
        "ptxgen": copied(folder / "ptxgen", own_files()),
        "ptxgen_kernels": library_alone(folder / "library"),
        "driver_ctypes": ROOT / "driver_ctypes",
    }
    for project in sources.values():
        run([str(python), "-m", "build", "--outdir", str(DIST), str(project)])
    made = {name: (DIST / f"{name}-{version}.tar.gz", DIST / f"{name}-{version}-py3-none-any.whl") for name in sources}
    run([str(python), str(ROOT / "tools" / "repack.py"), *[str(wheel) for _, wheel in made.values()]])
    return made


def bill_of_materials(folder: Path, version: str) -> Path:
    """What an installed ptxgen consists of, as CycloneDX has it: of the environment "bare", by cyclonedx-bom."""
    path = DIST / f"ptxgen-{version}.cdx.json"
    of = [str(folder / "bare" / "bin" / "python"), "--output-reproducible", "--output-format", "JSON", "-o", str(path)]
    run([str(folder / "build" / "bin" / "python"), "-m", "cyclonedx_py", "environment", *of])
    return path


def release(*, dirty: bool) -> None:
    version = project_version()
    check_changelog(version)
    if not dirty:
        check_clean()
    began = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="ptxgen-release-") as name:
        folder = Path(name)
        say(f"building {', '.join(LARGEST)} {version}")
        made = build(folder, version)
        say("contents of all")
        check_contents(made["ptxgen"][0], {name: built for name, (_, built) in made.items()})
        levels = {
            "bare": "ptxgen",
            "kernels": "ptxgen[kernels,numpy]",
            "extras": "ptxgen[test]",
            "alone": "driver_ctypes",
        }
        for level, package in levels.items():
            say(f"the wheels in a fresh environment: {level}")
            python = environment(folder / level, "--find-links", str(DIST), f"{package}=={version}")
            script = str(ROOT / "tools" / "installed.py")
            run([str(python), "-I", script, level, "--project", str(ROOT / "pyproject.toml")], cwd=folder)
        bill = bill_of_materials(folder, version)
    paths = [path for pair in made.values() for path in pair]
    for path in (*paths, bill):
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        print(f"{path.relative_to(ROOT)}  {path.stat().st_size / 1e6:.2f} MB  sha256 {digest}")
    say(f"ptxgen {version} is good ({time.perf_counter() - began:.0f} s). To publish it:")
    print(f"git tag -a v{version} -m 'ptxgen {version}' && git push origin v{version}")
    print(f"python -m twine upload {' '.join(str(path.relative_to(ROOT)) for path in paths)}")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--dirty", action="store_true", help="take changes that are not committed along, for a trial")
    try:
        release(dirty=parser.parse_args().dirty)
    except Trouble as trouble:
        say(str(trouble))
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
