"""The functions of a source file, by the names that the index of the codes has for them."""

from __future__ import annotations

import ast

__all__ = ["functions_in"]


def functions_in(tree: ast.Module) -> dict[str, ast.FunctionDef]:
    """The functions of a file by name: "function", "Class.method", "function.inner"."""
    found: dict[str, ast.FunctionDef] = {}

    def walk(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef):
                found.setdefault(prefix + child.name, child)
            if isinstance(child, (ast.FunctionDef, ast.ClassDef)):
                walk(child, f"{prefix}{child.name}.")
            else:
                walk(child, prefix)

    walk(tree, "")
    return found
