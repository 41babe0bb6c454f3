"""parse(print(module)) == module, for modules made at random from all that the ir can hold."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ptxgen import ir
from ptxgen.isa.targets import ADDRESS_SIZE
from ptxgen.isa.types import TYPES
from ptxgen.text import parse, print_module

FUNDAMENTAL = [type for type in TYPES.values() if type.fundamental and type.kind not in "op"]
POOL = {"%p": ("pred", 1), "%r": ("b32", 1), "%rd": ("u64", 1), "%f": ("f32", 1), "%d": ("f64", 1), "%v": ("f32", 4)}
DECLARED = [ir.RegisterDeclaration(TYPES[type], (name,), 8, lanes) for name, (type, lanes) in POOL.items()]

types = st.sampled_from(FUNDAMENTAL)
words = st.from_regex(r"[a-z][a-z0-9_$]{0,6}", fullmatch=True)
globals_ = st.sampled_from(["x", "array", "$x", "_x", "table_3"])
small = st.integers(1, 64)
offsets = st.integers(-(2**31), 2**31)
registers = st.builds(
    lambda name, index: ir.Register(f"{name}{index}", TYPES[POOL[name][0]], POOL[name][1]),
    st.sampled_from(list(POOL)),
    st.integers(0, 7),
)
predicates = st.builds(lambda index: ir.Register(f"%p{index}", TYPES["pred"]), st.integers(0, 7))
symbols = st.builds(ir.Symbol, globals_)
immediates = st.one_of(
    st.integers(-(2**63), 2**64 - 1).map(ir.Immediate),
    st.integers(0, 2**32 - 1).map(lambda bits: ir.Immediate(bits, "f32")),
    st.integers(0, 2**64 - 1).map(lambda bits: ir.Immediate(bits, "f64")),
)
integers = st.integers(-(2**63), 2**64 - 1).map(ir.Immediate)
specials = st.sampled_from(["%tid.x", "%laneid", "%clock64", "%ntid"]).map(ir.Special)
elements = st.builds(
    ir.Element, registers.filter(lambda r: r.lanes == 4), st.sampled_from(["x", "y", "z", "w", "r", "b0", "h1"])
)
scalars = st.one_of(registers, symbols, immediates, specials, elements, st.just(ir.Sink()))
vectors = st.lists(scalars, min_size=1, max_size=4).map(lambda found: ir.Vector(tuple(found)))
coordinates = st.one_of(
    st.just(()),
    st.lists(st.one_of(registers, integers), min_size=1, max_size=3).map(tuple),
    st.tuples(symbols, vectors),
)
addresses = st.one_of(
    st.builds(ir.Address, st.one_of(registers, symbols), offsets, coordinates),
    st.builds(ir.Address, st.one_of(registers, symbols), st.just(0), coordinates, zero=st.booleans()),
    st.builds(ir.Address, integers, st.just(0), coordinates),
)
pairs = st.builds(ir.Pair, st.one_of(registers, vectors, st.just(ir.Sink())), st.one_of(predicates, st.just(ir.Sink())))
operands = st.one_of(
    scalars, vectors, addresses, pairs, predicates.map(ir.Not), st.builds(ir.Symbol, globals_, offsets)
)
opcodes = st.sampled_from(["add.s32", "ld.shared::cta.v4.b32", "tex.1d.v4.f32.s32", "mma.m16n8k16", "bra", "ret"])
guards = st.one_of(st.none(), predicates, predicates.map(ir.Not))
instructions = st.builds(ir.Instruction, opcodes, st.lists(operands, max_size=5).map(tuple), guards)
lists = st.lists(scalars.filter(lambda o: o != ir.Sink()), max_size=3).map(lambda found: ir.Arguments(tuple(found)))
calls = st.builds(
    lambda results, callee, arguments, last: ir.Instruction(
        "call.uni", tuple(o for o in (results, callee, arguments, last) if o is not None)
    ),
    st.one_of(st.none(), lists),
    st.one_of(symbols, registers),
    st.one_of(st.none(), lists),
    st.one_of(st.none(), symbols),
)
texts = st.text(st.characters(min_codepoint=32, max_codepoint=126, exclude_characters='"\\'), max_size=12)
comments = st.one_of(texts, st.lists(texts, min_size=2, max_size=3).map("\n".join)).filter(lambda t: "*/" not in t)
names = st.lists(words, min_size=1, max_size=3, unique=True).map(tuple)


def variables(*spaces: str) -> st.SearchStrategy[ir.Variable]:
    values = st.one_of(
        immediates,
        st.builds(ir.Symbol, globals_, offsets),
        st.builds(ir.Generic, st.builds(ir.Symbol, globals_, offsets)),
        st.builds(ir.Masked, st.sampled_from([0xFF, 0xFF00]), st.builds(ir.Symbol, globals_, offsets)),
    )
    return st.builds(
        ir.Variable,
        st.sampled_from(spaces),
        types,
        words,
        shape=st.lists(st.one_of(small, st.none()), max_size=2).map(tuple),
        vector=st.sampled_from([1, 2, 4]),
        align=st.sampled_from([None, 4, 16]),
        init=st.recursive(values, lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=4) | st.none(),
        attributes=st.sampled_from([(), ("managed",), ("managed", "unified(1, 2)")]),
    )


parameters = st.builds(
    ir.Variable,
    st.just("param"),
    types,
    words,
    shape=st.sampled_from([(), (4,), (None,)]),
    align=st.sampled_from([None, 8]),
    pointer=st.sampled_from([None, ("", None), ("global", 16), ("", 8), ("shared", None)]),
)
parameter_lists = st.lists(parameters, max_size=3).map(tuple)
directives = st.sampled_from(
    [ir.Directive("maxntid", (16, 2)), ir.Directive("noreturn"), ir.Directive("pragma", ("a b",)), ir.Directive("maxnreg", (8,))]
)  # fmt: skip
inlined = st.sampled_from([None, "function_name f+4, inlined_at 1 2 3"])
statements = st.one_of(
    instructions,
    calls,
    words.map(ir.Label),
    comments.map(ir.Comment),
    st.lists(texts, min_size=1, max_size=2).map(lambda found: ir.Pragma(tuple(found))),
    st.builds(ir.LineDirective, small, small, small, inlined),
    st.builds(ir.BranchTargets, words, names),
    st.builds(ir.CallTargets, words, names),
    st.builds(ir.CallPrototype, words, parameter_lists, parameter_lists, st.sampled_from([(), (ir.Directive("noreturn"),)])),
)  # fmt: skip
# Names that scopes declare are kept apart from those that operands use, or the text would mean another register.
blocks = st.recursive(
    st.lists(statements, max_size=6).map(ir.Block),
    lambda inner: st.lists(st.one_of(statements, inner), max_size=4).map(ir.Block),
    max_leaves=6,
)
functions = st.builds(
    lambda entry, body, results, **rest: ir.Function(
        is_entry=entry,
        body=None if body is None else ir.Block([*DECLARED, *body.statements]),
        results=() if entry else results,
        **rest,
    ),
    st.booleans(),
    st.one_of(st.none(), blocks),
    parameter_lists,
    name=words,
    parameters=parameter_lists,
    linkage=st.sampled_from([None, "visible", "extern", "weak"]),
    directives=st.lists(directives, max_size=3).map(tuple),
)
sources = st.lists(
    st.sampled_from(["", " { }", "/* // 'x' \"", ".source_begin", ".source_end x", "@p ret;"]), max_size=4
).map(tuple)
items = st.one_of(
    variables("global", "const", "shared"),
    functions,
    comments.map(ir.Comment),
    st.lists(texts, min_size=1, max_size=2).map(lambda found: ir.Pragma(tuple(found))),
    st.builds(ir.FileDirective, small, texts),
    st.builds(ir.FileDirective, small, texts, small, small),
    st.builds(ir.Alias, words, words),
    st.lists(st.builds(ir.CodeBlock, texts, small, sources), max_size=2).map(lambda b: ir.IntermediateSource(tuple(b))),
    st.builds(ir.Section, words, st.lists(st.sampled_from([".b8 1, 2", "a:", ".b32 a-b"]), max_size=3).map(tuple)),
)
modules = st.builds(
    ir.Module,
    st.tuples(st.integers(1, 9), st.integers(0, 9)),
    st.sampled_from(["sm_80", "sm_90a"]),
    st.lists(items, max_size=5),
    target_options=st.sampled_from([(), ("debug",)]),
    address_size=st.sampled_from([32, 64]),
).filter(lambda module: module.address_size == 64 or module.version >= ADDRESS_SIZE)


@given(modules)
def test_what_is_printed_parses_to_the_same(module: ir.Module) -> None:
    text = print_module(module)
    parsed = parse(text)
    assert parsed == module
    assert print_module(parsed) == text
