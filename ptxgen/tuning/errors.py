"""What tuning refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.errors import PtxError

if TYPE_CHECKING:
    from ptxgen.tuning.results import ClassResult

__all__ = ["TuneError"]


class TuneError(PtxError):
    """Nothing can be tuned: no candidate is left, one has lost the device, or the call is wrong. `result` has the candidates of
    the shapes' class and why each was dropped, where there are any."""

    def __init__(self, message: str = "", *, hint: str | None = None, result: ClassResult | None = None) -> None:
        self.result = result
        super().__init__(message if result is None else f"{message}\n{result}", hint=hint)
