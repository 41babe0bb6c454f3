#!/usr/bin/env python3
"""Writes ptxgen/codes/index.py, which says of each diagnostic code where its row is and which functions report it.

It also writes the comments above the rows that name these functions.

    python tools/index_codes.py            write them
    python tools/index_codes.py --check    fail where they are not what the source says

A function reports a code when the code stands in it as a literal. A literal that is only compared, or a member of a set, reports
nothing.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from ptxgen.codes.functions import functions_in

ROOT = Path(__file__).resolve().parent.parent
INDEX = "ptxgen/codes/index.py"
MANY = 6
"""A comment names as many functions at the most; of a code that more report, only the files."""

Rules = dict[str, dict[str, tuple[str, ...]]]
"""Of each code, the files that report it and the functions of each."""


class Row(NamedTuple):
    """A row of a `codes.py`: its code, its meaning, its file and its first line."""

    code: str
    meaning: str
    file: str
    line: int

    @property
    def room(self) -> str:
        return self.file.rpartition("/")[0]


class Problem(Exception):
    """The rows and the rules do not agree; each line says about what and what to do."""


def sources(root: Path) -> dict[str, ast.Module]:
    """Every file of ptxgen, by its path from the root on."""
    paths = sorted((root / "ptxgen").rglob("*.py"))
    return {path.relative_to(root).as_posix(): ast.parse(path.read_text("utf-8")) for path in paths}


def rows(trees: dict[str, ast.Module]) -> list[Row]:
    """The rows of every `CODES` of a `codes.py`, in the order of the codes."""
    found = []
    for file, tree in trees.items():
        if file.endswith("/codes.py"):
            for node in ast.walk(tree):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Code":
                    code, meaning = (ast.literal_eval(argument) for argument in node.args[:2])
                    found.append(Row(code, meaning, file, node.lineno))
    return sorted(found)


def rules(trees: dict[str, ast.Module]) -> Rules:
    """Which functions report each code."""
    found: dict[str, dict[str, list[str]]] = {}
    for file, tree in trees.items():
        if file.endswith("/codes.py") or file == INDEX:
            continue
        names = {node: name for name, node in functions_in(tree).items()}
        for code, function in _reported(tree, names, None):
            if function is None:
                raise Problem(f"{file} has {code} outside of functions: write it where it is reported")
            functions = found.setdefault(code, {}).setdefault(file, [])
            if function not in functions:
                functions.append(function)
    return {code: {file: tuple(f) for file, f in sorted(files.items())} for code, files in sorted(found.items())}


def _reported(node: ast.AST, names: dict[ast.FunctionDef, str], function: str | None) -> list[tuple[str, str | None]]:
    """The codes in a node, each with the innermost function around it."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and re.fullmatch(r"PTX\d{3}", node.value):
        return [(node.value, function)]
    if isinstance(node, (ast.Compare, ast.Set)):
        return []
    if isinstance(node, ast.FunctionDef):
        function = names.get(node, node.name)
    return [each for child in ast.iter_child_nodes(node) for each in _reported(child, names, function)]


def check(found: list[Row], reported: Rules) -> None:
    """Problem where a code has no row or two, where nothing reports it, or where its row is in another room than its rules."""
    files = {row.code: row.file for row in found}
    problems = [
        f"{code} has no row: write it into a codes.py beside {next(iter(where))}"
        for code, where in reported.items()
        if code not in files
    ]
    for row in found:
        where = reported.get(row.code, {})
        if files[row.code] != row.file:
            problems.append(f"{row.code} has two rows: {row.file} and {files[row.code]}")
        elif not where:
            problems.append(f"{row.code} is reported by no function: delete its row in {row.file}")
        elif row.room not in {file.rpartition("/")[0] for file in where}:
            problems.append(f"{row.code} is reported by {', '.join(where)}: move its row there from {row.file}")
    for file in dict.fromkeys(row.file for row in found):
        lines = [row.line for row in found if row.file == file]
        if lines != sorted(lines):
            problems.append(f"the rows of {file} are not in the order of their codes")
    if problems:
        raise Problem("\n".join(problems))


def index(found: list[Row], reported: Rules) -> str:
    """The text of the index."""
    lines = [
        '"""Of each diagnostic code: the module with its row, its meaning, and the functions that report it, by file.',
        "",
        "Written by tools/index_codes.py from the source; do not edit.",
        '"""',
        "",
        "from ptxgen.codes.code import IndexEntry",
        "",
        '__all__ = ["INDEX"]',
        "",
        "INDEX = {",
    ]
    for row in found:
        module = row.file.removesuffix(".py").replace("/", ".")
        lines += [
            f"    {_quoted(row.code)}: IndexEntry(",
            f"        {_quoted(module)},",
            f"        {_quoted(row.meaning)},",
            "        {",
        ]
        for file, functions in reported[row.code].items():
            names = ", ".join(map(_quoted, functions)) + ("," if len(functions) == 1 else "")
            lines.append(f"            {_quoted(file)}: ({names}),")
        lines += ["        },", "    ),"]
    return "\n".join([*lines, "}", ""])


def _quoted(text: str) -> str:
    return "'" + text + "'" if '"' in text else '"' + text + '"'


def commented(text: str, found: list[Row], reported: Rules) -> str:
    """The text of a `codes.py` with the comments above these rows, which are those of that file."""
    lines: list[str] = []
    starts = {row.line: row for row in found}
    for number, line in enumerate(text.splitlines(), 1):
        row = starts.get(number)
        if row is not None:
            while lines[-1].startswith("    # "):
                lines.pop()
            lines += [f"    # {comment}" for comment in _comments(row, reported[row.code])]
        lines.append(line)
    return "\n".join(lines) + "\n"


def _comments(row: Row, files: dict[str, tuple[str, ...]]) -> list[str]:
    """Files of the row's own room by name, others by path."""
    short = {file: file.rpartition("/")[2] if file.rpartition("/")[0] == row.room else file for file in files}
    if sum(map(len, files.values())) > MANY:
        counted = f"{sum(map(len, files.values()))} functions of "
        return _folded(counted + ", ".join(short.values()))
    return [
        comment for file, functions in files.items() for comment in _folded(f"{short[file]}: {', '.join(functions)}")
    ]


def _folded(text: str, width: int = 120) -> list[str]:
    lines = [""]
    for word in text.split(" "):
        if len(lines[-1]) + len(word) > width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def written(root: Path) -> dict[str, str]:
    """The text that each file should have: the index, and every `codes.py`."""
    trees = sources(root)
    found, reported = rows(trees), rules(trees)
    check(found, reported)
    texts = {INDEX: index(found, reported)}
    for file in dict.fromkeys(row.file for row in found):
        here = [row for row in found if row.file == file]
        texts[file] = commented((root / file).read_text("utf-8"), here, reported)
    return texts


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file is out of date")
    arguments = parser.parse_args()
    try:
        texts = written(ROOT)
    except Problem as problem:
        print(problem, file=sys.stderr)
        return 1
    stale = [file for file, text in texts.items() if (ROOT / file).read_text("utf-8") != text]
    if arguments.check and stale:
        print(f"out of date: {', '.join(stale)}. Run python tools/index_codes.py", file=sys.stderr)
        return 1
    for file in stale:
        (ROOT / file).write_text(texts[file], "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
