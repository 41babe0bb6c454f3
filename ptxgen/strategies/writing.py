"""A drawn program as a module of the ir: every statement in the instructions that it is about, and what keeps it well defined."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.ir import (
    Address,
    Arguments,
    Block,
    BranchTargets,
    Directive,
    Function,
    Immediate,
    Instruction,
    Label,
    Module,
    Not,
    Register,
    RegisterDeclaration,
    Special,
    Symbol,
    Variable,
    Vector,
)
from ptxgen.isa.types import TYPES
from ptxgen.strategies.operations import BITS, OPERATIONS, REDUCTIONS
from ptxgen.strategies.program import POOL, SCRATCH, SLOTS, VARIABLES, ThreadVariable
from ptxgen.verifier.versions import minimum_version

if TYPE_CHECKING:
    from ptxgen.ir import Operand
    from ptxgen.ir import Statement as Node
    from ptxgen.strategies import program as p
    from ptxgen.strategies.program import DrawnProgram, Statement

__all__ = ["write_module"]

_PREFIX = {"pred": "%p", "b16": "%rs", "b32": "%r", "b64": "%rd", "f32": "%f", "f64": "%fd"}
_TEMPORARY = {"pred": "%tp", "b16": "%ts", "b32": "%t", "b64": "%td", "f32": "%tf", "f64": "%tfd"}


def write_module(program: DrawnProgram, target: str) -> Module:
    """The program in PTX, of the lowest version that is enough."""
    module = _Writer(program).module(target)
    module.version = minimum_version(module)
    return module


def _register(var: ThreadVariable) -> Register:
    return Register(f"{_PREFIX[var.kind]}{var.number}", TYPES[var.kind])


def _constant(kind: str, bits: int) -> Immediate:
    if kind in ("f32", "f64"):
        return Immediate(bits, kind)
    width = BITS.get(kind, 32)
    return Immediate(bits - (1 << width) if width >= 16 and bits >> (width - 1) else bits)


_WHOLE_WARP = Immediate(0xFFFFFFFF)


class _Writer:
    """Writes one program; temporaries are numbered within a function."""

    def __init__(self, program: DrawnProgram) -> None:
        self.program = program
        self.nodes: list[Node] = []
        self.counts: dict[str, int] = {}
        self.labels = 0

    def module(self, target: str) -> Module:
        program = self.program
        words = tuple(Immediate(word) for word in program.table)
        items: list[Variable | Function] = [
            Variable("const", TYPES["b32"], "table", shape=(len(words),), init=words),
            Variable("shared", TYPES["b64"], "offers", shape=(program.block,)),
            Variable("shared", TYPES["b32"], "fold"),
            *(self._function(f"f{i}", body) for i, body in enumerate(program.functions)),
        ]
        return Module((7, 0), target, [*items, self._entry()], name="drawn")

    # Functions

    def _entry(self) -> Function:
        self._begin()
        pointers = {name: self.load_pointer(name) for name in ("input", "output", "totals")}
        self.input, self.totals = pointers["input"], pointers["totals"]
        thread = self.global_thread()
        self._start_from_input(thread)
        self.write(self.program.body)
        self._write_variables(pointers["output"], thread)
        self.emit("ret")
        parameters = tuple(Variable("param", TYPES["u64"], name) for name in pointers)
        body = self._end([Variable("local", TYPES["b32"], "scratch", shape=(SCRATCH,))])
        bound = (Directive("maxntid", (self.program.block,)),)
        return Function("program", is_entry=True, parameters=parameters, linkage="visible", directives=bound, body=body)

    def _function(self, name: str, statements: tuple[Statement, ...]) -> Function:
        """f(a, b): its variables start from the two words, and its result is the first word variable."""
        self._begin()
        a, b = self.temporary("b32"), self.temporary("b32")
        self.emit("ld.param.b32", a, Address(Symbol("a")))
        self.emit("ld.param.b32", b, Address(Symbol("b")))
        for number in range(POOL["b32"]):
            word = _register(ThreadVariable("b32", number))
            self.emit("mad.lo.u32", word, b, Immediate(number), a)
        self._start_from_words()
        self.write(statements)
        self.emit("st.param.b32", Address(Symbol("result")), _register(ThreadVariable("b32", 0)))
        self.emit("ret")
        result, *parameters = (Variable("param", TYPES["b32"], part) for part in ("result", "a", "b"))
        return Function(name, is_entry=False, parameters=tuple(parameters), results=(result,), body=self._end([]))

    def _begin(self) -> None:
        self.nodes, self.counts = [], {}

    def _end(self, variables: list[Variable]) -> Block:
        declared: list[Node] = [RegisterDeclaration(TYPES[k], (_PREFIX[k],), n) for k, n in POOL.items()]
        declared += [RegisterDeclaration(TYPES[k], (_TEMPORARY[k],), n) for k, n in self.counts.items()]
        return Block([*declared, *variables, *self.nodes])

    # Pieces

    def temporary(self, kind: str) -> Register:
        number = self.counts.get(kind, 0)
        self.counts[kind] = number + 1
        return Register(f"{_TEMPORARY[kind]}{number}", TYPES[kind])

    def emit(self, op: str, *operands: Operand, guard: Register | Not | None = None) -> None:
        self.nodes.append(Instruction(op, operands, guard))

    def to(self, kind: str, op: str, *operands: Operand) -> Register:
        """The result of an instruction in a new temporary."""
        register = self.temporary(kind)
        self.emit(op, register, *operands)
        return register

    def label(self, hint: str) -> str:
        self.labels += 1
        return f"{hint}_{self.labels}"

    def place(self, label: str) -> None:
        self.nodes.append(Label(label))

    def load_pointer(self, name: str) -> Register:
        generic = self.to("b64", "ld.param.u64", Address(Symbol(name)))
        return self.to("b64", "cvta.to.global.u64", generic)

    def global_thread(self) -> Register:
        parts = [self.to("b32", "mov.u32", Special(name)) for name in ("%ctaid.x", "%ntid.x", "%tid.x")]
        return self.to("b32", "mad.lo.u32", *parts)

    def element(self, base: Register, index: Register, count: int, size: int) -> Address:
        """The address of an element, the index cut to the array by a remainder."""
        cut = self.to("b32", "rem.u32", index, Immediate(count))
        return Address(self.to("b64", "mad.wide.u32", cut, Immediate(size), base))

    def shared_element(self, name: str, index: Register, count: int, size: int) -> Address:
        base = self.to("b32", "mov.u32", Symbol(name))
        cut = self.to("b32", "rem.u32", index, Immediate(count))
        return Address(self.to("b32", "mad.lo.u32", cut, Immediate(size), base))

    def barrier(self) -> None:
        self.emit("bar.sync", Immediate(0))

    def _start_from_input(self, thread: Register) -> None:
        for number in range(POOL["b32"]):
            index = self.to("b32", "mad.lo.u32", thread, Immediate(2 * number + 1), Immediate(number))
            self.emit(
                "ld.global.b32",
                _register(ThreadVariable("b32", number)),
                self.element(self.input, index, len(self.program.data), 4),
            )
        for number in range(SCRATCH):
            self.emit("st.local.b32", Address(Symbol("scratch"), 4 * number), _register(ThreadVariable("b32", number)))
        self._start_from_words()

    def _start_from_words(self) -> None:
        """Every other variable from the words; expected by `reference.start`."""
        word = [_register(ThreadVariable("b32", number)) for number in range(POOL["b32"])]
        for number in range(POOL["pred"]):
            self.emit("setp.lt.u32", _register(ThreadVariable("pred", number)), word[number], word[number + 1])
        for number in range(POOL["b16"]):
            self.emit("cvt.u16.u32", _register(ThreadVariable("b16", number)), word[number])
        for number in range(POOL["b64"]):
            high = self.to("b64", "mul.wide.u32", word[number], Immediate(0x10001))
            self.emit("xor.b64", _register(ThreadVariable("b64", number)), high, Immediate(number))
        for number in range(POOL["f32"]):
            self.emit("mov.b32", _register(ThreadVariable("f32", number)), word[number])
            self.settle(ThreadVariable("f32", number))
        for number in range(POOL["f64"]):
            self.emit("cvt.f64.f32", _register(ThreadVariable("f64", number)), _register(ThreadVariable("f32", number)))
            self.settle(ThreadVariable("f64", number))

    def settle(self, var: ThreadVariable, guard: Register | Not | None = None) -> None:
        """A NaN's payload is not defined: make it the canonical one."""
        kind = var.kind
        register, nan = _register(var), Immediate(0x7FFFFFFF if kind == "f32" else (1 << 63) - 1, kind)
        is_nan = self.to("pred", f"testp.notanumber.{kind}", register)
        self.emit(f"mov.{kind}", register, nan, guard=is_nan)

    def _write_variables(self, output: Register, thread: Register) -> None:
        start = self.to("b64", "mad.wide.u32", thread, Immediate(8 * len(VARIABLES)), output)
        for place, var in enumerate(VARIABLES):
            register = _register(var)
            if var.kind == "pred":
                register = self.to("b32", "selp.u32", Immediate(1), Immediate(0), register)
            elif var.kind == "b16":
                register = self.to("b32", "cvt.u32.u16", register)
            elif var.kind in ("f32", "f64"):
                register = self.to(f"b{BITS[var.kind]}", f"mov.b{BITS[var.kind]}", register)
            if register.type.bits == 32:
                register = self.to("b64", "cvt.u64.u32", register)
            self.emit("st.global.b64", Address(start, 8 * place), register)

    # Statements

    def write(self, statements: tuple[Statement, ...]) -> None:
        for statement in statements:
            getattr(self, f"write_{type(statement).__name__.removesuffix('Statement').lower()}")(statement)

    def write_assign(self, s: p.Assign) -> None:
        operation = OPERATIONS[s.op]
        args: list[Operand] = [
            _register(given) if isinstance(given, ThreadVariable) else _constant(kind, given)
            for kind, given in zip(operation.operands, s.args)
        ]
        for place, kind in enumerate(operation.operands):
            if kind == "byte":
                args[place] = self.to("b32", "and.b32", args[place], Immediate(0xFF))
        if operation.divides:
            args[-1] = self._divisor(s.op, operation.operands[-1], args[-1])
        if s.op.startswith("cvt.rzi"):
            args[0] = self._number(operation.operands[0], args[0])
        guard = None if s.guard is None else _register(s.guard[0])
        self.emit(s.op, _register(s.dest), *args, guard=Not(guard) if guard and s.guard and s.guard[1] else guard)
        if s.dest.kind in ("f32", "f64"):
            self.settle(s.dest)

    def _divisor(self, op: str, kind: str, given: Operand) -> Register:
        """Odd, and positive where the type has a sign: a division by zero or an overflow has no defined result."""
        bits = BITS[kind]
        if ".s" in op:
            given = self.to(kind, f"and.{kind}", given, Immediate((1 << (bits - 1)) - 1))
        return self.to(kind, f"or.{kind}", given, Immediate(1))

    def _number(self, kind: str, given: Operand) -> Register:
        """0 in place of a NaN."""
        register = self.to(kind, f"mov.{kind}", given)
        is_nan = self.to("pred", f"testp.notanumber.{kind}", register)
        self.emit(f"mov.{kind}", register, Immediate(0, kind), guard=is_nan)
        return register

    def write_load(self, s: p.Load) -> None:
        count, size = len(s.dests), 4 * len(s.dests)
        index = _register(s.at)
        if s.memory == "input":
            address = self.element(self.input, index, len(self.program.data) // count, size)
        else:
            base = self.to("b64", "mov.u64", Symbol(s.memory))
            length = len(self.program.table) if s.memory == "table" else SCRATCH
            address = self.element(base, index, length, 4)
        space = {"input": "global", "table": "const", "scratch": "local"}[s.memory]
        if count == 1:
            self.emit(f"ld.{space}.b32", _register(s.dests[0]), address)
            return
        parts = [self.temporary("b32") for _ in s.dests]
        self.emit(f"ld.{space}.v{count}.b32", Vector(tuple(parts)), address)
        for dest, part in zip(s.dests, parts):
            self.emit("mov.b32", _register(dest), part)

    def write_store(self, s: p.StoreStatement) -> None:
        base = self.to("b64", "mov.u64", Symbol("scratch"))
        self.emit("st.local.b32", self.element(base, _register(s.at), SCRATCH, 4), _register(s.value))

    def write_reduce(self, s: p.ReduceStatement) -> None:
        start = 4 * SLOTS * list(REDUCTIONS).index(s.op)
        base = self.to("b64", "add.s64", self.totals, Immediate(start))
        address = self.element(base, _register(s.at), SLOTS, 4)
        if s.returns:
            self.emit(f"atom.global.{s.op}", self.temporary("b32"), address, _register(s.value))
        else:
            self.emit(f"red.global.{s.op}", address, _register(s.value))

    def write_call(self, s: p.CallStatement) -> None:
        outer, self.nodes = self.nodes, []
        names = [self.label(part) for part in ("a", "b", "result")]
        for name in names:
            self.nodes.append(Variable("param", TYPES["b32"], name))
        for name, var in zip(names, (s.a, s.b)):
            self.emit("st.param.b32", Address(Symbol(name)), _register(var))
        lists = _arguments(names[2:]), Symbol(f"f{s.function}"), _arguments(names[:2])
        self.emit("call", *lists)
        self.emit("ld.param.b32", _register(s.dest), Address(Symbol(names[2])))
        self.nodes, inner = outer, self.nodes
        self.nodes.append(Block(inner))

    def write_exchange(self, s: p.Exchange) -> None:
        self.barrier()
        own = self.to("b32", "mov.u32", Special("%tid.x"))
        block = self.program.block
        self.emit("st.shared.b64", self.shared_element("offers", own, block, 8), _register(s.value))
        self.barrier()
        self.emit("ld.shared.b64", _register(s.dest), self.shared_element("offers", _register(s.at), block, 8))

    def write_fold(self, s: p.Fold) -> None:
        self.barrier()
        own = self.to("b32", "mov.u32", Special("%tid.x"))
        first = self.to("pred", "setp.eq.u32", own, Immediate(0))
        start = self.to("b32", "mov.b32", Immediate(REDUCTIONS[s.op][0]))
        self.emit("st.shared.b32", Address(Symbol("fold")), start, guard=first)
        self.barrier()
        self.emit(f"red.shared.{s.op}", Address(Symbol("fold")), _register(s.value))
        self.barrier()
        self.emit("ld.shared.b32", _register(s.dest), Address(Symbol("fold")))

    def write_shuffle(self, s: p.Shuffle) -> None:
        clamp = Immediate(0 if s.mode == "up" else 31)
        value = _register(s.value)
        self.emit(f"shfl.sync.{s.mode}.b32", _register(s.dest), value, Immediate(s.lane), clamp, _WHOLE_WARP)

    def write_ballot(self, s: p.Ballot) -> None:
        self.emit("vote.sync.ballot.b32", _register(s.dest), _register(s.pred), _WHOLE_WARP)

    def write_if(self, s: p.If) -> None:
        guard = _register(s.cond)
        self._branch(guard if s.negated else Not(guard), s.then, s.otherwise)

    def write_uniformif(self, s: p.UniformIf) -> None:
        cta = self.to("b32", "mov.u32", Special("%ctaid.x"))
        bit = self.to("b32", "and.b32", cta, Immediate(1 << s.bit))
        self._branch(self.to("pred", "setp.eq.u32", bit, Immediate(0)), s.then, s.otherwise)

    def _branch(self, skip: Register | Not, then: tuple[Statement, ...], otherwise: tuple[Statement, ...]) -> None:
        over, end = self.label("else"), self.label("endif")
        self.emit("bra", Symbol(over), guard=skip)
        self.write(then)
        self.emit("bra", Symbol(end))
        self.place(over)
        self.write(otherwise)
        self.place(end)

    def write_loop(self, s: p.LoopStatement) -> None:
        head, end = self.label("loop"), self.label("endloop")
        if isinstance(s.trips, ThreadVariable):
            left = self.to("b32", "and.b32", _register(s.trips), Immediate(3))
        else:
            left = self.to("b32", "mov.u32", Immediate(s.trips))
        self.place(head)
        done = self.to("pred", "setp.eq.u32", left, Immediate(0))
        self.emit("bra", Symbol(end), guard=done)
        self.emit("sub.u32", left, left, Immediate(1))
        self.write(s.body)
        if s.until is not None:
            self.emit("bra", Symbol(end), guard=_register(s.until))
        self.emit("bra", Symbol(head))
        self.place(end)

    def write_switch(self, s: p.Switch) -> None:
        labels = tuple(self.label("case") for _ in s.arms)
        table, end = self.label("cases"), self.label("endswitch")
        chosen = self.to("b32", "and.b32", _register(s.selector), Immediate(3))
        self.nodes.append(BranchTargets(table, labels))
        self.emit("brx.idx", chosen, Symbol(table))
        for label, arm in zip(labels, s.arms):
            self.place(label)
            self.write(arm)
            self.emit("bra", Symbol(end))
        self.place(end)


def _arguments(names: list[str]) -> Arguments:
    return Arguments(tuple(Symbol(name) for name in names))
