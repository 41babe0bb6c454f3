"""What a test did with goldens, as plain data: it travels on a report from a worker of pytest-xdist."""

from __future__ import annotations

from typing import NamedTuple, TypedDict

__all__ = ["RECORD", "Pending", "Record"]

RECORD = "ptxgen_golden"
"""Where a report has the record of its test, and a worker of pytest-xdist what it collected."""


class Record(TypedDict):
    """What one test did, as plain data: entries that it used (name, variant, target), files that it wrote (path, remark), and
    what is to be asked about (the fields of a `Pending`)."""

    used: list[list[str]]
    written: list[list[str]]
    pending: list[list[str]]


class Pending(NamedTuple):
    """A golden that somebody is to be asked about; `difference` "" where nothing is pinned yet."""

    name: str
    variant: str
    target: str
    ptx: str
    path: str
    difference: str

    @property
    def label(self) -> str:
        return f"{self.name}/{self.variant}.{self.target}"
