"""The attributes of a launch, and of a kernel node: their names here, what each may be, and the driver's value of it.

Cluster and cooperative are parameters of every launch; the others are named after them, as keywords.
"""

from __future__ import annotations

from driver_ctypes.abi.structs import CUlaunchAttributeValue
from driver_ctypes.errors import LaunchConfigError, NotAvailableError
from driver_ctypes.launch.limits import optional_attribute
from driver_ctypes.streams.stream import stream_priorities
from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from driver_ctypes.launch.limits import Dim3
    from driver_ctypes.session.session import Session

# CUdevice_attribute
_MAX_ACCESS_POLICY_WINDOW_SIZE = 109
_MEM_SYNC_DOMAIN_COUNT = 126

_CLUSTER_POLICIES = {"default": 0, "spread": 1, "balance": 2}  # CUclusterSchedulingPolicy
_ACCESS = {"normal": 0, "streaming": 1, "persisting": 2}  # CUaccessProperty


class AccessWindow(NamedTuple):
    """Memory that a launch treats in its own way in the L2 cache: of accesses to it, the share *ratio* has the property
    *hit*, the others *miss* (``normal``, ``streaming``, and for *hit* alone ``persisting``).
    """

    memory: Any
    """A `Buffer`, a device array, or an address with *nbytes*."""
    nbytes: int | None = None
    ratio: float = 1.0
    hit: str = "persisting"
    miss: str = "streaming"


class Attribute(NamedTuple):
    """An attribute as the driver takes it: CUlaunchAttributeID and the bytes of a CUlaunchAttributeValue."""

    number: int
    value: bytes
    shown: str

    def __str__(self) -> str:
        return self.shown


class _Row(NamedTuple):
    number: int
    """CUlaunchAttributeID"""
    since: int
    """The first driver that knows it."""
    where: str
    """``launch``, ``node``, or both."""
    write: Callable[[CUlaunchAttributeValue, Any, Session], Any]
    """Sets the value, and returns what must live as long as it is used. Raises _Wrong."""
    read: Callable[[CUlaunchAttributeValue], Any] = lambda _value: None
    """What a node has; None where that is the default."""


class _Wrong(Exception):
    """What an attribute must be; and the limit, where it is one of the device."""


def _flag(field: str) -> Any:
    def write(made: CUlaunchAttributeValue, value: Any, context: Session) -> None:
        if value not in (True, False):
            raise _Wrong("True or False")
        setattr(made, field, int(value))

    return write


def _whole(field: str, range_of: Callable[[Session], tuple[int, int]]) -> Any:
    def write(made: CUlaunchAttributeValue, value: Any, context: Session) -> None:
        low, high = range_of(context)
        if not hasattr(type(value), "__index__") or not low <= int(value.__index__()) <= high:
            raise _Wrong(f"a whole number from {low} to {high}")
        setattr(made, field, int(value.__index__()))

    return write


def _priorities(context: Session) -> tuple[int, int]:
    least, greatest = stream_priorities(context)
    return greatest, least


def _domain_map(made: CUlaunchAttributeValue, value: Any, context: Session) -> None:
    high = max(optional_attribute(context.device, _MEM_SYNC_DOMAIN_COUNT), 1) - 1
    if not isinstance(value, (tuple, list)) or len(value) != 2 or not all(one in range(high + 1) for one in value):
        raise _Wrong(f"the domains (default, remote), each from 0 to {high}")
    made.memSyncDomainMap.default_, made.memSyncDomainMap.remote = value


def _policy(made: CUlaunchAttributeValue, value: Any, context: Session) -> None:
    number = _CLUSTER_POLICIES.get(value, value) if isinstance(value, str) else value
    if number not in _CLUSTER_POLICIES.values():
        raise _Wrong(f"one of {', '.join(_CLUSTER_POLICIES)}")
    made.clusterSchedulingPolicyPreference = number


def _dims(field: str) -> Any:
    def write(made: CUlaunchAttributeValue, value: Any, context: Session) -> None:
        given = tuple(value) if isinstance(value, (tuple, list)) else (value,)
        if not 1 <= len(given) <= 3 or not all(hasattr(type(one), "__index__") and one > 0 for one in given):
            raise _Wrong("one to three positive numbers of CTAs")
        dims = getattr(made, field)
        dims.x, dims.y, dims.z = [*given, 1, 1][:3]

    return write


def _event_of(value: Any, context: Session) -> Any:
    from driver_ctypes.streams.stream import Event

    if not isinstance(value, Event) or value.timing or value.context is not context:
        raise _Wrong("an event of this context without timing: context.event(timing=False)")
    value.check_open()
    return value


def _programmatic_event(made: CUlaunchAttributeValue, value: Any, context: Session) -> Any:
    given, at_start = value if isinstance(value, tuple) and len(value) == 2 else (value, False)
    event = _event_of(given, context)
    made.programmaticEvent.event, made.programmaticEvent.triggerAtBlockStart = event.handle, int(bool(at_start))
    return event


def _completion_event(made: CUlaunchAttributeValue, value: Any, context: Session) -> Any:
    event = _event_of(value, context)
    made.launchCompletionEvent.event = event.handle
    return event


def _access_window(made: CUlaunchAttributeValue, value: Any, context: Session) -> Any:
    from driver_ctypes.arguments.parameter import as_pointer

    if not isinstance(value, AccessWindow):
        raise _Wrong("a driver_ctypes.AccessWindow")
    have = getattr(value.memory, "nbytes", None)
    nbytes = have if value.nbytes is None else value.nbytes
    most = optional_attribute(context.device, _MAX_ACCESS_POLICY_WINDOW_SIZE)
    if nbytes is None or not 0 <= nbytes <= min(most, most if have is None else have):
        raise _Wrong(f"a window of at most {most} bytes inside its memory, not of {nbytes}")
    if not 0.0 <= value.ratio <= 1.0 or value.hit not in _ACCESS or value.miss not in ("normal", "streaming"):
        raise _Wrong("a ratio from 0 to 1, hit= normal, streaming or persisting, miss= normal or streaming")
    window = made.accessPolicyWindow
    window.base_ptr, window.num_bytes = as_pointer(value.memory, context), nbytes
    window.hitRatio, window.hitProp, window.missProp = value.ratio, _ACCESS[value.hit], _ACCESS[value.miss]
    return value.memory


def _flag_of_device(made: CUlaunchAttributeValue, value: Any, context: Session) -> None:
    made.deviceUpdatableKernelNode.deviceUpdatable = int(bool(value))


def _read_window(value: CUlaunchAttributeValue) -> AccessWindow | None:
    window, names = value.accessPolicyWindow, list(_ACCESS)
    if not window.num_bytes:
        return None
    return AccessWindow(
        window.base_ptr or 0, window.num_bytes, window.hitRatio, names[window.hitProp], names[window.missProp]
    )


def _read_dims(value: CUlaunchAttributeValue) -> tuple[int, int, int] | None:
    dims = value.clusterDim
    return (dims.x, dims.y, dims.z) if dims.x else None


def _read_map(value: CUlaunchAttributeValue) -> tuple[int, int] | None:
    pair = value.memSyncDomainMap.default_, value.memSyncDomainMap.remote
    return pair if pair not in ((0, 1), (0, 0)) else None


_ROWS: dict[str, _Row] = {
    "access_window": _Row(1, 11060, "launch node", _access_window, _read_window),
    "cooperative": _Row(2, 11060, "node", _flag("cooperative"), lambda v: bool(v.cooperative) or None),
    "cluster": _Row(4, 11080, "node", _dims("clusterDim"), _read_dims),
    "cluster_policy": _Row(
        5,
        11080,
        "launch node",
        _policy,
        lambda v: v.clusterSchedulingPolicyPreference if v.clusterSchedulingPolicyPreference > 1 else None,
    ),
    "programmatic": _Row(6, 11080, "launch", _flag("programmaticStreamSerializationAllowed")),
    "programmatic_event": _Row(7, 11080, "launch", _programmatic_event),
    "priority": _Row(8, 11070, "launch node", _whole("priority", _priorities), lambda v: v.priority or None),
    "domain_map": _Row(9, 12000, "launch node", _domain_map, _read_map),
    "domain": _Row(
        10, 12000, "launch node", _whole("memSyncDomain", lambda _context: (0, 1)), lambda v: v.memSyncDomain or None
    ),
    "preferred_cluster": _Row(11, 12080, "launch", _dims("preferredClusterDim")),
    "completion_event": _Row(12, 12030, "launch", _completion_event),
    "updatable": _Row(
        13, 12040, "node", _flag_of_device, lambda v: bool(v.deviceUpdatableKernelNode.deviceUpdatable) or None
    ),
    "carveout": _Row(
        14,
        12040,
        "launch node",
        _whole("sharedMemCarveout", lambda _context: (0, 100)),
        lambda v: v.sharedMemCarveout or None,
    ),
    "nvlink_balance": _Row(16, 12090, "launch", _flag("nvlinkUtilCentricScheduling")),
}
NODE_ATTRIBUTES = {name: (row.number, row.read) for name, row in _ROWS.items() if "node" in row.where}
"""What a kernel node's attributes are called here -> (CUlaunchAttributeID, what a value says; None: the default)."""


def attribute_value(name: str, value: Any, context: Session, where: str) -> tuple[int, CUlaunchAttributeValue, Any]:
    """(CUlaunchAttributeID, the driver's value, what must live as long as it is used) of an attribute of a ``launch`` or a
    ``node``. Raises LaunchConfigError for what it cannot be, NotAvailableError where the driver does not know it.
    """
    row = _ROWS.get(name)
    if row is None or where not in row.where:
        names = ", ".join([known for known, other in _ROWS.items() if where in other.where])
        what = "launches have" if where == "launch" else "kernel nodes have"
        raise LaunchConfigError(f"{what} no attribute {name!r}", limit=name, found=value, hint=f"there are: {names}")
    if context.driver.version < row.since:
        needed, found = (f"{v // 1000}.{v % 1000 // 10}" for v in (row.since, context.driver.version))
        raise NotAvailableError(
            f"launch attribute {name!r} needs a driver for CUDA {needed}; driver {context.driver.name!r} is for {found}",
            symbol="cuLaunchKernelEx",
            needed=row.since,
            found=context.driver.version,
            hint="update the driver, or do without",
        )
    made = CUlaunchAttributeValue()
    try:
        owner = row.write(made, value, context)
    except _Wrong as wrong:
        raise LaunchConfigError(
            f"launch attribute {name}={value!r:.80} is not {wrong}", limit=name, found=value
        ) from None
    return row.number, made, owner


def launch_attributes(
    context: Session, given: Mapping[str, Any], grid: Dim3, cluster: Dim3 | None
) -> tuple[tuple[Attribute, ...], tuple[Any, ...]]:
    """(the attributes of a launch, what must live as long as they are used). Raises as `attribute_value` does."""
    made, owners = [], []
    for name, value in given.items():
        number, found, owner = attribute_value(name, value, context, "launch")
        if name == "preferred_cluster":
            _check_preferred(found.preferredClusterDim, grid, cluster)
        made.append(Attribute(number, bytes(found), f"{name}={value!r:.80}"))
        if owner is not None:
            owners.append(owner)
    return tuple(made), tuple(owners)


def _check_preferred(dims: Any, grid: Dim3, cluster: Dim3 | None) -> None:
    """CUDA's rules: a multiple of the cluster, which must be given, and a divisor of the grid, in each dimension."""
    preferred = dims.x, dims.y, dims.z
    if cluster is None or any(one % least for one, least in zip(preferred, cluster)):
        why = f"the preferred cluster {preferred} is not a multiple of cluster={cluster}"
    elif any(extent % one for extent, one in zip(grid, preferred)):
        why = f"the preferred cluster {preferred} does not divide grid {grid}"
    else:
        return
    raise LaunchConfigError(why, limit="preferred_cluster", found=preferred, hint="grid and clusters count CTAs")
