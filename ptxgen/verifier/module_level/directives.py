"""Are a module's directives there for its target and version, where they may stand, with arguments that mean something?

What is known about each is its row in `ptxgen.isa.directives`. `uses` finds them in a module; `version="auto"` asks it too.
"""

from __future__ import annotations

import re

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.ir import (
    Alias,
    Block,
    BranchTargets,
    CallPrototype,
    CallTargets,
    FileDirective,
    Function,
    Instruction,
    IntermediateSource,
    LineDirective,
    Pragma,
    RegisterDeclaration,
    Section,
    Variable,
)
from ptxgen.ir.program import Masked
from ptxgen.isa.directives import LANGUAGES, directive, directives, head_directives, pragma_string, pragma_strings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ptxgen.ir import Directive, Initializer, Module, Source
    from ptxgen.isa.directives import DirectiveForm
    from ptxgen.isa.types import ScalarType
    from ptxgen.verifier.program.context import VerifierContext

__all__ = ["DirectiveUse", "check_directives", "uses"]


_LABEL = re.compile(r"[A-Za-z_$%][\w$]*\s*:")


class DirectiveUse(NamedTuple):
    """A directive in a module: its row, where it stands ("entry", "body", ...), and its source."""

    row: DirectiveForm
    place: str
    source: Source | None = None


# ---- finding them ----------------------------------------------------------------------------------------------------


def uses(module: Module) -> Iterator[DirectiveUse]:
    """Every directive of a module that its row says anything about; what is on every target since PTX 1 may be left out."""
    for option in module.target_options:
        yield from _known(option, "target")
    for item in module.items:
        if isinstance(item, Function):
            yield from _in_function(item)
        elif isinstance(item, Variable):
            yield from _in_variable(item, "module")
        elif isinstance(item, Pragma):
            yield from _strings(item.texts, "module", item.source)
        elif isinstance(item, Alias):
            yield from _known(".alias", "module", item.source)
        elif isinstance(item, Section):
            yield from _known(".section", "module")
            if any(_LABEL.match(line) for line in item.lines):
                yield from _known("label:", "section")
        elif isinstance(item, FileDirective):
            yield from _known(".file", "module")
        elif isinstance(item, IntermediateSource):
            yield from _known(".nv_intermediate_source_section", "module", item.source)


def _known(name: str, place: str, source: Source | None = None) -> Iterator[DirectiveUse]:
    row = directive(name)
    if row is not None:
        yield DirectiveUse(row, place, source)


def _in_function(function: Function) -> Iterator[DirectiveUse]:
    place = "entry" if function.is_entry else "func"
    if function.linkage is not None:
        yield from _known(f".{function.linkage}", "module", function.source)
    for attribute in function.attributes:
        yield from _known(_attribute(attribute), "func", function.source)
    yield from _heads(function.directives, place, function.source)
    for parameter in (*function.parameters, *function.results):
        yield from _in_variable(parameter, "parameter")
    if function.body is not None:
        yield from _in_body(function.body)


def _attribute(text: str) -> str:
    """ "unified(1, 2)" is .unified."""
    return "." + text.partition("(")[0].strip()


def _heads(found: tuple[Directive, ...], place: str, source: Source | None) -> Iterator[DirectiveUse]:
    for each in found:
        if each.name == "pragma":
            yield from _strings(tuple(map(str, each.arguments)), place, each.source or source)
        else:
            yield from _known(f".{each.name}", place, each.source or source)


def _strings(texts: tuple[str, ...], place: str, source: Source | None) -> Iterator[DirectiveUse]:
    for text in texts:
        row = pragma_string(text)
        if row is not None:
            yield DirectiveUse(row, place, source)


def _in_body(block: Block) -> Iterator[DirectiveUse]:
    for statement in block.statements:
        kind = type(statement)
        if kind is Instruction:  # most of them
            continue
        find = _STATEMENTS.get(kind)
        if find is not None:
            yield from find(statement)


def _in_variable(variable: Variable, place: str = "body") -> Iterator[DirectiveUse]:
    if variable.linkage is not None:
        yield from _known(f".{variable.linkage}", place, variable.source)
    for attribute in variable.attributes:
        yield from _known(_attribute(attribute), place, variable.source)
    yield from _of_type(variable.type, place, variable.source)
    if variable.init is not None and _masks(variable.init):
        yield from _known("mask()", place, variable.source)


def _of_type(type_: ScalarType, place: str, source: Source | None) -> Iterator[DirectiveUse]:
    if type_.kind == "o" or type_.name in ("b128", "f16x2"):
        yield from _known(f".{type_.name}", place, source)


def _masks(init: Initializer) -> bool:
    return any(map(_masks, init)) if isinstance(init, tuple) else isinstance(init, Masked)


def _in_prototype(statement: CallPrototype) -> Iterator[DirectiveUse]:
    yield from _known(".callprototype", "body", statement.source)
    yield from _heads(statement.directives, "prototype", statement.source)


_STATEMENTS: dict[type, Callable[..., Iterator[DirectiveUse]]] = {
    Block: _in_body,
    Variable: _in_variable,
    RegisterDeclaration: lambda s: _of_type(s.type, "body", s.source),
    Pragma: lambda s: _strings(s.texts, "body", s.source),
    BranchTargets: lambda s: _known(".branchtargets", "body", s.source),
    CallTargets: lambda s: _known(".calltargets", "body", s.source),
    CallPrototype: _in_prototype,
    LineDirective: lambda s: _known(".loc_intermediate" if s.intermediate else ".loc", "body"),
}


# ---- judging them ----------------------------------------------------------------------------------------------------


def check_directives(context: VerifierContext) -> None:
    """Report directives that the target or version lacks, that stand where they may not, or with wrong arguments."""
    module = context.module
    _check_target_options(context)
    seen: set[tuple[str, str]] = set()
    for use in uses(module):
        if (use.row.name, use.place) in seen and use.source is None:
            continue
        seen.add((use.row.name, use.place))
        _check_availability(context, use)
        if use.row.places[0] == "pragma" and use.place not in use.row.places:
            allowed = " or ".join(use.row.places[1:])
            context.report(
                "PTX106",
                f'.pragma "{use.row.name}" stands at {use.place} level',
                use.source,
                expected=f"at {allowed} level",
            )
    for item in module.items:
        if isinstance(item, Function):
            _check_function(context, item)
        elif isinstance(item, Pragma):
            _check_strings(context, item.texts, "module", item.source)
        elif isinstance(item, Variable):
            _check_variable(context, item)


def _check_availability(context: VerifierContext, use: DirectiveUse) -> None:
    row, (version, target) = use.row, (context.module.version, context.target)
    name = f'.pragma "{row.name}"' if row.places[0] == "pragma" else row.name
    since = row.since
    if row.until is not None and version > row.until:
        last = f"{row.until[0]}.{row.until[1]}"
        context.report("PTX413", f"{name} ended with PTX {last}", use.source, expected=f".version {last} or older")
    elif not target.provides(since.sm, since.suffix):
        context.report(
            "PTX412",
            f"{name} needs target sm_{since.sm}{since.suffix} or newer, this module is for {target.name}",
            use.source,
            expected=str(since),
            hint=f'target="sm_{since.sm}{since.suffix}"',
        )
    elif version < since.version:
        needed = f"{since.version[0]}.{since.version[1]}"
        context.report(
            "PTX411",
            f"{name} needs PTX {needed}, this module says {version[0]}.{version[1]}",
            use.source,
            expected=f".version {needed} or newer",
            hint='version="auto"',
        )


def _check_target_options(context: VerifierContext) -> None:
    module = context.module
    options = module.target_options
    for option in options:
        row = directive(option)
        if option.startswith(("sm_", "compute_")):
            continue
        if row is None or row.places != ("target",):
            known = [r.name for r in directives() if r.places == ("target",)]
            import difflib  # for a mistake alone

            similar = difflib.get_close_matches(option, known, n=1)
            context.report(
                "PTX402", f"unknown option {option} of .target", hint=similar[0] if similar else ", ".join(known)
            )
            continue
        for other in row.excludes:
            if other in options[: options.index(option)]:
                context.report("PTX422", f".target has both {other} and {option}", hint="keep one")
        if option == "map_f64_to_f32" and context.target.sm >= 13:
            context.report("PTX412", f"{option} is only for sm_10, sm_11 and sm_12", hint="delete it")
        if option == "debug" and not any(isinstance(item, Section) for item in module.items):
            context.report("PTX422", ".target debug without DWARF data", expected=".section", hint="delete debug")


def _check_variable(context: VerifierContext, variable: Variable) -> None:
    names = [f".{variable.linkage}"] if variable.linkage else []
    for name in [*names, *map(_attribute, variable.attributes)]:
        row = directive(name)
        if row is not None and row.spaces and variable.space not in row.spaces:
            spaces = " or ".join(f".{space}" for space in row.spaces)
            context.report(
                "PTX106",
                f"{name} stands on .{variable.space} {variable.name}",
                variable.source,
                expected=f"{spaces} variables",
            )
    if variable.type.name == "samplerref" and "texmode_independent" not in context.module.target_options:
        context.report(
            "PTX422",
            f"{variable.name} is a sampler of its own, which .target must allow",
            variable.source,
            expected=f".target {context.module.target}, texmode_independent",
        )


def _check_function(context: VerifierContext, function: Function) -> None:
    place = "entry" if function.is_entry else "func"
    present = {f".{d.name}" for d in function.directives}
    _check_order(context, function)
    for each in function.directives:
        source = each.source or function.source
        if each.name == "pragma":
            _check_strings(context, tuple(map(str, each.arguments)), place, source)
            continue
        row = head_directives().get(f".{each.name}")
        if row is None:
            import difflib  # for a mistake alone

            similar = difflib.get_close_matches(f".{each.name}", head_directives(), n=1)
            context.report("PTX106", f"unknown directive .{each.name}", source, hint=similar[0] if similar else None)
            continue
        if place not in row.places:
            where = "device functions" if function.is_entry else "kernels"
            context.report("PTX106", f"{row.name} stands on {function.name}; it is for {where}", source)
            continue
        _check_arguments(context, row, each, source)
        _check_company(context, row, function, present, source)
    if function.body is not None:
        _check_pragmas(context, function.body)


def _check_order(context: VerifierContext, function: Function) -> None:
    """Assemblers want .noreturn first, then .abi_preserve, and take .noreturn only where there is no result."""
    if function.is_entry:
        return
    names = [d.name for d in function.directives]
    ranks = [0 if name == "noreturn" else 1 if name.startswith("abi_") else 2 for name in names]
    if ranks != sorted(ranks) or ranks.count(0) > 1:
        context.report(
            "PTX106",
            f"the directives of {function.name} are out of order: {' '.join('.' + n for n in names)}",
            function.source,
            expected=".noreturn, then .abi_preserve and .abi_preserve_control, then the others",
        )
    if "noreturn" in names and function.results:
        context.report(
            "PTX422", f"{function.name} has a result and is .noreturn", function.source, hint="delete one of them"
        )


def _check_company(
    context: VerifierContext, row: DirectiveForm, function: Function, present: set[str], source: Source | None
) -> None:
    missing = [name for name in row.needs if name not in present]
    if missing:
        context.report(
            "PTX422",
            f"{row.name} of {function.name} needs {' and '.join(missing)}",
            source,
            expected=" ".join(row.needs),
        )
    order = [f".{d.name}" for d in function.directives]
    for other in row.excludes:
        if other in present and order.index(other) < order.index(row.name):
            context.report(
                "PTX422", f"{function.name} has both {other} and {row.name}", source, hint=f"keep {row.name} or {other}"
            )


def _check_arguments(context: VerifierContext, row: DirectiveForm, found: Directive, source: Source | None) -> None:
    numbers = [_number(argument) for argument in found.arguments]
    shown = ", ".join(map(str, found.arguments))
    least, most = row.arguments
    low, high = row.allowed
    what = f"{row.name} {shown}".rstrip()
    if not least <= len(numbers) <= most:
        expected = f"{least} to {most} arguments" if most else "no arguments"
        context.report("PTX422", f"{what} has {len(numbers)} arguments", source, expected=expected)
    elif any(n is None or not low <= n <= high for n in numbers):
        names = f", or {', '.join(sorted(LANGUAGES))}" if row.name == ".language" else ""
        bounds = f"{low} or more" if high == 2**32 - 1 else f"{low} to {high}"
        context.report("PTX422", f"{what} is out of range", source, expected=f"{bounds}{names}")
    else:
        _check_sense(context, row, [n for n in numbers if n is not None], what, source)


def _number(argument: int | str) -> int | None:
    return argument if isinstance(argument, int) else LANGUAGES.get(argument.lower())


def _check_sense(
    context: VerifierContext, row: DirectiveForm, numbers: list[int], what: str, source: Source | None
) -> None:
    """What an assembler takes, and ignores, or no device will launch."""
    low, high = row.wise
    product = 1
    for n in numbers:
        product *= n
    if any(not low <= n <= high for n in numbers):
        expected = f"{low} or more" if high == 2**32 - 1 else f"{low} to {high}"
        context.report(
            "PTX422", f"{what} means nothing: assemblers ignore it", source, expected=expected, severity="warning"
        )
    elif row.product and product > row.product:
        unit = "CTAs a cluster" if "cluster" in row.name else "threads a CTA"
        context.report(
            "PTX422", f"{what} states {product} {unit}", source, expected=f"at most {row.product}", severity="warning"
        )


def _check_pragmas(context: VerifierContext, block: Block) -> None:
    for statement in block.statements:
        kind = type(statement)
        if kind is Pragma:
            _check_strings(context, statement.texts, "body", statement.source)  # type: ignore[union-attr]
        elif kind is Block:
            _check_pragmas(context, statement)  # type: ignore[arg-type]


def _check_strings(context: VerifierContext, texts: tuple[str, ...], place: str, source: Source | None) -> None:
    for text in texts:
        row = pragma_string(text)
        if row is None:
            import difflib  # for a mistake alone

            similar = difflib.get_close_matches(text, pragma_strings(), n=1)
            context.report(
                "PTX422",
                f'unknown .pragma "{text}"',
                source,
                hint=similar[0] if similar else None,
                severity="error" if place == "module" else "warning",
            )
            continue
        _, _, rest = text.partition(" ")
        if bool(rest.strip()) is not bool(row.arguments[0]) or (rest and not _fits(row, rest)):
            context.report("PTX422", f'.pragma "{text}" has a wrong argument', source, expected=row.syntax)


def _fits(row: DirectiveForm, text: str) -> bool:
    """nvJitLink looks at the sign only; what is over 64 bits is nobody's."""
    try:
        return int(text.strip(), 0) >= row.allowed[0]
    except ValueError:
        return False
