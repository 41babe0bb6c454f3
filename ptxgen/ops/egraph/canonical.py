"""Rounds of discovering equal rows, merging their e-classes and rewriting, to the fixed point.

`canonicalization_round` is one round with its pairs and its plan on the host. `FixedPoint` keeps the whole loop on the
device: nothing is read between rounds but, now and then, whether it is over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from ptxgen.builder import u32
from ptxgen.kernels.egraph import egraph, egraph_classes
from ptxgen.ops.arguments import check_device
from ptxgen.ops.egraph.cleanup import AllOrNone, Held
from ptxgen.ops.egraph.discovery import Discovery
from ptxgen.ops.egraph.errors import RunError, expect, expect_count
from ptxgen.ops.egraph.image import COLUMNS, WORD, ColumnSnapshot, ResidentImage
from ptxgen.ops.egraph.plan import DEFAULT_LAUNCH, LaunchConfig, waves_of
from ptxgen.ops.egraph.structural import Equivalences
from ptxgen.ops.egraph.union import UnionPlan, plan_unions

if TYPE_CHECKING:
    from ptxgen.host import Device

__all__ = [
    "FixedPoint", "FixedPointGraph", "FixedPointResult", "Policy", "Round", "canonicalization_round",
    "fixed_point", "read_back", "refresh", "rewrite",
]  # fmt: skip

Policy = Literal["signatures", "full"] | None
"""What is read at the end: nothing, the rows' signatures, or the first six columns of the image."""

FIRST_BATCH = 4
"""Rounds that are launched before the state is looked at; each batch after it is twice as long."""


def read_back(resident: ResidentImage, policy: Policy) -> ColumnSnapshot:
    """The columns that a policy asks for, in one copy; `plan_signature_buckets` takes what comes back."""
    layout = expect("resident", resident, ResidentImage).layout
    names = _columns_of(policy)
    if not names:
        return ColumnSnapshot({}, 0)
    first, end = layout[names[0]].offset, layout[names[-1]].end
    words = resident.array[first:end].numpy()
    columns = {name: words[layout[name].offset - first : layout[name].end - first] for name in names}
    return ColumnSnapshot(columns, words.nbytes)


def _columns_of(policy: Policy) -> tuple[str, ...]:
    """The names of the columns. RunError for a policy that there is not."""
    if policy not in (None, "signatures", "full"):
        raise RunError("BadReadback", policy=policy)
    return {None: (), "signatures": ("row_signatures",), "full": COLUMNS[:6]}[policy]


def rewrite(resident: ResidentImage, plan: UnionPlan, config: LaunchConfig = DEFAULT_LAUNCH) -> None:
    """Replace every e-class id of rows and children that the plan rewrites."""
    expect("resident", resident, ResidentImage)
    config.check()
    if not plan.canonical_rewrites:
        return
    layout, count = resident.layout, len(plan.canonical_rewrites)
    eclasses, children = resident.column("row_eclass_ids"), resident.column("children")
    with Held() as held:
        words = held.add(resident.device.array(plan.rewrite_words))
        for wave in waves_of(layout.row_count + layout.child_count, config):
            egraph.rewrite_plan(
                eclasses, children, words, count, layout.row_count, layout.child_count, first=wave.first_item,
                blocks=wave.blocks, threads=wave.threads_per_block,
            ).launch()  # fmt: skip
        resident.device.current_stream.synchronize()


def refresh(resident: ResidentImage, config: LaunchConfig = DEFAULT_LAUNCH) -> None:
    """Compute every row's signature anew, on the current stream."""
    expect("resident", resident, ResidentImage)
    _, ops, offsets, lens, signatures, children = (resident.column(name) for name in COLUMNS[:6])
    rows = resident.layout.row_count
    for wave in waves_of(rows, config):
        egraph.refresh_plan(
            ops, offsets, lens, signatures, children, rows, first=wave.first_item, blocks=wave.blocks,
            threads=wave.threads_per_block,
        ).launch()  # fmt: skip


class Round(NamedTuple):
    """One round: what was found, what follows from it, and what was read back."""

    discovered: Equivalences
    plan: UnionPlan
    readback: ColumnSnapshot

    @property
    def rewrites(self) -> int:
        return len(self.plan.canonical_rewrites)


def canonicalization_round(
    resident: ResidentImage, *, discovery: Discovery | None = None, readback: Policy = None,
    config: LaunchConfig = DEFAULT_LAUNCH,
) -> Round:  # fmt: skip
    """Discover, union, rewrite, refresh. `discovery` saves making the scratch memory again in each round."""
    config.check()
    expect("resident", resident, ResidentImage)
    _columns_of(readback)
    with Held() as held:
        finder = held.add(Discovery(resident.device, resident.layout.row_count)) if discovery is None else discovery
        finder(resident)
        found = finder.equivalences()
    plan = plan_unions(found.pairs, config)
    if plan.canonical_rewrites:
        rewrite(resident, plan, config)
        refresh(resident, config)
    return Round(found, plan, read_back(resident, readback))


class FixedPointResult(NamedTuple):
    """`rewrites` of each round: how many e-classes it took away, 0 in the last when `converged`.

    `pairs` are those that each round found, where that was asked for. `control_bytes` were read to see whether it is over.
    """

    rewrites: tuple[int, ...]
    converged: bool
    readback: ColumnSnapshot
    control_bytes: int
    pairs: tuple[list[tuple[int, int]], ...] | None = None

    @property
    def rounds(self) -> int:
        return len(self.rewrites)

    @property
    def total_rewrites(self) -> int:
        return sum(self.rewrites)


class FixedPoint:
    """`FixedPoint(device, most_rows, most_children)(resident)`: rounds on the device until nothing merges.

    Holds all scratch memory. E-classes, children and signatures of the resident image are those of the fixed point afterwards;
    each id is the smallest of its set. The image's groups stay as they were packed.
    """

    def __init__(self, device: Device, most_rows: int, most_children: int, *, max_rounds: int = 64) -> None:
        check_device(device)
        most_rows, most_children = expect_count("most_rows", most_rows), expect_count("most_children", most_children)
        max_rounds = expect_count("max_rounds", max_rounds, least=1)
        self.device, self.most_rows, self.most_children, self.max_rounds = device, most_rows, most_children, max_rounds
        sizes = (egraph.slots_for(max(1, most_rows)), most_rows, most_rows, most_children, most_rows)
        with AllOrNone() as held:
            self._held = held
            arrays = [held.add(device.empty(max(1, size), u32)) for size in sizes]
            self._table, self._reps, self._eclasses, self._children, self._parents = arrays
            self._state = held.add(device.zeros(egraph.STATE_WORDS + max_rounds, u32))
        self._history = self._state[egraph.STATE_WORDS :]

    def begin(self, resident: ResidentImage) -> None:
        """Launch what comes before the first round."""
        layout = expect("resident", resident, ResidentImage).layout
        if resident.device is not self.device:
            raise RunError("WrongDevice", found=resident.device.name, expected=self.device.name)
        if layout.row_count > self.most_rows or layout.child_count > self.most_children:
            raise RunError(
                "TooLarge", rows=layout.row_count, children=layout.child_count, most_rows=self.most_rows,
                most_children=self.most_children,
            )  # fmt: skip
        self._state.fill(0)
        self._table.fill(0)
        egraph_classes.to_dense_plan(
            layout.row_count, layout.child_count, layout.eclass_group_count, resident.column("group_eclass_ids"),
            resident.column("row_eclass_ids"), resident.column("children"), self._eclasses, self._children, self._parents,
        ).launch()  # fmt: skip

    def rounds(self, resident: ResidentImage, count: int) -> None:
        """Launch that many rounds; those after the last one do nothing. May be captured."""
        rows, children = resident.layout.row_count, resident.layout.child_count
        _, ops, offsets, lens, signatures, _ = (resident.column(name) for name in COLUMNS[:6])
        ids, state = (self._eclasses, self._children), self._state
        plans = (
            egraph.match_plan(
                rows, signatures, ops, offsets, lens, self._children, self._table, self._reps, state, looped=True
            ),
            egraph_classes.merge_plan(rows, self._reps, self._eclasses, self._parents, state),
            egraph_classes.settle_plan(rows, children, *ids, self._parents, self._table, state),
            egraph_classes.end_round_plan(self.max_rounds, state, self._history),
        )
        launches = [plan.bind(self.device) for plan in plans]
        for _ in range(count):
            for launch in launches:
                launch()

    def end(self, resident: ResidentImage, config: LaunchConfig = DEFAULT_LAUNCH) -> None:
        """Launch what comes after the last round: ids and signatures of the image."""
        layout = resident.layout
        egraph_classes.from_dense_plan(
            layout.row_count, layout.child_count, resident.column("group_eclass_ids"), self._eclasses, self._children,
            resident.column("row_eclass_ids"), resident.column("children"),
        ).launch()  # fmt: skip
        refresh(resident, config)

    def __call__(
        self, resident: ResidentImage, *, readback: Policy = None, config: LaunchConfig = DEFAULT_LAUNCH
    ) -> FixedPointResult:
        """Run to the fixed point, or for `max_rounds` rounds; waits for it."""
        config.check()
        _columns_of(readback)
        self.begin(resident)
        launched, batch, control = 0, FIRST_BATCH, 0
        done = 0
        while not done:
            batch = min(batch, self.max_rounds - launched)
            self.rounds(resident, batch)
            launched += batch
            batch *= 2
            words = self._state[: egraph.STATE_WORDS + launched].numpy().tolist()
            control += WORD * len(words)
            done = words[egraph.DONE]
        self.end(resident, config)
        rewrites = tuple(words[egraph.STATE_WORDS :][: words[egraph.ROUNDS]])
        return FixedPointResult(rewrites, done == 1, read_back(resident, readback), control)

    def graph(self, resident: ResidentImage) -> FixedPointGraph:
        """All of it for one resident image as one graph, whose loop the device ends by itself. NotAvailableError on a driver
        without such loops (CUDA 12.3) or their setter."""
        return FixedPointGraph(self, resident)

    def result(self, resident: ResidentImage, readback: Policy = None) -> FixedPointResult:
        """Of the last run; waits for it."""
        words = self._state.numpy().tolist()
        rewrites = tuple(words[egraph.STATE_WORDS :][: words[egraph.ROUNDS]])
        columns = read_back(resident, readback)
        return FixedPointResult(rewrites, words[egraph.DONE] == 1, columns, WORD * len(words))

    @property
    def goes_on(self) -> int:
        """The address of the word that says whether another round follows."""
        return self._state.pointer + WORD * egraph.GOES_ON

    def close(self) -> None:
        """Free the scratch memory."""
        self._held.close()

    def __enter__(self) -> FixedPoint:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class FixedPointGraph:
    """`FixedPoint.graph(resident)`: `launch()` runs to the fixed point of what the resident image holds then; nothing is read
    until `result()`. The loop's scratch memory and the image stay open as long as it is used."""

    def __init__(self, loop: FixedPoint, resident: ResidentImage) -> None:
        device = loop.device
        self._loop, self._resident = loop, resident
        with AllOrNone() as held:
            self._held = held
            definition = held.add(device.context.graph())
            condition = definition.condition(default=1)
            with device.stream() as stream, device.use(stream):
                with stream.capture(into=definition):
                    loop.begin(resident)
                rounds = definition.while_(condition, after=definition.find("to_dense"), label="rounds")
                with stream.capture(into=rounds.body):
                    loop.rounds(resident, 1)
                condition.set_from(loop.goes_on, graph=rounds.body, after=rounds.body.find("end_round"))
                with stream.capture(into=definition, after=rounds):
                    loop.end(resident)
            self._executable = held.add(definition.instantiate())

    def launch(self) -> None:
        """On the device's current stream."""
        self._executable.launch(self._loop.device.current_stream)

    def result(self, readback: Policy = None) -> FixedPointResult:
        """Of the last launch; waits for it."""
        return self._loop.result(self._resident, readback)

    def close(self) -> None:
        """Free the graph; not the loop and the image."""
        self._held.close()

    def __enter__(self) -> FixedPointGraph:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def fixed_point(
    resident: ResidentImage, *, max_rounds: int = 64, readback: Policy = None, with_pairs: bool = False,
    config: LaunchConfig = DEFAULT_LAUNCH,
) -> FixedPointResult:  # fmt: skip
    """The fixed point of a resident image. `with_pairs` goes round by round and tells what each one found."""
    layout = expect("resident", resident, ResidentImage).layout
    _columns_of(readback)
    if not with_pairs:
        with FixedPoint(resident.device, layout.row_count, layout.child_count, max_rounds=max_rounds) as loop:
            return loop(resident, readback=readback, config=config)
    max_rounds = expect_count("max_rounds", max_rounds, least=1)
    done: list[Round] = []
    with Discovery(resident.device, layout.row_count) as discovery:
        while len(done) < max_rounds and not (done and not done[-1].rewrites):
            done.append(canonicalization_round(resident, discovery=discovery, config=config))
    rewrites = tuple(each.rewrites for each in done)
    pairs = tuple(each.discovered.pairs for each in done)
    control = sum(8 + 4 + each.discovered.unique.nbytes for each in done)
    return FixedPointResult(rewrites, rewrites[-1] == 0, read_back(resident, readback), control, pairs)
