"""tcgen05 with any operands: descriptors, addresses and masks serve an instruction or are a fault of the kernel.

A case is the text of a kernel that allocates tensor memory, asks for a few things, waits for them and frees it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.fuzz._target import Target

if TYPE_CHECKING:
    from random import Random

SHARED = 8192
LATER = ("exclusive", "spcompress", "lut", "ti16")
"""Words of what came with PTX 9.4, which the CPU device refuses by name."""
ASKED = ("mma", "cp", "shift", "ld", "st")


def _kernel(instructions: str, columns: int, group: int) -> str:
    pair = group == 2
    sync = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" if pair else "bar.sync 0;"
    return f""".version 8.8
.target sm_103a
.address_size 64
.visible .entry k(){" .explicitcluster .reqnctapercluster 2" if pair else ""}
{{
	.reg .b32 %t, %q, %r<140>; .reg .b64 %d<4>; .reg .pred %p, %first, %one;
	.shared .align 1024 .b8 space[{SHARED}]; .shared .align 8 .b64 bar; .shared .b32 where;
	mov.u32 %r1, %tid.x; setp.eq.u32 %first, %r1, 0; setp.ge.u32 %p, %r1, 32; mov.u32 %r2, %ctaid.x; setp.eq.u32 %one, %r2, 0;
	@%first mbarrier.init.shared.b64 [bar], 1;
	@%p bra allocated;
	tcgen05.alloc.cta_group::{group}.sync.aligned.shared::cta.b32 [where], {columns};
allocated:
	{sync}
	ld.shared.u32 %t, [where]; shr.u32 %q, %r1, 5; shl.b32 %q, %q, 21; add.u32 %q, %q, %t;
	and.pred %one, %one, %first;
{instructions}
	@%first tcgen05.commit.cta_group::{group}.mbarrier::arrive::one.shared::cluster.b64 [bar];
waits:
	mbarrier.try_wait.parity.shared.b64 %p, [bar], 0;
	@!%p bra waits;
	{sync}
	setp.ge.u32 %p, %r1, 32;
	@%p bra done;
	tcgen05.dealloc.cta_group::{group}.sync.aligned.b32 %t, {columns};
done:
	ret;
}}
"""


class TensorCore(Target):
    seconds = 20.0

    def __init__(self) -> None:
        from ptxgen.cpu import Arena
        from ptxgen.isa.examples import every_name
        from ptxgen.isa.forms import forms_of

        self.arena = Arena()
        names = {name for form in forms_of("tcgen05") for name in every_name(form)}
        kept = (name for name in names if not any(word in name for word in LATER) and name.split(".")[1] in ASKED)
        self.names: dict[tuple[str, int], list[str]] = {}
        for name in sorted(kept):
            self.names.setdefault((name.split(".")[1], 2 if "cta_group::2" in name else 1), []).append(name)

    def draw(self, rng: Random) -> str:
        group = rng.choice((1, 1, 1, 2))
        asked = []
        for _ in range(rng.choice((1, 1, 2))):
            word = rng.choice(("mma", "mma", "cp", "shift", "ld", "st"))
            held = self.names[word, 1 if word in ("ld", "st") else group]
            asked.append(_instruction(rng, rng.choice(held)))
        return _kernel("\n".join(asked), rng.choice((32, 128, 256, 512)), group)

    def judge(self, case: str) -> None:
        from ptxgen.cpu import KernelFault, LaunchOptions, compile_module
        from ptxgen.text import parse

        program = compile_module(parse(case), self.arena)
        pair = "reqnctapercluster" in case
        try:
            for copies in ("late", "early"):
                options = LaunchOptions(tier="base", copies=copies, time_limit=10.0)
                try:
                    program.kernels["k"].launch(
                        (1 + pair, 1, 1), (128, 1, 1), b"", cluster=(2, 1, 1) if pair else None, options=options
                    )
                except KernelFault as fault:
                    str(fault)
        finally:
            program.close()


def _flipped(rng: Random, number: int, bits: int) -> int:
    """The number, most times with a bit or two changed, at times another one."""
    for _ in range(rng.choice((0, 0, 1, 2))):
        number ^= 1 << rng.randrange(bits)
    return number if rng.random() < 0.95 else rng.getrandbits(bits)


def _place(rng: Random, base: str = "%t") -> str:
    offset = rng.choice((0, 0, 0, 16, 24))
    if rng.random() < 0.15:
        offset = rng.choice((64, 200, 16 << 16, 32 << 16, 127 << 16, 0xFFFF, rng.getrandbits(31)))
    return f"[{base}+{offset}]"


def _matrix(rng: Random) -> str:
    from ptxgen.isa.layouts import SharedTile

    tile = SharedTile(rng.choice((8, 64, 128)), 64, "s8", "K", rng.choice(("none", "32B", "64B")))
    return str(_flipped(rng, tile.tcgen05(rng.choice((0, 1024, 4096))).encode(), 64))


def _instruction(rng: Random, name: str) -> str:
    words = name.split(".")
    if words[1] in ("ld", "st"):
        return _move(rng, name)
    one = "@%one " if "cta_group::2" in words else "@%first "
    if words[1] == "shift":
        return f"\t{one}{name} {_place(rng)};"
    if words[1] == "cp":
        return f"\t{one}{name} {_place(rng)}, {_matrix(rng)};"
    from ptxgen.isa.layouts import InstructionDescriptor, LayoutError
    from ptxgen.isa.layouts.instruction import KINDS

    kind = next(word.partition("::")[2] for word in words if word.startswith("kind::"))
    of = KINDS[kind]
    sparse, ws = ("sp" in words), ("ws" in words)
    rows = 128 * (1 + ("cta_group::2" in words)) if rng.random() < 0.8 else rng.choice((32, 64, 128, 256))
    try:
        idesc = InstructionDescriptor(
            kind, rows, rng.choice((8, 32, 64, 64, 128, 8 * rng.randrange(1, 33))), rng.choice(list(of.inputs)),
            rng.choice(list(of.inputs)), d=rng.choice(of.sums), sparse=sparse,
        ).encode()  # fmt: skip
    except LayoutError:
        idesc = rng.getrandbits(32)
    shifts = "ashift" in words
    a = _place(rng) if shifts or rng.random() < 0.3 else _matrix(rng)
    operands = [_place(rng), a, _matrix(rng), *[_place(rng)] * sparse, str(_flipped(rng, idesc, 32))]
    if of.scales:
        operands += [_place(rng), _place(rng)]
    elif not ws and rng.random() < 0.2:
        count = 8 if "cta_group::2" in words else 4
        operands.append(f"{{{', '.join(str(rng.getrandbits(31)) for _ in range(count))}}}")
    operands.append("%first")
    if ws and rng.random() < 0.5:
        operands.append(str(rng.getrandbits(63)))
    return f"\t{one}{name} {', '.join(operands)};"


def _move(rng: Random, name: str) -> str:
    from ptxgen.isa.layouts import layout

    of = next(iter(layout(name)))
    registers = f"{{{', '.join(f'%r{4 + i}' for i in range(of.registers))}}}"
    half = [str(rng.choice((0, 16, 32, 500, 1 << 20)))] if "16x32bx2" in name else []
    place = _place(rng, "%q")
    if ".st." in name:
        return f"\t{name} {', '.join([place, *half, registers])};"
    reduced = ["%r3"] if ".red." in name else []
    return f"\t{name} {', '.join([registers, *reduced, place, *half])};\n\ttcgen05.wait::ld.sync.aligned;"


def target() -> TensorCore:
    return TensorCore()
