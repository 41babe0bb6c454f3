"""What a golden file says: PTX of one target, and above it a line of all targets that it stands for.

    // golden: sm_75 6.3, sm_80 7.0, sm_90a 8.0
    .version 6.3
    .target sm_75

The first of the line is the target of the text and of the file's name; each stands with its PTX version. The texts of
the others are this one with their `.version` and `.target`. A file without the line stands for its own target alone; it is
the pinned text and nothing else, with the comments that compilers write above `.version`.
syrupy and pytest-regressions pin one file a test; that a file is PTX of one target and stands for others is ours.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from driver_ctypes.errors import ArgumentRangeError
from ptxgen.errors import PtxError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from os import PathLike

__all__ = ["GoldenDamaged", "GoldenFile", "file_path", "files_of", "read", "split", "target_order", "variant_name"]

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+=,-]*")
_LONGEST = 200  # file systems take 255 bytes, also of the name of a file that is being written
_TARGET = re.compile(r"\w+")  # without a dot: what stands before it in a file's name is the variant
_LINE = "// golden: "
_ENTRY = re.compile(r"(\w+) (\d+\.\d+)")
_MEANT = re.compile(r"/{1,2}\s*golden\b")  # such a first line was one of ours, whatever became of it
_BLANK = r"(?:\s|//[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/)"
_HEADER = re.compile(
    rf"(?P<before>{_BLANK}*\.version\s+)(?P<version>[\d.]+)(?P<between>{_BLANK}+\.target\s+)(?P<target>\w+)"
)


class GoldenDamaged(PtxError):
    """A golden file that blessing did not write so: edited by hand, or merged wrongly. `path` is the file."""

    def __init__(self, path: Path, message: str, hint: str = "") -> None:
        self.path = path
        super().__init__(
            f"{path}: {message}",
            hint=hint or "restore the file from version control, or delete it and bless its targets",
        )


class Text(NamedTuple):
    """PTX text without its version and its target: what targets of the same body share."""

    before: str  # ".version ", and what stands above it
    between: str  # "\n.target "
    rest: str  # after the target's name, with its options

    def restored(self, target: str, version: str) -> str:
        return f"{self.before}{version}{self.between}{target}{self.rest}"


class GoldenFile(NamedTuple):
    """A file: the text that its entries share, and the PTX version of each target."""

    path: Path
    text: Text
    versions: Mapping[str, str]

    def restored(self, target: str) -> str:
        """The PTX pinned for one of its targets."""
        return self.text.restored(target, self.versions[target])


def target_order(target: str) -> tuple[int, str]:
    """Older architectures come first: sm_75, sm_80, sm_90, sm_90a, sm_100a."""
    number = re.search(r"\d+", target)
    return (int(number[0]) if number else 0, target)


def split(ptx: str) -> tuple[Text, str, str]:
    """(shared text, target, version) of a module's PTX. ValueError where it does not begin with both directives."""
    found = _HEADER.match(ptx)
    if found is None:
        raise ValueError(f"{ptx.partition(chr(10))[0][:80]!r} where .version and .target are expected")
    return Text(found["before"], found["between"], ptx[found.end() :]), found["target"], found["version"]


def variant_name(parameters: Mapping[str, object]) -> str:
    """The variant that a set of compile-time parameters is: {"unroll": 4, "type": f32} is "type=f32,unroll=4".

    In the order of their names, so that equal sets have equal names; "default" for none. ValueError for a value that makes no
    portable file name.
    """
    return ",".join(f"{key}={_value_name(key, parameters[key])}" for key in sorted(parameters)) or "default"


def _value_name(key: str, value: object) -> str:
    if isinstance(value, (tuple, list)):
        return "x".join(_value_name(key, part) for part in value)
    text = value.__name__ if isinstance(value, type) else str(value)
    if not re.fullmatch(r"[\w.+-]+", text, re.ASCII):
        raise ArgumentRangeError(
            f"the value {text!r} of {key!r} makes no file name", hint="give the variant a name instead"
        )
    return text


def file_path(name: str, variant: str, target: str, folder: str | PathLike[str]) -> Path:
    """The file of which `target` is the first. ArgumentRangeError for a name that makes no portable file name."""
    for part, pattern in ((name, _NAME), (variant, _NAME), (target, _TARGET)):
        if not pattern.fullmatch(part):
            raise ArgumentRangeError(
                f"{part!r} cannot be part of a golden's path", hint="letters, digits and _ . + - = , only"
            )
    file = f"{variant}.{target}.ptx"
    if len(file) > _LONGEST:
        raise ArgumentRangeError(
            f"{file[:40]!r}... has {len(file)} characters, more than {_LONGEST}", hint="give the variant a shorter name"
        )
    return Path(folder, name, file)


def files_of(name: str, variant: str, folder: str | PathLike[str]) -> list[GoldenFile]:
    """The files of one variant, in the order of their first targets. GoldenDamaged where one cannot be understood."""
    pattern = re.compile(re.escape(variant) + r"\.(\w+)\.ptx")
    try:
        found = [match for path in Path(folder, name).iterdir() if (match := pattern.fullmatch(path.name))]
    except FileNotFoundError:
        return []
    found.sort(key=lambda match: target_order(match[1]))
    return [read(file_path(name, variant, match[1], folder)) for match in found]


def read(path: Path) -> GoldenFile:
    """Understand one file. Raises GoldenDamaged."""
    try:
        content = path.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise GoldenDamaged(path, f"it is not UTF-8 text ({error.reason} at byte {error.start})") from None
    versions: dict[str, str] = {}
    ptx = content
    if _MEANT.match(content):
        line, _, ptx = content.partition("\n")
        versions = dict(_entries(path, line.rstrip("\r")))
    if _LINE.strip() in ptx:
        raise GoldenDamaged(path, f"the line {_LINE.strip()!r} is not the first, or stands there twice")
    try:
        text, target, version = split(ptx)
    except ValueError as error:
        raise GoldenDamaged(path, str(error)) from None
    named = path.name.split(".")[-2]
    if target != named:
        raise GoldenDamaged(path, f"its .target is {target}, its name says {named}")
    if versions and (first := next(iter(versions.items()))) != (target, version):
        raise GoldenDamaged(
            path, f"its first entry is {' '.join(first)}, but the text is of {target} {version} (.target and .version)"
        )
    return GoldenFile(path, text, versions or {target: version})


def _entries(path: Path, line: str) -> Iterator[tuple[str, str]]:
    before: str | None = None
    if not line.startswith(_LINE):
        raise GoldenDamaged(
            path, f"its first line is {line!r}, not {_LINE!r} and entries like 'sm_90a 8.0, sm_100a 8.6'"
        )
    for entry in line[len(_LINE) :].split(", "):
        found = _ENTRY.fullmatch(entry)
        if found is None:
            raise GoldenDamaged(path, f"{entry!r} in its first line is not an entry like 'sm_90a 8.0'")
        if before is not None and target_order(before) >= target_order(found[1]):
            raise GoldenDamaged(
                path, f"{found[1]} stands after {before} in its first line: older targets come first, each once"
            )
        before = found[1]
        yield found[1], found[2]


def content(text: Text, versions: Mapping[str, str]) -> str:
    """What stands in the file for these targets."""
    ordered = sorted(versions.items(), key=lambda entry: target_order(entry[0]))
    line = _LINE + ", ".join(map(" ".join, ordered)) + "\n" if len(ordered) > 1 else ""
    return line + text.restored(*ordered[0])
