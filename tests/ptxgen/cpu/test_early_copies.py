"""Copies that are done when they are started: what another order hides, this one shows."""

from __future__ import annotations

import os
import struct
import subprocess
import sys

import pytest

from ptxgen.cpu import LaunchOptions
from tests.ptxgen.cpu.machine import run

pytestmark = pytest.mark.cpu_only

EARLY, LATE = LaunchOptions(copies="early"), LaunchOptions()
WORDS = list(range(500, 756))
DATA = struct.pack("<256I", *WORDS)

HEAD = """
	.shared .align 128 .b32 tile[32]; .shared .align 8 .b64 bar;
	mov.u32 %r1, tile; mad.lo.u32 %r1, %t, 4, %r1; mad.wide.u32 %d1, %t, 4, %in; setp.eq.u32 %p9, %t, 0;
	@%p9 mbarrier.init.shared.b64 [bar], 1;
	bar.sync 0;
"""
OUT = "\tld.shared.u32 %r2, [%r1]; st.global.u32 [%o], %r2;\n"
LOAD = "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes"
WAIT = """
W{n}: mbarrier.try_wait.parity.shared.b64 %p1, [bar], {n};
	@!%p1 bra W{n};
"""


@pytest.mark.parametrize(
    "copy",
    [
        "cp.async.ca.shared.global [%r1], [%d1], 4;",
        f"@%p9 {LOAD} [tile], [%in], 128, [bar];",
    ],
)
def test_who_does_not_wait_finds_the_tile(copy):
    body = f"{HEAD}\t{copy}\n\tbar.sync 0;\n{OUT}"
    assert run(body, data=DATA, options=EARLY).u32 == WORDS[:32]
    assert run(body, data=DATA, options=LATE).u32 == [0xFFFFFFFF] * 32


@pytest.mark.parametrize("options, seen", [(EARLY, WORDS[32:64]), (LATE, WORDS[:32])])
def test_a_buffer_that_is_filled_again_too_soon(options, seen):
    """Thread 0 brings the second tile before the others have read the first."""
    body = (
        HEAD
        + f"""
	@%p9 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;
	@%p9 {LOAD} [tile], [%in], 128, [bar];
	{WAIT.format(n=0)}
	@%p9 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;
	@%p9 {LOAD} [tile], [%in+128], 128, [bar];
	{OUT}{WAIT.format(n=1)}"""
    )
    assert run(body, data=DATA, options=options).u32 == seen


@pytest.mark.parametrize("options, seen", [(EARLY, 7), (LATE, 8)])
def test_when_a_source_is_read(options, seen):
    body = (
        HEAD
        + """
	mov.u32 %r2, 7; st.shared.u32 [%r1], %r2; bar.sync 0;
	@%p9 cp.async.bulk.global.shared::cta.bulk_group [%out], [tile], 128;
	bar.sync 0; mov.u32 %r2, 8; st.shared.u32 [%r1], %r2; bar.sync 0;
	@%p9 cp.async.bulk.commit_group; @%p9 cp.async.bulk.wait_group 0;"""
    )
    assert run(body, options=options).u32 == [seen] * 32


def test_an_arrival_comes_at_once():
    body = (
        HEAD
        + """
	@!%p9 bra WAIT;
	cp.async.cg.shared.global [tile], [%in], 16;
	cp.async.mbarrier.arrive.noinc.shared.b64 [bar];
	mbarrier.test_wait.parity.shared.b64 %p1, [bar], 0; selp.u32 %r2, 1, 0, %p1; st.global.u32 [%out], %r2;
WAIT:"""
    )
    assert [run(body, data=DATA, words=1, options=o).u32 for o in (EARLY, LATE)] == [[1], [0]]


def test_the_option_and_the_variable():
    with pytest.raises(ValueError, match='copies is "late", "early" or "random:" and a seed, not \'soon\''):
        LaunchOptions(copies="soon")
    code = "from ptxgen.emulated_driver.state.machine import machine; machine.start(); print(machine.options.copies)"
    for setting in ("early", "late", "random:7"):
        ran = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PTXGEN_CPU_COPIES": setting},
            capture_output=True,
            text=True,
        )
        assert ran.stdout.strip() == setting
    ran = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PTXGEN_CPU_COPIES": "soon"}, capture_output=True, text=True
    )
    assert "PTXGEN_CPU_COPIES is 'soon', not late, early or random: and a seed" in ran.stderr
