"""A file of Python for each template."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from jinja2 import nodes

from ptxgen.kernels.template_functions import digest
from ptxgen.text.template_engine import parsed
from ptxgen.text.template_files import LIBRARY
from ptxgen.text.template_parameters import declarations
from tools.templates.scopes import Needs, Refused, Scope, stored
from tools.templates.statements import indented, statements

__all__ = ["Compiled", "compiled"]


class Compiled:
    """A template as Python. `imported` are those that it imports."""

    def __init__(self, name: str, source: str, folder: Path = LIBRARY) -> None:
        self.name = name.partition(".")[0]
        self._file = name
        self._source = source
        self._is_kernel = name.endswith(".ptx.j2")
        self._folder = folder
        self.needs = Needs(name)
        self.imported: dict[str, Compiled] = {}
        body = parsed(source, name).body
        if not self._is_kernel:  # nobody sees the text beside its macros
            body = [node for node in body if not isinstance(node, nodes.Output)]
        scope = Scope(self.needs, None, stored(body))
        lines = self._statements(body, scope)
        self._parameters = [*declarations(source, name)] if self._is_kernel else sorted(self.needs.given.values())
        if self._is_kernel and (undeclared := sorted({*self.needs.given} - {*self._parameters})):
            raise Refused(f"{name}: {', '.join(undeclared)}: neither set nor declared")
        names = ", ".join(
            f"{name}={scope.names[name]}"
            for name in stored(node for node in body if not isinstance(node, nodes.FromImport))
        )
        self._body = (
            ["_text: list[Any] = []", *lines, 'return "".join(map(str, _text))']
            if self._is_kernel
            else [*lines, f"return SimpleNamespace({names})"]
        )

    def _statements(self, body: list[nodes.Node], scope: Scope) -> list[str]:
        """An import stands where the template has it: behind what its macros take from here."""
        lines: list[str] = []
        pending: list[nodes.Node] = []
        for node in body:
            if isinstance(node, nodes.FromImport):
                lines += [*statements(pending, scope), *self._import(node, scope)]
                pending = []
            else:
                pending.append(node)
        return lines + statements(pending, scope)

    def _import(self, node: nodes.FromImport, scope: Scope) -> list[str]:
        """The macros of another file, which take what that needs from here."""
        if not isinstance(node.template, nodes.Const) or not node.with_context:
            raise self.needs.refuse(node, "an import whose file is not a constant, or without context")
        file = node.template.value
        other = self.imported[file] = _file(self._folder / file)
        given = ", ".join(f"{python}={scope.find(name)}" for name, python in sorted(other.needs.given.items()))
        names = [(name, name) if isinstance(name, str) else name for name in node.names]
        return [
            f"_from_{other.name} = _{other.name}.macros({given})",
            *(f"{scope.add(ours)} = _from_{other.name}.{theirs}" for theirs, ours in names),
        ]

    def python(self) -> str:
        """The file."""
        uses = sorted(each.name for each in self.imported.values())
        imports = [f"from ptxgen.kernels.compiled import {name} as _{name}" for name in uses]
        for module, names in (
            ("ptxgen.kernels.template_functions", self.needs.support), ("ptxgen.text.template_helpers", self.needs.helpers),
        ):  # fmt: skip
            imports += [f"from {module} import {name} as _{name}" for name in sorted(names)]
        given = ", ".join(f"{name}: Any" for name in self._parameters)
        kind, result = ("render", "str") if self._is_kernel else ("macros", "SimpleNamespace")
        lines = [
            f'"""{self._file} as Python. Written by tools/compile_templates.py; do not edit."""',
            "",
            "from __future__ import annotations",
            "",
            *["from types import SimpleNamespace"] * (self.needs.namespaces or not self._is_kernel),
            "from typing import Any",
            "",
            *imports,
            "",
            f'SOURCE = "{digest(self._source)}"',
            f"USES: list[Any] = [{', '.join(f'_{name}' for name in uses)}]",
            "",
            "",
            f"def {kind}({'*, ' * bool(given)}{given}) -> {result}:",
            *indented(self._body),
        ]
        return "\n".join(lines) + "\n"


@cache
def _file(path: Path) -> Compiled:
    return Compiled(path.name, path.read_text("utf-8"), path.parent)


def compiled(folder: Path = LIBRARY) -> dict[str, str]:
    """The file of each template of a folder, by its name."""
    made = [_file(path) for path in sorted(folder.glob("*.j2"))]
    return {f"{each.name}.py": each.python() for each in made}
