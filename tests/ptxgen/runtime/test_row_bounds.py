"""A row goes by the elements of the launch, and no binding may be shorter."""

from __future__ import annotations

from typing import Annotated, Any

import pytest

import ptxgen as px
from ptxgen import f32, ptr
from ptxgen.runtime import Backend, DispatchConfig, Program, Row, fuse, input_, output, program
from ptxgen.runtime.errors import InvalidProgramError, ValidationError
from ptxgen.runtime.programs.rows import MOST_COLUMNS
from tests.ptxgen.runtime.samples import ramp, raw

Floats = Annotated[ptr[f32], input_()]
Out = Annotated[ptr[f32], output(like="x")]


@program
def shift(k: px.Builder, x: Floats, y: Out, row: Row) -> None:
    row.store(y, [value + 0.3 for value in row.load(x)])


@program
def add_rows(k: px.Builder, x: Floats, z: Floats, y: Out, row: Row) -> None:
    row.store(y, [a + b for a, b in zip(row.load(x), row.load(z))])


@program
def by_columns(k: px.Builder, x: Floats, w: Floats, y: Out, row: Row) -> None:
    row.store(y, [a * b for a, b in zip(row.load(x), row.load_columns(w))])


@program
def two_outputs(
    k: px.Builder,
    x: Floats,
    w: Floats,
    z: Annotated[ptr[f32], output(like="w")],
    y: Out,
    row: Row,
) -> None:
    values = row.load(x)
    row.store(y, values)
    row.store(z, values)


@pytest.mark.parametrize("of, columns", [(add_rows, 4), (add_rows, None), (by_columns, 200), (two_outputs, 4)])
def test_a_row_does_not_go_past_a_binding(backend: Backend, of: Program, columns: int | None) -> None:
    pipeline = backend.compile(of.in_rows(columns) if columns is not None else of)
    x = ramp(400)
    whole = raw(pipeline.dispatch([x, ramp(400)]))
    why = r"has 2 elements, the (rows of the launch have 400|columns of a row are 200)\. Fix: pass"
    for inputs in ([x, ramp(2)], [memoryview(x), ramp(2)]):
        with pytest.raises(InvalidProgramError, match=why):
            pipeline.dispatch(inputs)
    handles = [backend.upload_resident(data) for data in (x, ramp(2))]
    with pytest.raises(InvalidProgramError, match=why):
        pipeline.dispatch(handles, resident=True)
    assert raw(pipeline.dispatch([x, ramp(400)])) == whole


def test_a_row_does_not_go_past_an_input_that_an_element_count_passes(backend: Backend) -> None:
    pipeline = backend.compile(shift.in_rows(4), DispatchConfig(element_count=100))
    with pytest.raises(InvalidProgramError, match="'x' has 8 elements, the rows of the launch have 100"):
        pipeline.dispatch([ramp(8)])


def test_how_far_a_row_goes_is_known_of_programs_from_disk(backend: Backend, device_name: str) -> None:
    backend.compile(add_rows.in_rows(4))
    with Backend.acquire(device_name) as second:
        pipeline = second.compile(add_rows.in_rows(4))
        assert second.compiler.disk is not None
        assert second.compiler.disk.statistics.hits == 1
        with pytest.raises(InvalidProgramError, match="'z' has 2 elements"):
            pipeline.dispatch([ramp(8), ramp(2)])


def test_a_joined_row_does_not_go_past_a_binding(backend: Backend) -> None:
    pipeline = backend.compile(fuse([shift.in_rows(4), add_rows.in_rows(4)]))
    with pytest.raises(InvalidProgramError, match="'z' has 2 elements, the rows of the launch have 8"):
        pipeline.dispatch([ramp(8), ramp(2)])


@pytest.mark.parametrize("columns", [0, -1, 1.5, True, MOST_COLUMNS + 1])
def test_rows_of_no_length(columns: Any) -> None:
    with pytest.raises(ValidationError, match=r"rows of .*Fix: use 1 to 16384 columns"):
        shift.in_rows(columns)
