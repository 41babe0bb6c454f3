"""What an assembler takes and the table lacks: `python tools/certify_isa.py --probe`.

The certifier asks about the forms that the table has. Here each row's example is varied by every word that the assembler's lexer
knows (`words.py`), in rounds that the assembler's own answers prune:

  insert    the word behind the name; types and spaces also before each of their kind
  replace   each modifier by each word that was not plainly illegal behind it; two types by two types
  demand    where the answer names modifiers that are wanted, those too
  operands  where it names the operands: one more, one fewer, of other registers
  targets   where it names the target: the same on the others
  names     names that the table cannot spell, with the modifiers and operands of every row

What it takes and the verifier refuses is a finding: a lenient form of `assembler_leniency.py`, or a form that is missing.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from ptxgen.isa.examples import covering_names, examples
from ptxgen.isa.forms import forms_of, opcodes, resolve_loosely
from ptxgen.isa.spaces import ADDRESSABLE, WINDOW
from tools.certify.assembler_leniency import lenient_form
from tools.certify.mutations import split_operands
from tools.certify.ours import our_verdicts
from tools.certify.positives import needed_version, resolved_as
from tools.certify.verdicts import CRASH, Place
from tools.certify.words import Lexicon, lexicon

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ptxgen.isa.notation import Form
    from tools.certify.assembler_leniency import LenientForm
    from tools.certify.verdicts import Tool

__all__ = ["Finding", "Probed", "Seed", "probe", "seeds"]

TARGETS = ("sm_107a", "sm_100a", "sm_103a", "sm_110a", "sm_120a", "sm_121a", "sm_90a")
"""The newest of each family that has all there is; a row is varied on the first of them that has it."""

_TYPE = re.compile(r"(?:[busf]|bf|tf|u?e\d+m|s\d+f)\d+(?:x\d+)?(?:_p\d+)?|pred")
_SHAPE = re.compile(r"m64n\d+k\d+")
_SPACES = frozenset({*ADDRESSABLE, *WINDOW})
_PLAIN = re.compile(
    r"(?:Illegal modifier '[^']*' for instruction '[^']*'|Unknown modifier '[^']*'|Illegal query modifier for .*"
    r"|Comparison qualifier is not allowed for .*|No state space qualifier expected for .*|Illegal reduction operation for .*"
    r"|Illegal rounding modifier for .*|Mismatch between instruction type and comparison qualifier|; )*"
)
_WANTED = re.compile(r"'?(\.[a-z][\w:]*)'? modifier required|requires modifier '(\.[a-z][\w:]*)'")
_OPERANDS = re.compile(
    r"Arguments mismatch|vector size mismatch|[Vv]ector expected|Argument \d+ of|must be|Illegal operand type|elements of vector"
)
_TARGET = re.compile(r"on \.target|requires \.target|for arch|for architecture")
_NO_NAME = "the table cannot spell it; its operands were not found"
_CONFIRMED = 5  # of a group: what other errors of its batch hid is refused when asked alone
_SPARE = ("%r70", "%rd70", "%rs70", "%p70", "%f70", "0", "[%rd70]")
_CLASSES = {"%b": "b8", "%rs": "b16", "%r": "b32", "%rd": "b64", "%f": "f32", "%fd": "f64", "%p": "pred"}
_REGISTER = re.compile(r"%(?:[usf]\d+_|[a-z]+)(?=\d)")


_PLAIN_INSTRUCTIONS = {
    "brev.b32": "%r1, %r2",
    "xor.b64": "%rd1, %rd2, %rd3",
    "rcp.approx.ftz.f32": "%f1, %f2",
    "selp.b32": "%r1, %r2, %r3, %p1",
    "fns.b32": "%r1, %r2, %r3, %r4",
    "sad.u32": "%r1, %r2, %r3, %r4",
}


class Seed(NamedTuple):
    """A legal instruction of a row: its words, its operands, and the place where it is varied."""

    form: Form
    words: tuple[str, ...]
    operands: tuple[str, ...]
    place: Place


class Variant(NamedTuple):
    """A question: the instruction's words and operands, the word that is new in it, and the seed that it comes from."""

    words: tuple[str, ...]
    operands: tuple[str, ...]
    word: str
    seed: Seed

    @property
    def text(self) -> str:
        return f"{'.'.join(self.words)} {', '.join(self.operands)};" if self.operands else f"{'.'.join(self.words)};"


class Finding(NamedTuple):
    """What the assembler takes and the verifier refuses: of an opcode with a word the shortest of `instructions` of them."""

    text: str
    place: Place
    word: str
    ours: str
    instructions: int


class Probed(NamedTuple):
    """What the assembler took: `known` to the verifier too, `explained` by a lenient form, `missing` by nothing.

    `careless` are the words that the assembler takes behind any instruction.
    """

    lexicon: Lexicon
    careless: tuple[str, ...]
    rows: int
    questions: dict[str, int]
    taken: int
    known: int
    explained: Counter[LenientForm]
    missing: list[Finding]


def seeds(tool: Tool, only: tuple[str, ...] = ()) -> list[Seed]:
    """Of each row its shortest name with the fewest operands, and a long one with all."""
    homes = [target for name in TARGETS for target in tool.targets if target.name == name]
    newest = tool.versions[-1]
    found = []
    for opcode in only or opcodes():
        for form in forms_of(opcode):
            for name, at in _names(form):
                resolved = resolved_as(name, form)
                if resolved is None or form.until is not None or "param::func" in name:
                    continue
                for home in homes:
                    version = needed_version(resolved, home)
                    if version is not None and version <= newest:
                        op, _, rest = examples(name, resolved)[at][:-1].partition(" ")
                        found.append(
                            Seed(form, tuple(op.split(".")), tuple(split_operands(rest)), Place(newest, home.name))
                        )
                        break
    return found


def _names(form: Form) -> Iterator[tuple[str, int]]:
    """(name, which of its examples): the shortest, it with a type of each kind, one with as many modifiers as go together."""
    names = covering_names(form)
    yield names[0], 0
    short = names[0].split(".")
    kinds = {_type_kind(word) for word in short}
    for name in names:
        words = name.split(".")
        if len(words) == len(short):
            changed = [new for old, new in zip(short, words) if old != new]
            if len(changed) == 1 and (kind := _type_kind(changed[0])) and kind not in kinds:
                kinds.add(kind)
                yield name, 0
    chosen: list[str] = []
    for segment in form.segments:
        chosen += next(([choice] for choice in segment.choices if not form.forbids([*chosen, choice])), [])
    long = ".".join([form.opcode, *chosen])
    if long != names[0]:
        yield long, -1


def _type_kind(word: str) -> str:
    """ "u" of u32, "f" and "x" of f16x2, "e" and "m" and "x" of e4m3x4; "" for what is not a type."""
    return re.sub(r"[\d_]", "", word) if _TYPE.fullmatch(word) else ""


class _Probe:
    """The state of one run: what was asked already, what the assembler took."""

    def __init__(self, tool: Tool) -> None:
        self.tool = tool
        self.asked: set[int] = set()  # hashes: millions of texts
        self.questions: dict[str, int] = {}
        self.taken: dict[tuple[str, str], Variant] = {}
        self.crashed: set[tuple[str, str]] = set()
        """Opcodes and words that crash the assembler: no verdict is to be had."""

    def ask(self, round_: str, variants: Iterable[Variant]) -> list[tuple[Variant, str]]:
        """Of the variants that were not asked before those that are refused for more than a word's own sake, and why."""
        jobs: dict[Place, list[Variant]] = defaultdict(list)
        for variant in variants:
            key = hash((variant.text, variant.seed.place.target))
            if key not in self.asked and (variant.words[0], variant.word) not in self.crashed:
                self.asked.add(key)
                jobs[variant.seed.place].append(variant)
        self.questions[round_] = self.questions.get(round_, 0) + sum(map(len, jobs.values()))
        answers = self.tool.many({place: [variant.text for variant in each] for place, each in jobs.items()})
        refused = []
        for place, each in jobs.items():
            for variant, said in zip(each, answers[place]):
                if said is None:
                    self.taken[variant.text, place.target] = variant
                elif said == CRASH:
                    self.crashed.add((variant.words[0], variant.word))
                elif not _PLAIN.fullmatch(said):
                    refused.append((variant, said))
        return refused


def probe(tool: Tool, only: tuple[str, ...] = (), known: Lexicon | None = None) -> Probed:
    """Ask all of it, or what varies the rows of some opcodes; `known` spares asking for the words again."""
    home = next(name for name in TARGETS if name in {target.name for target in tool.targets})
    place = Place(tool.versions[-1], home)
    lexed = known or lexicon(tool, place)
    careless, crashing = _careless(tool, place, lexed.words)
    words = tuple(word for word in lexed.words if word not in careless and word not in crashing)
    every = seeds(tool, only)
    run = _Probe(tool)
    first = [*{seed.words[0]: seed for seed in reversed(every)}.values()]
    refused = []
    for variant in _inserted(first, crashing):
        refused += run.ask("insert", [variant])  # alone: what crashes a batch is found by many questions
    refused += run.ask("insert", _inserted(first, words))
    refused += run.ask("insert", _inserted(every, (*words, *crashing)))
    refused += run.ask("replace", _replaced(refused))
    refused += run.ask("pairs of types", _paired(every, words))
    if not only:
        refused += run.ask("names", _named(every, lexed.names, place))
    for _ in range(2):
        refused += run.ask("demand", _demanded(refused))
    refused += run.ask("operands", _operands(every, refused))
    run.ask("targets", _elsewhere(tool, refused))
    taken, explained, missing = _judged(run)
    found = {finding.word for finding in missing}
    for name in lexed.names if not only else ():
        if name not in found and lenient_form(name, _NO_NAME) is None:
            missing.append(Finding(name, place, name, _NO_NAME, 0))
    rows = len({id(seed.form) for seed in every})
    return Probed(lexed, careless, rows, run.questions, len(run.taken), taken, explained, missing)


def _careless(tool: Tool, place: Place, words: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(words that the assembler takes behind instructions which have nothing in common, words that crash it behind one)."""
    taken, crashing = set(words), set()
    for name, operands in _PLAIN_INSTRUCTIONS.items():
        asked = sorted(taken)
        answers = tool.many({place: [f"{name}.{word} {operands};" for word in asked]})[place]
        taken = {word for word, said in zip(asked, answers) if said is None}
        crashing |= {word for word, said in zip(asked, answers) if said == CRASH}
    return tuple(sorted(taken)), tuple(sorted(crashing))


def _inserted(every: list[Seed], words: tuple[str, ...]) -> Iterator[Variant]:
    for seed in every:
        for word in words:
            if word in seed.words:
                continue
            if _SHAPE.fullmatch(word):  # there are hundreds: each in the place of another alone
                for at in (i for i, w in enumerate(seed.words) if _SHAPE.fullmatch(w)):
                    yield Variant((*seed.words[:at], word, *seed.words[at + 1 :]), seed.operands, word, seed)
                continue
            kind = _kind(word)
            places = [i for i, w in enumerate(seed.words) if i and kind and _kind(w) == kind]
            for at in (*places, len(seed.words)):
                yield Variant((*seed.words[:at], word, *seed.words[at:]), seed.operands, word, seed)


def _kind(word: str) -> str:
    """What keeps its order among itself: types, spaces."""
    return "type" if _TYPE.fullmatch(word) else "space" if word in _SPACES else ""


def _replaced(inserted: list[tuple[Variant, str]]) -> Iterator[Variant]:
    for variant, _ in inserted:
        seed, word = variant.seed, variant.word
        for at in range(1, len(seed.words)) if variant.words[-1] == word else ():
            yield Variant((*seed.words[:at], word, *seed.words[at + 1 :]), seed.operands, word, seed)


def _paired(every: list[Seed], words: tuple[str, ...]) -> Iterator[Variant]:
    """Neighbouring types, both replaced."""
    types = [word for word in words if _TYPE.fullmatch(word)]
    for seed in every:
        for at in range(1, len(seed.words) - 1):
            if _TYPE.fullmatch(seed.words[at]) and _TYPE.fullmatch(seed.words[at + 1]):
                for first, second in product(types, types):
                    changed = (*seed.words[:at], first, second, *seed.words[at + 2 :])
                    yield Variant(changed, seed.operands, f"{first}.{second}", seed)


def _named(every: list[Seed], names: tuple[str, ...], place: Place) -> Iterator[Variant]:
    """New names before the modifiers and the operands of every row: behind its opcode, and behind one more word and two."""
    tails = dict.fromkeys((seed.words[start:], seed.operands) for seed in every for start in (1, 2, 3))
    for name in names:
        for tail, operands in tails:
            words = (*name.split("."), *tail)
            yield Variant(words, operands, name, every[0]._replace(place=place))


def _demanded(refused: list[tuple[Variant, str]]) -> Iterator[Variant]:
    for variant, said in refused:
        wanted = dict.fromkeys(word[1:] for found in _WANTED.findall(said) for word in found if word)
        missing = [word for word in wanted if word not in variant.words]
        if missing and len(missing) < 3:
            yield variant._replace(words=(*variant.words, *missing))


def _operands(every: list[Seed], refused: list[tuple[Variant, str]]) -> Iterator[Variant]:
    """Other operands: for rows one more or one fewer; for new names that are refused for theirs, other registers too."""
    for seed in every:
        for operands in _counted(seed.operands):
            yield Variant(seed.words, operands, "operands", seed)
    done = set()
    for variant, said in refused:
        typed = _TYPE.fullmatch(variant.word) is not None
        whose = id(variant.seed.form) if typed else variant.words[0]
        key = (whose, variant.word, len(variant.operands), variant.seed.place)
        if key not in done and _OPERANDS.search(said) and not resolve_loosely(".".join(variant.words)):
            done.add(key)
            for operands in (*_retyped(variant.operands), *(() if typed else _counted(variant.operands))):
                yield variant._replace(operands=operands)


def _counted(operands: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """One fewer, one more at each place."""
    for at in range(len(operands)):
        yield (*operands[:at], *operands[at + 1 :])
    for at in range(len(operands) + 1):
        for spare in _SPARE:
            yield (*operands[:at], spare, *operands[at:])


def _retyped(operands: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Each operand in registers of each other class, and all operands of one class in another."""
    present = list(dict.fromkeys(found for operand in operands for found in _REGISTER.findall(operand)))
    for old, new in product(present, _CLASSES):
        if old != new:
            changed = tuple(re.sub(rf"{old}(?=\d)", new, operand) for operand in operands)
            yield changed
            for at in range(len(operands)):
                if changed[at] != operands[at]:
                    yield (*operands[:at], changed[at], *operands[at + 1 :])


def _elsewhere(tool: Tool, refused: list[tuple[Variant, str]]) -> Iterator[Variant]:
    there = {target.name for target in tool.targets}
    for variant, said in refused:
        if _TARGET.search(said):
            for name in TARGETS:
                if name in there:
                    place = variant.seed.place._replace(target=name)
                    yield variant._replace(seed=variant.seed._replace(place=place))


def _judged(run: _Probe) -> tuple[int, Counter[LenientForm], list[Finding]]:
    """The verifier's verdict about what the assembler took; the shortest of what is left is asked once more alone."""
    jobs: dict[Place, list[Variant]] = defaultdict(list)
    for variant in run.taken.values():
        jobs[variant.seed.place].append(variant)
    known = 0
    explained: Counter[LenientForm] = Counter()
    groups: dict[tuple[str, str], list[tuple[Variant, str]]] = defaultdict(list)
    for place, each in jobs.items():
        for variant, ours in zip(each, our_verdicts([variant.text for variant in each], place)):
            if ours is None:
                known += 1
            elif (reason := lenient_form(variant.text, ours)) is not None:
                explained[reason] += 1
            else:
                groups[variant.words[0], variant.word].append((variant, ours))
    missing = []
    for (_, word), found in sorted(groups.items()):
        found.sort(key=lambda pair: (len(pair[0].text), pair[0].text, pair[0].seed.place))
        for variant, ours in found[:_CONFIRMED]:
            if run.tool.verdicts([variant.text], variant.seed.place)[0] is None:
                missing.append(Finding(variant.text, variant.seed.place, word, ours, len(found)))
                break
    return known, explained, missing
