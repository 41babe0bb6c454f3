"""The executor against an H200: the same instructions on the same operands, as recorded in data/operations_h200.json."""

from __future__ import annotations

import json
import math
import struct
from functools import lru_cache
from pathlib import Path

import pytest

from tests.ptxgen.cpu.hardware import FORMS, Form, key, unpack
from tests.ptxgen.cpu.machine import evaluate
from tests.ptxgen.cpu.oracle import FORMATS


@lru_cache
def recorded() -> dict[str, dict[str, str]]:
    return json.loads((Path(__file__).parent / "data" / "operations_h200.json").read_text())


def distance(a: int, b: int, type: str) -> int:
    """How many numbers of the format lie between two patterns; NaN is near NaN alone."""
    f = FORMATS[type]
    top = 1 << (f.bits - 1)
    keys = [-(p & (top - 1)) if p & top else p for p in (a, b)]
    nans = [(p & (top - 1)) > f.infinity for p in (a, b)]
    return abs(keys[0] - keys[1]) if not any(nans) else 0 if all(nans) and a == b else 1 << 64


def close(a: int, b: int, form: Form) -> bool:
    """Within the form's tolerance, relative or absolute."""
    if not form.ulps and not form.absolute:
        return False
    if distance(a, b, form.result) <= form.ulps:
        return True
    values = [struct.unpack("<f", struct.pack("<I", p))[0] for p in (a, b)] if form.absolute else [math.inf, 0.0]
    return abs(values[0] - values[1]) <= form.absolute


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.instruction.partition(" ")[0])
def test_same_as_on_the_gpu(form):
    flat = unpack(recorded()["operands"][key(form)])
    expected = unpack(recorded()["results"][form.instruction])
    width = len(form.operands)
    cases = [tuple(flat[i : i + width]) for i in range(0, len(flat), width)]
    found = evaluate(form.instruction, form.result, list(form.operands), cases)
    wrong = [
        (tuple(map(hex, case)), hex(f), hex(e))
        for case, f, e in zip(cases, found, expected)
        if f != e and not close(f, e, form)
    ]
    assert not wrong, f"{form.instruction}: {len(wrong)} of {len(cases)}: {wrong[:4]} (operands, executor, GPU)"
