"""Tensor maps as parameters: 128 bytes passed by value, of which the tensor instructions take the generic address."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ptxgen.builder.core.source import build_error
from ptxgen.builder.tiles import images, row_copies, tensor_copies
from ptxgen.builder.tiles.tensor_types import TensorType
from ptxgen.builder.values.scalars import u64
from ptxgen.ir import Symbol

if TYPE_CHECKING:
    from ptxgen.builder.core.function_builder import FunctionBuilder
    from ptxgen.builder.tiles.tensor_types import ImageType

__all__ = ["TensorMap"]


class TensorMap:
    """A parameter type: a 128-byte tensor map, 64-byte aligned (manual 5.5.8).

    `TensorMap[bf16, (64, 128), "128B"]` says what its copies move: the elements, the box (innermost extent first) and the
    swizzle. A launch then takes an array, of which it makes the map; a map that is not of these is an error of the launch.
    Of a bare `TensorMap` the first copy of a tile says it (`m.load(tile, ...)`); one that is used by exact instructions
    alone is made by `driver_ctypes.tensor_map`.

    In the kernel it is the base of a tensor's address, `[map, (x, y)]`; `address` is its generic address as a number, `name`
    the parameter's.
    """

    __slots__ = ("address", "builder", "name")
    stated: ClassVar[TensorType | None] = None
    _made: ClassVar[dict[TensorType, type[TensorMap]]] = {}

    def __class_getitem__(cls, key: Any) -> type[TensorMap]:
        found = TensorType.of(*key) if isinstance(key, tuple) else TensorType.of(key)
        made = cls._made.get(found)
        if made is None:
            made = cls._made[found] = type(f"TensorMap[{found}]", (cls,), {"stated": found, "__slots__": ()})
        return made

    def __init__(self, k: FunctionBuilder, name: str, address: u64) -> None:
        self.builder: FunctionBuilder = k
        self.name: str = name
        self.address: u64 = address
        if self.stated is not None:
            k.tensors[name] = self.stated

    def __repr__(self) -> str:
        return f"<tensor map {self.name}>"

    @classmethod
    def in_kernel(cls, k: FunctionBuilder, parameter: str) -> TensorMap:
        """The map as a kernel sees it."""
        address = k.emit1(u64, "cvta.param.u64", Symbol(parameter))
        return cls(k, parameter, address)

    load = tensor_copies.load
    store = tensor_copies.store
    reduce = tensor_copies.reduce
    prefetch = tensor_copies.prefetch
    gather = row_copies.gather
    scatter = row_copies.scatter
    im2col = images.im2col

    @property
    def tensor(self) -> TensorType | ImageType | None:
        """What its copies move; None where nothing has said it yet."""
        found: TensorType | ImageType | None = self.builder.tensors.get(self.name)
        return found

    def moves(self, needed: TensorType | ImageType) -> None:
        """A copy moves boxes of this kind. BuildError where the map is of another one."""
        known = self.builder.tensors.setdefault(self.name, needed)
        if known != needed:
            raise build_error(
                "PTX220",
                f"{self.name} is a tensor map of {known}, and the tile takes {needed}",
                hint="one tensor map for each kind of tile: a second parameter",
            )
