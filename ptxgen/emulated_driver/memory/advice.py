"""What was advised of managed memory, and where it was prefetched to. It changes nothing here: it is kept to be asked for."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

from driver_ctypes.abi import enums
from driver_ctypes.abi.constants import CU_DEVICE_CPU, CU_DEVICE_INVALID
from ptxgen.emulated_driver.errors.refusal import invalid_value
from ptxgen.emulated_driver.state.machine import machine

if TYPE_CHECKING:
    from driver_ctypes.abi.structs import CUmemLocation

__all__ = ["Advice", "RangeAttribute"]

Place = enums.CUmemLocationType


class RangeAttribute(IntEnum):
    """CUmem_range_attribute of cuda.h."""

    READ_MOSTLY = 1
    PREFERRED_LOCATION = 2
    ACCESSED_BY = 3
    LAST_PREFETCH_LOCATION = 4
    PREFERRED_LOCATION_TYPE = 5
    PREFERRED_LOCATION_ID = 6
    LAST_PREFETCH_LOCATION_TYPE = 7
    LAST_PREFETCH_LOCATION_ID = 8


_ADVISED = {  # advice -> what it says something of, and whether it sets it
    enums.CUmem_advise.SET_READ_MOSTLY: (RangeAttribute.READ_MOSTLY, True),
    enums.CUmem_advise.UNSET_READ_MOSTLY: (RangeAttribute.READ_MOSTLY, False),
    enums.CUmem_advise.SET_PREFERRED_LOCATION: (RangeAttribute.PREFERRED_LOCATION, True),
    enums.CUmem_advise.UNSET_PREFERRED_LOCATION: (RangeAttribute.PREFERRED_LOCATION, False),
    enums.CUmem_advise.SET_ACCESSED_BY: (RangeAttribute.ACCESSED_BY, True),
    enums.CUmem_advise.UNSET_ACCESSED_BY: (RangeAttribute.ACCESSED_BY, False),
}
_PARTS = {  # a part of a location -> the location, and which part
    RangeAttribute.PREFERRED_LOCATION_TYPE: (RangeAttribute.PREFERRED_LOCATION, "type"),
    RangeAttribute.PREFERRED_LOCATION_ID: (RangeAttribute.PREFERRED_LOCATION, "id"),
    RangeAttribute.LAST_PREFETCH_LOCATION_TYPE: (RangeAttribute.LAST_PREFETCH_LOCATION, "type"),
    RangeAttribute.LAST_PREFETCH_LOCATION_ID: (RangeAttribute.LAST_PREFETCH_LOCATION, "id"),
}


class _Where(NamedTuple):
    type: int
    id: int

    @property
    def device(self) -> int:
        """As the older attributes say it."""
        if self.type == Place.DEVICE:
            return self.id
        return CU_DEVICE_INVALID if self.type == Place.INVALID else CU_DEVICE_CPU


_NOWHERE = _Where(Place.INVALID, 0)


class _Note(NamedTuple):
    """Said of the bytes from `start` to `end`: of which attribute, of which device (of ACCESSED_BY), what."""

    start: int
    end: int
    about: tuple[RangeAttribute, int]
    value: _Where | bool


class Advice:
    """Of one allocation. Later notes hide earlier ones."""

    def __init__(self) -> None:
        self._notes: list[_Note] = []

    def advise(self, start: int, nbytes: int, advice: int, location: CUmemLocation) -> None:
        attribute, given = _ADVISED[enums.CUmem_advise(advice)]
        where = _Where(location.type, location.id)
        if attribute == RangeAttribute.PREFERRED_LOCATION:
            self._note(start, nbytes, (attribute, 0), where if given else _NOWHERE)
        else:
            self._note(
                start, nbytes, (attribute, where.device if attribute == RangeAttribute.ACCESSED_BY else 0), given
            )

    def prefetched(self, start: int, nbytes: int, location: CUmemLocation) -> None:
        where = _Where(location.type, location.id)
        self._note(start, nbytes, (RangeAttribute.LAST_PREFETCH_LOCATION, 0), where)

    def _note(self, start: int, nbytes: int, about: tuple[RangeAttribute, int], value: _Where | bool) -> None:
        end = start + nbytes
        hidden = [n for n in self._notes if n.about == about and start <= n.start and n.end <= end]
        self._notes = [n for n in self._notes if n not in hidden]
        self._notes.append(_Note(start, end, about, value))

    def answer(self, attribute: int, start: int, nbytes: int) -> list[int]:
        """What all bytes of a range have in common: one number, of ACCESSED_BY the devices (-1 is the host)."""
        if attribute == RangeAttribute.ACCESSED_BY:
            everyone = (CU_DEVICE_CPU, *range(len(machine.devices)))
            return [each for each in everyone if self._common((RangeAttribute.ACCESSED_BY, each), start, nbytes, False)]
        if attribute == RangeAttribute.READ_MOSTLY:
            return [int(bool(self._common((RangeAttribute.READ_MOSTLY, 0), start, nbytes, False)))]
        if attribute in _PARTS:
            whole, part = _PARTS[RangeAttribute(attribute)]
            return [getattr(self._common((whole, 0), start, nbytes, _NOWHERE), part)]
        if attribute in (RangeAttribute.PREFERRED_LOCATION, RangeAttribute.LAST_PREFETCH_LOCATION):
            where = self._common((RangeAttribute(attribute), 0), start, nbytes, _NOWHERE)
            return [where.device if isinstance(where, _Where) else CU_DEVICE_INVALID]
        raise invalid_value(f"attribute {attribute}: 1 to 8")

    def _common(
        self, about: tuple[RangeAttribute, int], start: int, nbytes: int, otherwise: _Where | bool
    ) -> _Where | bool:
        notes = [n for n in self._notes if n.about == about and n.start < start + nbytes and start < n.end]
        ends = {start, *(max(n.start, start) for n in notes), *(n.end for n in notes if n.end < start + nbytes)}
        said = {
            next((n.value for n in reversed(notes) if n.start <= place < n.end), otherwise) for place in ends
        }  # fmt: skip
        return said.pop() if len(said) == 1 else otherwise
