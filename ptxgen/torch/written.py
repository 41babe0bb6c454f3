"""Functions written as text for the arguments of an operator: a call on the host costs what Python does in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["written"]


def written(name: str, parameters: Sequence[tuple[Any, ...]], lines: str, names: Mapping[str, Any]) -> Any:
    """A function with these lines, of these parameters: (name,) or (name, default). The lines use the parameters by their names,
    and each of *names* as `our_NAME`, which no parameter is called."""
    known = {f"our_{key}": value for key, value in names.items()}
    known |= {f"our_default_{each[0]}": each[1] for each in parameters if len(each) > 1}
    listed = [each[0] if len(each) == 1 else f"{each[0]}=our_default_{each[0]}" for each in parameters]
    exec(f"def our_function({', '.join(listed)}):\n{lines}", known)
    found = known.pop("our_function")
    found.__name__ = found.__qualname__ = name
    return found
