"""A program is known by what its body would do now; where that cannot be told, it is built each time."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from ptxgen import sources
from ptxgen.runtime import Backend, Program
from ptxgen.runtime.code import toolchain
from ptxgen.runtime.programs.fingerprints import fingerprint

STAMPED = toolchain._stamped  # conftest.py puts another in its place

PROLOGUE = """
import functools, math
from typing import Annotated
import ptxgen as px
from ptxgen import f32, ptr
from ptxgen import runtime as rt
X = Annotated[ptr[f32], rt.input_()]
Y = Annotated[ptr[f32], rt.output(like="x")]
"""
BODY = """
@rt.program(workgroup=32)
def times(k: px.Builder, x: X, y: Y, params: rt.Params):
    i = k.global_id.x
    with k.if_(i < params.element_count):
        y[i] = {}
"""


def run_source(expression: str, before: str = "", behind: str = "") -> dict[str, Any]:
    """The names of a module that has a program `times`, whose result is the expression of x[i]."""
    namespace: dict[str, Any] = {"__name__": "a_users_module"}
    source = PROLOGUE + textwrap.dedent(before) + BODY.format(expression) + textwrap.dedent(behind)
    exec(compile(source, "a_users_module.py", "exec"), namespace)
    return namespace


def of_one(backend: Backend, program: Program) -> float:
    """What it makes of 1."""
    return float(np.frombuffer(backend.compile(program).dispatch([np.float32([1])])[0], np.float32)[0])


KNOWN = {
    "a helper": ("h(x[i])", "def h(v): return v * FACTOR", ""),
    "a helper that is defined later": ("h(x[i])", "", "def h(v): return v * FACTOR"),
    "what a helper calls is defined later": ("h(x[i])", "def h(v): return g(v)", "def g(v): return v * FACTOR"),
    "a constant that is defined later": ("x[i] * F", "", "F = FACTOR"),
    "a default": ("h(x[i])", "def h(v, a=FACTOR): return v * a", ""),
    "a function's attribute": ("h(x[i])", "def h(v): return v * h.a\nh.a = FACTOR", ""),
    "a list": ("x[i] * L[1]", "L = [1.0, FACTOR]", ""),
    "a dictionary in a closure": ("h(x[i])", "def make(d): return lambda v: v * d['a']\nh = make({'a': FACTOR})", ""),
    "functools.partial": ("h(x[i])", "h = functools.partial(lambda a, v: v * a, FACTOR)", ""),
    "a device function": ("h(x[i])", "@px.func\ndef h(k, v: f32) -> f32: return v * FACTOR", ""),
    "a wrapped function": (
        "h(x[i])",
        "def d(f):\n    @functools.wraps(f)\n    def w(v): return f(v)\n    return w\n@d\ndef h(v): return v * FACTOR",
        "",
    ),
    "math": ("x[i] * math.floor(FACTOR + 0.5)", "", ""),
}


@pytest.mark.parametrize("case", KNOWN)
def test_what_a_body_reaches_is_part_of_its_key(backend: Backend, case: str) -> None:
    made = [run_source(*(part.replace("FACTOR", factor) for part in KNOWN[case])) for factor in ("2.0", "3.0", "3.0")]
    keys = [namespace["times"].key for namespace in made]
    assert None not in keys
    assert keys[0] != keys[1] == keys[2]
    assert [of_one(backend, namespace["times"]) for namespace in made] == [2, 3, 3]


UNKNOWN = {
    "an object": ("x[i] * c.f", "class C:\n    f = FACTOR\nc = C()"),
    "a class": ("x[i] * C.f", "class C:\n    f = FACTOR"),
    "a float of one's own": ("x[i] * F", "class C(float):\n    pass\nF = C(FACTOR)"),
    "globals()": ("x[i] * globals()['F']", "F = FACTOR"),
    "eval": ("x[i] * eval('F')", "F = FACTOR"),
    "eval by another name": ("x[i] * e('F')", "F = FACTOR\ne = eval"),
    "getattr": ("x[i] * getattr(h, 'a')", "def h(): pass\nh.a = FACTOR"),
    "a namespace": ("x[i] * h.__globals__['F']", "F = FACTOR\ndef h(): pass"),
    "an import": ("x[i] * __import__('users_constants').F", ""),
    "an import in a helper": ("h(x[i])", "def h(v):\n    from users_constants import F\n    return v * F"),
    "a cache": ("x[i] * h(1)", "@functools.lru_cache\ndef h(n): return FACTOR * n"),
    "a list in itself": ("x[i] * L[0]", "L = [FACTOR]\nL.append(L)"),
    "a global that is written": ("h(x[i])", "F = FACTOR\ndef h(v):\n    global F\n    F = F\n    return v * F"),
}


@pytest.mark.parametrize("case", UNKNOWN)
def test_what_cannot_be_told_is_built_each_time(backend: Backend, case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    constants: Any = ModuleType("users_constants")
    monkeypatch.setitem(sys.modules, "users_constants", constants)
    found = []
    for factor in (2.0, 3.0):
        constants.F = factor
        namespace = run_source(*(part.replace("FACTOR", repr(factor)) for part in UNKNOWN[case]))
        assert namespace["times"].key is None
        assert not namespace["times"].portable
        found.append(of_one(backend, namespace["times"]))
    assert found == [2, 3]
    assert backend.compiler.disk is not None
    assert backend.compiler.disk.size()[0] == 0


def test_modules_are_followed_to_what_is_taken_from_them() -> None:
    module: Any = ModuleType("users_constants")
    module.inner = ModuleType("users_constants.inner")
    module.inner.F, module.object = 2.0, object()
    namespace = run_source("x[i] * m.inner.F")
    namespace["m"] = module
    first = namespace["times"].key
    module.inner.F = 3.0
    assert first is not None
    assert namespace["times"].key not in (None, first)
    namespace["m"] = object()
    assert namespace["times"].key is None


def test_a_name_that_means_nothing_yet() -> None:
    assert run_source("x[i] * F")["times"].key is None


def test_values_that_change_after_the_decoration(backend: Backend) -> None:
    namespace = run_source("x[i] * F", "F = 2.0")
    first = backend.compile(namespace["times"])
    namespace["F"] = 5.0
    assert of_one(backend, namespace["times"]) == 5
    assert np.frombuffer(first.dispatch([np.float32([1])])[0], np.float32) == 2  # what was compiled stays what it is
    namespace["F"] = 2.0
    assert backend.compile(namespace["times"]).source_key == first.source_key


def test_a_list_in_a_closure_that_changes(backend: Backend) -> None:
    namespace = run_source("x[i] * L[0]", "L = [2.0]")
    first = namespace["times"].key
    namespace["L"][0] = 4.0
    assert namespace["times"].key != first
    assert of_one(backend, namespace["times"]) == 4


def test_an_object_that_changes(backend: Backend) -> None:
    namespace = run_source("h(x[i])", "class Op:\n    f = 6.0\n    def __call__(self, v): return v * self.f\nh = Op()")
    assert of_one(backend, namespace["times"]) == 6
    namespace["h"].f = 7.0
    assert of_one(backend, namespace["times"]) == 7


def test_a_body_that_changes_what_it_depends_on(backend: Backend) -> None:
    namespace = run_source("h(x[i])", "L = [1.0]\ndef h(v):\n    L[0] += 1.0\n    return v * L[0]")
    assert [of_one(backend, namespace["times"]) for _ in range(3)] == [2, 3, 4]
    assert backend.compiler.sources.snapshot().entries == 0


def test_the_types_in_a_device_functions_signature_count() -> None:
    made = [
        run_source("h(x[i]).to(f32)", f"@px.func\ndef h(k, v: f32) -> px.{of}: return v.to(px.{of})")
        for of in ("f64", "f16")
    ]
    assert made[0]["times"].key != made[1]["times"].key


def test_zeros_truth_and_numbers_differ() -> None:
    def body() -> None: ...

    made = {fingerprint(body, value) for value in (0, 0.0, -0.0, False, None, "0", b"0", (0,), [0], {0: 0}, {0})}
    assert len(made) == 11
    assert None not in made


def test_a_joined_program_is_known_by_its_members_as_they_are_now() -> None:
    from ptxgen.runtime import fuse

    source = "@rt.program\ndef p(k: px.Builder, x: X, y: Y, row: rt.Row): row.store(y, [v * F for v in row.load(x)])"
    namespace = run_source("x[i]", source)
    joined = fuse([namespace["p"], namespace["p"]])
    assert joined.key is None
    namespace["F"] = 2.0
    first = joined.key
    namespace["F"] = 3.0
    assert first is not None
    assert joined.key not in (None, first)


def test_what_is_cut_later_is_what_was_compiled(backend: Backend) -> None:
    from ptxgen.runtime import DispatchConfig
    from ptxgen.runtime.errors import BackendError

    namespace = run_source(
        "x[i]",
        """
        F = 2
        @rt.program(workgroup=32)
        def waits(k: px.Builder, x: Annotated[ptr[px.u32], rt.inout()]):
            x[k.global_id.x] = x[k.global_id.x] + F
            rt.grid_barrier(k)
            x[k.global_id.x] = x[k.global_id.x] * 2
        """,
    )
    pipeline = backend.compile(namespace["waits"], DispatchConfig(cooperative=True, split=True))
    namespace["F"] = 3
    with pytest.raises(BackendError, match="has changed since it was compiled: compile it again"):
        pipeline.dispatch([np.ones(32, np.uint32)])


def test_files_that_are_younger_than_the_process_give_no_stamp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "errors.py",
        "codes/a.py",
        "isa/a.py",
        "ir/a.py",
        "text/a.py",
        "verifier/a.py",
        "builder/a.py",
        "kernels/a.j2",
        "runtime/a.py",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    monkeypatch.setattr(sources, "imported_at", float("inf"))
    first = STAMPED(tmp_path)
    (tmp_path / "kernels" / "a.j2").write_text("changed")
    assert first is not None
    assert STAMPED(tmp_path) not in (None, first)
    monkeypatch.setattr(sources, "imported_at", 0.0)
    assert STAMPED(tmp_path) is None
    assert STAMPED(tmp_path / "nowhere") is None
