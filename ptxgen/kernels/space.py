"""A kernel's parameter space: axes of plain values, and the rules that hold among them. It stands beside the kernel.

    SPACE = Space(bm=(64, 128), stages=(2, 3, 4), where=lambda bm, stages: bm * stages <= 384)

A rule is a function that names what it asks for: any axes, `shape` (what the kernel works on), `target` (the device's
`ptxgen.isa.targets.Target`, with its limits) and `config` (all axes). `tune` takes more of them: the shared memory, threads
and registers of a configuration, and what it costs by a model.
"""

from __future__ import annotations

import inspect
import json
import linecache
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping

from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple
from ptxgen.builder.signatures import options_key
from ptxgen.errors import BuildError

if TYPE_CHECKING:
    from ptxgen.builder import Kernel
    from ptxgen.isa.targets import Target

__all__ = ["Config", "Refusal", "Rule", "Shape", "ShapeClass", "Space", "Survey", "as_shape", "shape_class"]

Shape = tuple[Any, ...]
ShapeClass = tuple[Any, ...]

MOST = 100_000
"""Configurations that a space may have where its rules have been asked."""

_GIVEN = ("shape", "target", "config")
_KEYWORDS = ("where", "classes")
_PLAIN = (bool, int, float, str, type(None))
_LONGEST_RULE = 100


class Config(Mapping[str, Any]):
    """One point of a space: a value for each axis, in the axes' order. `kernel` is what was built with it, while it is tuned."""

    __slots__ = ("_values", "kernel")

    def __init__(self, values: Mapping[str, Any], kernel: Kernel | None = None) -> None:
        self._values = dict(values)
        self.kernel = kernel

    def __getitem__(self, axis: str) -> Any:
        return self._values[axis]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Config) and options_key(self._values) == options_key(other._values)

    def __hash__(self) -> int:
        return hash(options_key(self._values))

    def __str__(self) -> str:
        return " ".join(f"{axis}={value}" for axis, value in self._values.items())

    def __repr__(self) -> str:
        return f"<config {self}>"


class Rule:
    """A function of a configuration that names what it asks for, or a constant. `of_shape`: it asks for the shape too."""

    __slots__ = ("axes", "everything", "function", "given", "of_shape", "text")

    def __init__(self, function: Any, axes: Iterable[str], what: str) -> None:
        self.function = function
        self.text = _text_of(function)
        self.axes: tuple[str, ...] = ()
        self.given: tuple[str, ...] = ()
        self.everything = False
        if callable(function):
            self._read(tuple(axes), what)
        self.of_shape = "shape" in self.given

    def _read(self, axes: tuple[str, ...], what: str) -> None:
        try:
            entries = inspect.signature(self.function).parameters.values()
        except (TypeError, ValueError):
            raise BuildError(
                f"{what}: {self.text} has no signature that can be read", hint="wrap it in a lambda"
            ) from None
        names = [entry.name for entry in entries if entry.kind is not entry.VAR_KEYWORD]
        self.everything = any(entry.kind is entry.VAR_KEYWORD for entry in entries)
        unknown = [name for name in names if name not in axes and name not in _GIVEN]
        if unknown:
            raise BuildError(
                f"{what}: {self.text} asks for {unknown[0]!r}, which is no axis",
                hint=f"axes are {', '.join(axes)}; a rule may ask for {', '.join(_GIVEN)} too",
            )
        self.given = tuple(name for name in names if name in _GIVEN)
        self.axes = axes if self.everything or "config" in names else tuple(n for n in names if n in axes)

    def __call__(self, config: Mapping[str, Any], shape: Shape, target: Target) -> Any:
        if not callable(self.function):
            return self.function
        asked: dict[str, Any] = {name: config[name] for name in self.axes} if "config" not in self.given else {}
        if self.everything:
            asked = dict(config)
        given = {"shape": shape, "target": target, "config": config}
        asked.update((name, given[name]) for name in self.given)
        try:
            return self.function(**asked)
        except Exception as error:
            where = " ".join(f"{axis}={value}" for axis, value in config.items())
            raise BuildError(
                f"{self.text} raised {type(error).__name__}: {error}, for {where}, shape {shape}"
            ) from error


class Refusal(NamedTuple):
    """Why a configuration is not in a space. `of_shape`: other shapes may have it."""

    text: str
    of_shape: bool


class Survey(NamedTuple):
    """What is in a space for some shapes: the configurations in the axes' order, the size of the whole product, and how many
    of it each rule removed, in the order in which they were asked."""

    configs: tuple[Config, ...]
    size: int
    removed: tuple[tuple[str, int], ...]

    def __str__(self) -> str:
        lines = [f"{len(self.configs)} of {self.size} configurations are left"]
        lines += [f"  {count:>7} removed by {text}" for text, count in self.removed]
        return "\n".join(lines)


def as_shape(shape: Any) -> Shape:
    """A shape as a tuple; a number is a shape of one extent. Beside whole numbers it may have other plain values, such as a mode.
    BuildError for anything else."""
    given = shape if isinstance(shape, (tuple, list)) else (shape,)
    found = tuple(
        [each if type(each) in _PLAIN or not hasattr(type(each), "__index__") else int(each) for each in given]
    )
    if not _is_plain(found) or not (isinstance(shape, (tuple, list)) or type(found[0]) is int):
        raise BuildError(f"a shape is a tuple of extents or one number, not {shape!r:.60}", hint="(m, n, k)")
    return found


def shape_class(shape: Shape) -> ShapeClass:
    """The extents' next powers of two: shapes of one class share a winner. What is not a whole number stays as it is."""
    return tuple([
        (1 << (extent - 1).bit_length() if extent > 0 else 0) if type(extent) is int else extent for extent in shape
    ])  # fmt: skip


class Space:
    """Axes, each with its values; `where`: one rule or several, each true for what is allowed; `classes`: a function from a
    shape to its class, whose shapes share a winner (default: the extents' next powers of two).

    Values are plain: numbers, strings, None, and tuples of them. Their order is that of candidates, and breaks ties.
    """

    def __init__(
        self,
        *,
        where: Callable[..., Any] | Iterable[Callable[..., Any]] = (),
        classes: Callable[[Shape], Any] = shape_class,
        **axes: Iterable[Any],
    ) -> None:
        if not axes:
            raise BuildError("a space has at least one axis", hint="Space(threads=(128, 256))")
        self.axes = {name: _values(name, values) for name, values in axes.items()}
        self._classes = classes
        self.rules = tuple(self.rule(each, "where") for each in ((where,) if callable(where) else where))
        self._decoded = {name: {json.dumps(value): value for value in values} for name, values in self.axes.items()}
        order = list(self.axes)
        self._by_level: list[list[Rule]] = [[] for _ in range(len(order) + 1)]
        for rule in self.rules:
            self._by_level[max((order.index(axis) + 1 for axis in rule.axes), default=0)].append(rule)

    def __repr__(self) -> str:
        axes = ", ".join(f"{name}={values}" for name, values in self.axes.items())
        return f"<space {axes}; {len(self.rules)} rule{'s' * (len(self.rules) != 1)}>"

    @property
    def size(self) -> int:
        """Configurations without any rule."""
        return math.prod(map(len, self.axes.values()))

    def class_of(self, shape: Shape) -> ShapeClass:
        """The class of a shape. BuildError where the space's function gives what cannot be kept."""
        found = self._classes(shape)
        found = tuple(found) if isinstance(found, (tuple, list)) else (found,)
        if not _is_plain(found):
            raise BuildError(
                f"classes={_text_of(self._classes)} gives {found!r:.80} for {shape}",
                hint="plain values, or a tuple of them",
            )
        return found

    def rule(self, function: Any, what: str) -> Rule:
        """A function of this space's axes, as a rule; `what` names it in messages."""
        return Rule(function, self.axes, what)

    def survey(self, shapes: Iterable[Any], target: Target) -> Survey:
        """The configurations that the rules allow for every one of the shapes. A rule is asked as soon as its axes are chosen,
        and takes all that they begin with it. BuildError above 100,000 configurations."""
        places = [as_shape(shape) for shape in shapes]
        names, values = list(self.axes), list(self.axes.values())
        removed = dict.fromkeys(range(len(self.rules)), 0)
        numbers = {id(rule): number for number, rule in enumerate(self.rules)}
        found: list[Config] = []

        def allowed(level: int, chosen: dict[str, Any]) -> bool:
            for rule in self._by_level[level]:
                asked = places if rule.of_shape else places[:1]
                if not all(rule(chosen, shape, target) for shape in asked):
                    removed[numbers[id(rule)]] += math.prod(map(len, values[level:]))
                    return False
            return True

        def descend(level: int, chosen: dict[str, Any]) -> None:
            if not allowed(level, chosen):
                return
            if level == len(names):
                if len(found) == MOST:
                    raise BuildError(
                        f"the space has more than {MOST:,} configurations for {places}",
                        hint="fewer values, or more rules",
                    )
                found.append(Config(chosen))
                return
            for value in values[level]:
                descend(level + 1, {**chosen, names[level]: value})

        descend(0, {})
        texts = tuple((rule.text, removed[number]) for number, rule in enumerate(self.rules) if removed[number])
        return Survey(tuple(found), self.size, texts)

    def refusal(self, config: Mapping[str, Any], shape: Shape, target: Target) -> Refusal | None:
        """Why a configuration is not in the space for a shape; None where it is."""
        if self.decode(config) is None:
            return Refusal(f"{dict(config)} is not of the axes {self.axes}", False)
        for rule in self.rules:
            if not rule(config, shape, target):
                return Refusal(f"{rule.text} does not allow {dict(config)} for {shape}", rule.of_shape)
        return None

    def decode(self, values: Any) -> Config | None:
        """The configuration of these values as JSON has them (tuples are lists); None where they are not of this space."""
        if not isinstance(values, Mapping) or sorted(values) != sorted(self.axes):
            return None
        try:
            return Config({axis: known[json.dumps(values[axis])] for axis, known in self._decoded.items()})
        except (KeyError, TypeError, ValueError, RecursionError):
            return None


def _values(name: str, values: Any) -> tuple[Any, ...]:
    """An axis' values; BuildError for what is none."""
    if name in _GIVEN:
        raise BuildError(f"an axis cannot be called {name!r}", hint=f"rules ask for {', '.join(_GIVEN)} by these names")
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise BuildError(f"the axis {name!r} is {values!r:.60}, not values", hint=f"{name}=({values!r:.30},)")
    found = tuple(values)
    if not found:
        raise BuildError(f"the axis {name!r} has no values", hint=f"{name}=(64, 128)")
    for value in found:
        if not _is_plain(value):
            raise BuildError(
                f"the axis {name!r} has {value!r:.60}, a {type(value).__name__}",
                hint="numbers, strings, None and tuples of them: winners are kept as JSON; types are fixed by kernel.using(...)",
            )
    if len({json.dumps(value) for value in found}) != len(found):
        raise BuildError(f"the axis {name!r} has a value twice: {found}", hint="each value once")
    return found


def _is_plain(value: Any) -> bool:
    if type(value) is tuple:
        return all(map(_is_plain, value))
    return type(value) in _PLAIN and (type(value) is not float or math.isfinite(value))


def _text_of(function: Any) -> str:
    """How messages name a rule: its name, or the line of a lambda."""
    code = getattr(function, "__code__", None)
    if code is None:
        return repr(function)[:_LONGEST_RULE]
    place = f"{os.path.basename(code.co_filename)}:{code.co_firstlineno}"
    if code.co_name != "<lambda>":
        return f"{code.co_name} ({place})"
    line = _lambda_in(linecache.getline(code.co_filename, code.co_firstlineno).strip())
    return f"{line[:_LONGEST_RULE]} ({place})" if line else f"a lambda ({place})"


def _lambda_in(line: str) -> str:
    """The first lambda of a line, to the bracket or comma that ends it."""
    text = line[line.find("lambda") :] if "lambda" in line else ""
    depth, body = 0, False
    for place, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        body = body or (sign == ":" and depth == 0)
        if depth < 0 or (body and depth == 0 and sign == ","):
            return text[:place]
    return text
