"""How a warp's lanes lie in memory (PTX611, PTX612)."""

from __future__ import annotations

import pytest

from tests.ptxgen.verifier.style.programs import count, messages

GLOBAL = "mul.wide.u32 %rd2, %r2, {}; add.s64 %rd2, %rd2, %rd1; ld.global.{} [%rd2];"
SHARED = "mov.u32 %r5, s; mad.lo.u32 %r6, %r2, {}, %r5; ld.shared.{} [%r6];"


@pytest.mark.parametrize(
    "stride, load, expected",
    [
        (4, "u32 %r7,", None),
        (8, "u32 %r7,", None),  # half of each sector
        (12, "u32 %r7,", "12 sectors of 32 bytes for what 4 would hold, 12 bytes from lane to lane"),
        (128, "u32 %r7,", "32 sectors of 32 bytes for what 4 would hold, 128 bytes from lane to lane"),
        (16, "v4.u32 {%r7, %r8, %r9, %r10},", None),
        (256, "v4.u32 {%r7, %r8, %r9, %r10},", None),  # half of each sector, too
        (0, "u32 %r7,", None),
        (1, "u8 %r7,", None),
    ],
)
def test_spread_over_sectors(stride: int, load: str, expected: str | None) -> None:
    found = messages("PTX611", GLOBAL.format(stride, load))
    assert [message.partition("moves ")[2] for message in found] == ([expected] if expected else [])


def test_neighbours_in_the_same_sectors_count_together() -> None:
    row = "".join(f"ld.global.u32 %r{7 + i}, [%rd2+{4 * i}]; " for i in range(4))
    assert count("PTX611", "mul.wide.u32 %rd2, %r2, 16; add.s64 %rd2, %rd2, %rd1; " + row) == 0
    assert count("PTX611", "mul.wide.u32 %rd2, %r2, 32; add.s64 %rd2, %rd2, %rd1; " + row) == 0  # half of each sector
    assert count("PTX611", "mul.wide.u32 %rd2, %r2, 32; add.s64 %rd2, %rd2, %rd1; " + row[: len(row) // 4]) == 1
    assert (
        count(
            "PTX611", "mul.wide.u32 %rd2, %r2, 16; add.s64 %rd2, %rd2, %rd1; " + row.replace("ld.", "bar.sync 0; ld.")
        )
        == 0
    )


@pytest.mark.parametrize(
    "stride, load, expected",
    [
        (4, "u32 %r7,", None),
        (132, "u32 %r7,", None),  # padded rows
        (8, "u32 %r7,", "2 wavefronts of shared memory, 1 would do, 8 bytes from lane to lane"),
        (128, "u32 %r7,", "32 wavefronts of shared memory, 1 would do, 128 bytes from lane to lane"),
        (0, "u32 %r7,", None),  # one word for all
        (16, "v4.u32 {%r7, %r8, %r9, %r10},", None),  # 8 lanes at a time
        (32, "v4.u32 {%r7, %r8, %r9, %r10},", "8 wavefronts of shared memory, 4 would do, 32 bytes from lane to lane"),
    ],
)
def test_bank_conflicts(stride: int, load: str, expected: str | None) -> None:
    found = messages("PTX612", SHARED.format(stride, load))
    assert [message.partition("takes ")[2] for message in found] == ([expected] if expected else [])
