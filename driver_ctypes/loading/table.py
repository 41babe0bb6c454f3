"""A driver is a table of C function pointers: this module holds the table.

NVIDIA's driver fills it from libcuda, an emulated one with callbacks; nothing above this module distinguishes them.

Before a function is called its arguments are checked: how many, numbers in the range of their C types, and pointers to what the
function reads or writes there. ctypes alone would cut numbers off, take any object of its own for any pointer, and let the driver
write into a Python string. A call that is right is found so by one packing of its numbers; the pointers are the prototype's
business.
"""

from __future__ import annotations

import ctypes
import struct
import sys

from driver_ctypes.abi.functions import FUNCTIONS, SAME_PROTOTYPE, FunctionSpec, parameter_types, prototype
from driver_ctypes.errors import (
    ArgumentCountError,
    ArgumentError,
    ArgumentRangeError,
    ArgumentTypeError,
    ForkedProcessError,
    NotAvailableError,
)
from driver_ctypes.lifetime import Single, require_main_interpreter
from driver_ctypes.primitives import Lock, WeakSet, cache, deque, get_ident, itemgetter, local, partial
from driver_ctypes.typing import TYPE_CHECKING, Any
from driver_ctypes.validate import nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from driver_ctypes.errors import CudaError

    Resolve = Callable[[str, int], int]
    """``resolve(symbol, version)`` gives a function's address, or 0 where the driver lacks it."""

# token -> the number in the struct module's language; handles and addresses are numbers of 64 bits
_NUMBERS = {
    "u8": "B", "u16": "H", "u32": "I", "u64": "Q", "i32": "i", "f32": "f", "size": "Q", "dev": "i", "enum": "i",
    "ptr": "Q",
}  # fmt: skip

WRONG = (ctypes.ArgumentError, TypeError, struct.error, OverflowError)
"""The error of a call with wrong arguments, from `check` or from ctypes; `corrected` says what is wrong."""


@cache
def check(symbol: str) -> Callable[[tuple[Any, ...]], object]:
    """A function of a call's arguments that raises one of `WRONG` where they are not all plain numbers in range at the
    places of numbers, handles and addresses; what is something else there goes to `corrected`.
    """
    parameters = FUNCTIONS[symbol].args
    codes = [(i, _NUMBERS.get(token) or "Q" * token.endswith("_h")) for i, (_name, token) in enumerate(parameters)]
    places = [i for i, code in codes if code]
    pack = struct.Struct("<" + "".join([code for _i, code in codes])).pack
    count = len(parameters)
    if not places:

        def numberless(args: tuple[Any, ...]) -> object:
            return pack() if len(args) == count else pack(args)

        return numberless
    pick = itemgetter(*places)
    if len(places) == 1:
        return lambda args: pack(pick(args) if len(args) == count else args)
    return lambda args: pack(*(pick(args) if len(args) == count else args), *args[count:])


def corrected(symbol: str, args: Sequence[Any]) -> list[Any]:
    """*args* as ctypes takes them, where `check` or ctypes raised for what they could not see to be right: None for a null
    handle, ctypes objects, numpy's integers, addresses as ints for typed pointers. Raises ArgumentCountError,
    ArgumentTypeError, ArgumentRangeError, which name function and parameter.
    """
    parameters = FUNCTIONS[symbol].args
    if len(args) != len(parameters):
        names = ", ".join([name for name, _token in parameters])
        raise ArgumentCountError(
            f"{symbol} takes {len(parameters)} argument(s), {len(args)} were given", hint=f"pass {names or 'none'}"
        )
    found = []
    for index, ((name, token), kind, value) in enumerate(zip(parameters, parameter_types(symbol), args)):
        try:
            right = _converted(token, kind, value)
            kind.from_param(right)
        except ArgumentError as problem:
            raise type(problem)(
                f"{symbol}: {name} {problem.args[0]}", name=name, index=index, hint=problem.hint
            ) from None
        except (ctypes.ArgumentError, TypeError, OverflowError):
            raise ArgumentTypeError(
                f"{symbol}: {name} cannot be {_shown(value)}; it is a {token}", name=name, index=index
            ) from None
        found.append(right)
    return found


def mistyped(symbol: str, args: Sequence[Any], error: Exception) -> ArgumentError:
    """What ctypes says of an argument that `corrected` found nothing wrong with."""
    import re

    found = re.match(r"argument (\d+)", str(error))
    index = int(found[1]) - 1 if found else -1
    if not 0 <= index < len(args):
        return ArgumentTypeError(f"{symbol}: {error}")
    name, token = FUNCTIONS[symbol].args[index]
    return ArgumentTypeError(
        f"{symbol}: {name} cannot be {_shown(args[index])}; it is a {token}", name=name, index=index
    )


def unknown_symbol(symbol: Any) -> ArgumentError:
    """The error for a function that is not in the table."""
    closest = nearest(symbol, FUNCTIONS) if isinstance(symbol, str) else None
    return ArgumentError(
        f"{symbol!r:.80} is not a function of the driver's table",
        name=str(symbol),
        hint=f"{closest} is meant?"
        if closest
        else "exported symbols are meant, such as cuMemAlloc_v2; see abi.functions",
    )


def _converted(token: str, kind: Any, value: Any) -> Any:
    code = _NUMBERS.get(token) or "Q" * token.endswith("_h")
    if token == "f32":
        return value if isinstance(value, ctypes.c_float) else float(value)
    if hasattr(type(value), "__index__"):
        number = int(value.__index__())
        low, high = _range(code or "Q")
        if not low <= number <= high:
            raise ArgumentRangeError(f"cannot be {number}; it is a {token}, from {low} to {high}")
        typed = not code and issubclass(kind, ctypes._Pointer)
        return ctypes.cast(number, kind) if typed else number
    if code and code != "Q" and not isinstance(value, ctypes._SimpleCData):
        raise ArgumentTypeError(f"cannot be {_shown(value)}; it is a {token}")
    bytes_of = isinstance(value, (bytes, bytearray)) and token != "cstr" and not token.startswith(("ptr", "char"))
    if isinstance(value, str) or bytes_of:  # ctypes would pass the address of its characters
        raise ArgumentTypeError(f"cannot be {_shown(value)}; it is a {token}")
    return value


def _range(code: str) -> tuple[int, int]:
    bits = 8 * struct.calcsize("<" + code)
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if code.islower() else (0, (1 << bits) - 1)


def _shown(value: Any) -> str:
    pointee = getattr(value, "_obj", None)  # of byref
    return f"byref({type(pointee).__name__})" if pointee is not None else f"{type(value).__name__} {value!r:.60}"


_NO_DEVICE = 100
_LOGS_SINCE = 12090  # cuLogsDumpToMemory
_LOG_BYTES = 25600  # the size of the driver's log
_LOG_PREFIX = r"\[[\d:.]+\]\[(\d+)\]\[CUDA\]\[[A-Z]\] ?"  # time, thread, severity
_LOG_KEPT = 100  # lines of other threads that wait to be asked for
_LOG_NOISE = r"Returning \d+ \(CUDA_ERROR_\w+\) from cu\w+$"  # the exception says so itself


class FunctionTable(Single):
    """One driver, opened: its version, and any of its functions by exported symbol. `Driver` adds its devices."""

    def __init__(self, name: str, resolve: Resolve, *, foreign_pointers: bool = True, cache_code: bool = False) -> None:
        """Initialises the driver behind *resolve*. Raises InitializationError where ``cuInit`` fails, and
        SubinterpreterError outside the main interpreter.

        A driver that finds no device opens, and has none. *foreign_pointers* says whether kernels may be given memory
        that another library allocated, *cache_code* whether it keeps compiled code in a cache of its own: then the log of each
        compilation is kept beside it.
        """
        require_main_interpreter()
        self.name = name
        self.foreign_pointers = foreign_pointers
        self.cache_code = cache_code
        self.resolve = resolve
        self.version: int = sys.maxsize  # until the driver has said it
        self.dead: bool = False  # in a forked child
        self.functions: _Functions = _Functions(self)
        self.sessions: WeakSet[Any] = WeakSet()  # contexts that were opened on it
        self._untyped: dict[str, Any] = {}
        self._threads: _ThreadState | None = None
        self._log_lock = Lock()
        self._log_position: ctypes.c_uint32 | None = None
        self._log_kept: deque[tuple[int, str]] = deque(maxlen=_LOG_KEPT)  # (thread, line), for those threads
        code = self.raw("cuInit")(0)
        self.version = self._read_version()
        if code not in (0, _NO_DEVICE):
            if self._read_log_position() is not None:
                self._log_position = ctypes.c_uint32()  # from the beginning: what cuInit had to say
            raise self.error("cuInit", code)
        self._log_position = self._read_log_position()

    @property
    def threads(self) -> _ThreadState:
        """What each thread asks the driver with which context is current; made for the first context."""
        if self._threads is None:
            self._threads = _ThreadState(self)
        return self._threads

    def __repr__(self) -> str:
        return f"<Driver {self.name!r} {self.version // 1000}.{self.version % 1000 // 10}>"

    @property
    def build(self) -> str:
        """The driver's exact build, beyond `version`: its library's file, size and date. Empty for an emulated one."""
        return str(getattr(self.resolve, "build", ""))

    @property
    def compiles_on_demand(self) -> bool:
        """Whether it compiles each kernel when that is first needed, unless a log of all of them is asked for. NVIDIA's driver
        compiles a module when it is loaded."""
        return bool(getattr(self.resolve, "compiles_on_demand", False))

    def raw(self, symbol: str) -> Any:
        """The function behind an exported *symbol* such as ``cuMemAlloc_v2``: a ctypes function that returns the code, and
        that takes what ctypes takes: numbers out of range are cut off. `call` checks them.

        Raises NotAvailableError where the driver lacks it, ArgumentError where the table does.
        """
        return self.functions[symbol]

    def has(self, symbol: str) -> bool:
        """Whether the driver has the function. False for one that this package's table does not have."""
        if symbol not in FUNCTIONS:
            if self.dead:
                raise self.forked()
            return False
        try:
            self.functions[symbol]
        except NotAvailableError:
            return False
        return True

    def untyped(self, symbol: str) -> Any:
        """The same function without argument types: quicker, for arguments that are prepared ctypes objects."""
        function = self._untyped.get(symbol)
        if function is None:
            address = ctypes.cast(self.functions[symbol], ctypes.c_void_p).value or 0
            function = self._untyped[symbol] = ctypes.CFUNCTYPE(ctypes.c_int)(address)
        return function

    def call(self, symbol: str, *args: Any) -> None:
        """Call a function and raise the family's `CudaError` where it does not return success. Raises ArgumentError, or one
        of its kinds, for arguments that the function cannot have.
        """
        function = self.functions[symbol]
        try:
            check(symbol)(args)
            code = function(*args)
        except WRONG:
            code = call_corrected(function, symbol, args)
        if code:
            raise self.error(symbol, code, args)

    def error(
        self,
        symbol: str,
        code: int,
        args: Sequence[Any] = (),
        detail: str = "",
        explain: Callable[[str], str] | None = None,
        **more: Any,
    ) -> CudaError:
        """The exception for result *code* of *symbol*, with what the driver's log says since the last look.

        *detail* is what else is known; *explain* may add to the log's text; *more* goes to `results.cuda_error`.
        """
        from driver_ctypes.results import FATAL_CODES, cuda_error

        name, text = self.describe(code)
        log = self.new_log(of_all=code in FATAL_CODES)  # another thread's work may be at fault
        if log and explain is not None:
            log = explain(log)
        if log and "log" not in more:  # a module that was refused brings its own
            detail += ("\n  " if detail else "") + "the driver's log: " + log.replace("\n", "\n    ")
        return cuda_error(symbol, code, name=name, text=text, arguments=_summary(symbol, args), detail=detail, **more)

    def new_log(self, *, of_all: bool = False) -> str:
        """What the driver has written to its log since the last look, without times; empty before CUDA 12.9. Lines about
        another thread's calls wait for that thread, unless those *of_all* are asked for.

        Code that expects a failure reads the log too, so that the next error's text does not contain it.
        """
        if self._log_position is None or not self.has("cuLogsDumpToMemory"):
            return ""
        text = ctypes.create_string_buffer(_LOG_BYTES)
        size = ctypes.c_size_t(_LOG_BYTES)
        with self._log_lock:
            code = self.raw("cuLogsDumpToMemory")(ctypes.byref(self._log_position), text, ctypes.byref(size), 0)
            lines = [] if code else text.value.decode(errors="replace").splitlines()
            found = [*self._log_kept, *_by_thread(lines)] if lines or self._log_kept else []
            others = set() if of_all else _other_threads(number for number, _line in found)
            self._log_kept.clear()
            self._log_kept.extend([entry for entry in found if entry[0] in others])
        mine = [line for number, line in found if number not in others]
        if not mine:
            return ""
        import re

        return "\n".join([line for line in mine if line.strip() and not re.search(_LOG_NOISE, line)])

    def describe(self, code: int) -> tuple[str, str]:
        """(C name, the driver's words) of a result."""
        words = []
        for symbol in ("cuGetErrorName", "cuGetErrorString"):
            text = ctypes.c_char_p()
            known = self.has(symbol) and self.raw(symbol)(code, ctypes.byref(text)) == 0
            words.append((text.value or b"").decode(errors="replace") if known else "")
        return words[0] or _c_name(code), words[1]

    def _read_version(self) -> int:
        version = ctypes.c_int()
        self.call("cuDriverGetVersion", ctypes.byref(version))
        return version.value

    def _read_log_position(self) -> ctypes.c_uint32 | None:
        position = ctypes.c_uint32()
        readable = self.version >= _LOGS_SINCE and self.has("cuLogsCurrent")
        return position if readable and self.raw("cuLogsCurrent")(ctypes.byref(position), 0) == 0 else None

    def die_in_child(self) -> None:
        """After fork, in the child: every entry raises ForkedProcessError from now on."""
        self.dead = True
        self._log_lock = Lock()  # the parent's may have been held at the fork
        self.functions.clear()
        self._untyped.clear()

    def forked(self) -> ForkedProcessError:
        """The exception for any use of it in a forked child."""
        return ForkedProcessError(
            f"driver {self.name!r} was opened before this process forked, and no driver survives a fork",
            hint="start workers with multiprocessing's 'spawn' or 'forkserver', or open the driver only in the child",
        )


def _c_name(code: int) -> str:
    """The C name of a result that the driver does not tell; "" for none."""
    try:
        from driver_ctypes.abi.enums import CUresult
    except ImportError:  # the interpreter is ending, and the driver with it
        return ""
    return f"CUDA_{CUresult(code).name}" if code in set(CUresult) else ""


def _by_thread(lines: list[str]) -> list[tuple[int, str]]:
    """(number of the thread that an entry is of, its text) of each line; 0 where the driver does not say it."""
    import re

    found, number = [], 0
    for line in lines:
        prefix = re.match(_LOG_PREFIX, line)
        number = int(prefix[1]) if prefix else number  # an entry may have several lines
        found.append((number, line[prefix.end() :] if prefix else line))
    return found


def _other_threads(numbers: Iterable[int]) -> set[int]:
    """Those of *numbers* that are living threads of Python other than this one, as Python or the system counts them."""
    import threading

    asked = set(numbers) - {0, get_ident(), threading.get_native_id()}
    return asked and asked & {n or 0 for each in threading.enumerate() for n in (each.ident, each.native_id)}


class _Functions(dict[str, Any]):
    """Symbol -> ctypes function, bound on first use."""

    def __init__(self, driver: FunctionTable) -> None:
        super().__init__()
        self._driver = driver

    def __missing__(self, symbol: str) -> Any:
        driver = self._driver
        if driver.dead:
            raise driver.forked()
        spec = FUNCTIONS.get(symbol)
        if spec is None:
            raise unknown_symbol(symbol)
        if spec.version <= driver.version:
            address = driver.resolve(symbol, spec.version)
        elif symbol in SAME_PROTOTYPE:
            address = driver.resolve(*SAME_PROTOTYPE[symbol])
        else:
            address = 0
        if not address:
            raise _not_available(driver, spec)
        function = prototype(symbol)(address)
        function.argtypes = parameter_types(symbol)
        self[symbol] = function
        return function


class _ThreadState(local):
    """Each thread's prepared question "which context is current?" (a shared answer slot would be a race)."""

    def __init__(self, driver: FunctionTable) -> None:
        self.slot: ctypes.c_void_p = ctypes.c_void_p()
        self.ask: Callable[[], int] = partial(driver.untyped("cuCtxGetCurrent"), ctypes.byref(self.slot))


def _not_available(driver: FunctionTable, spec: FunctionSpec) -> NotAvailableError:
    needed, found = (f"{v // 1000}.{v % 1000 // 10}" for v in (spec.version, driver.version))
    if spec.version > driver.version:
        message = f"{spec.symbol} needs a driver for CUDA {needed}; driver {driver.name!r} is for {found}"
        hint = "update the driver, or do without"
    else:
        message = f"driver {driver.name!r} (CUDA {found}) has no {spec.symbol}"
        hint = "this driver does not offer that feature; use another driver"
    return NotAvailableError(message, symbol=spec.symbol, needed=spec.version, found=driver.version, hint=hint)


def call_corrected(function: Any, symbol: str, args: Sequence[Any]) -> int:
    """The call once more, which raised one of `WRONG`, with arguments as ctypes takes them; the driver's code."""
    right = corrected(symbol, args)
    try:
        code: int = function(*right)
    except WRONG as still:
        raise mistyped(symbol, args, still) from None
    return code


def _summary(symbol: str, args: Sequence[Any]) -> str:
    """Inputs of a call by name, handles and addresses in hex; what the driver writes to is left out."""
    shown = []
    for (name, token), value in zip(FUNCTIONS[symbol].args, args):
        if not isinstance(value, int) or token.endswith("*"):
            continue
        shown.append(f"{name}={value:#x}" if token in ("ptr", "u64") or token.endswith("_h") else f"{name}={value}")
    return ", ".join(shown)
