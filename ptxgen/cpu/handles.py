"""Variables of a module that stand for handles: .texref, .surfref and .samplerref, with their initial values (manual 5.3)."""

from __future__ import annotations

from ptxgen import ir
from ptxgen.cpu.textures import Address, Filter, ImageFormat, ImageKind, ImageRecord

__all__ = ["HANDLES", "initial_record"]

HANDLES = {"texref": ImageKind.TEXTURE, "surfref": ImageKind.SURFACE, "samplerref": ImageKind.SAMPLER}
_MODES = {
    "wrap": Address.WRAP, "mirror": Address.MIRROR, "clamp_ogl": Address.CLAMP, "clamp_to_edge": Address.CLAMP,
    "clamp_to_border": Address.BORDER,
}  # fmt: skip


def initial_record(variable: ir.Variable) -> ImageRecord:
    """What a module's .texref, .surfref or .samplerref stands for before the driver has bound it: an image of a single element
    that is 0, sampled as its initial values say (manual 5.3.2)."""
    record = ImageRecord(
        kind=HANDLES[variable.type.name], format=ImageFormat.F32, channels=1, texel_bytes=4, levels=1,
        address=(Address.CLAMP, Address.CLAMP, Address.CLAMP),
    )  # fmt: skip
    for name, value in _initial_values(variable.init):
        if name.startswith("addr_mode_"):
            record.address[int(name[-1])] = _MODES.get(value, Address.CLAMP)
        elif name == "filter_mode":
            record.filter = Filter.LINEAR if value == "linear" else Filter.POINT
        elif name == "normalized_coords":
            record.normalized = int(value)
        elif name == "force_unnormalized_coords" and value == "1":
            record.normalized = 0
    return record


def _initial_values(init: ir.program.Initializer | None) -> list[tuple[str, str]]:
    """`{ addr_mode_0 = wrap, ... }` as pairs."""
    pairs = init if isinstance(init, tuple) else ()
    found = []
    for pair in pairs:
        if isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[0], ir.Symbol):
            value = pair[1]
            found.append(
                (pair[0].name, value.name if isinstance(value, ir.Symbol) else str(getattr(value, "value", "")))
            )
    return found
