"""The rules by which a hunt reports: a row for each kind of finding of the CPU device; codes of the verifier are rules too.

To add a rule, write its row: the tool, and the kind that the tool says. A kind without a row is reported all the same, under the
row of its tool alone.
"""

from __future__ import annotations

from typing import NamedTuple

from ptxgen.codes import group

__all__ = ["RULES", "Rule", "level_of_code", "rule_of"]


class Rule(NamedTuple):
    """`id` is stable. `level` is "error", "warning" or "note", as SARIF has them: a note may be meant so. `uncertain` is the level
    where an argument is a guess: then the launch may be what is wrong. Where the shape of a CTA is one, all are notes."""

    id: str
    level: str
    uncertain: str
    meaning: str
    help: str


def _rows(text: str) -> dict[tuple[str, str], Rule]:
    """A row a line: tool, kind, id, level, level of an uncertain launch, what it means, what to do."""
    found = {}
    for line in text.strip().splitlines():
        tool, kind, id, level, uncertain, meaning, help = (part.strip() for part in line.split("|"))
        found[tool, kind] = Rule(id, level, uncertain, meaning, help)
    return found


RULES = _rows("""
racecheck | read after write           | race/read-after-write  | error   | warning | memory that one thread reads and another writes, with nothing to order them            | see docs/sanitizer.md: what counts as order
racecheck | write after read           | race/write-after-read  | error   | warning | memory that one thread overwrites and another reads, with nothing to order them        | see docs/sanitizer.md: what counts as order
racecheck | write after write          | race/write-after-write | error   | warning | two threads write other values to the same memory, with nothing to order them          | see docs/sanitizer.md: what counts as order
racecheck | no proxy fence             | race/proxy             | error   | warning | a copy or the tensor cores read what threads wrote, without a proxy fence              | fence.proxy.async before the barrier
asynccheck | used in flight            | async/used             | error   | warning | memory is read that a copy under way brings                                            | wait for the copy first
asynccheck | overwritten in flight     | async/overwritten      | error   | warning | memory is written that a copy, a bulk store or a wgmma under way has                    | wait before it is released
asynccheck | register in flight        | async/register         | error   | warning | registers are used that a wgmma under way has                                          | wgmma.wait_group first
asynccheck | not committed             | async/not-committed    | error   | warning | what is under way is in no group, so that no wait waits for it                          | commit_group
asynccheck | not waited for            | async/not-waited       | error   | warning | a thread exits, and its bulk store still reads shared memory                            | cp.async.bulk.wait_group 0
asynccheck | other swizzle             | async/swizzle          | error   | error   | a matrix descriptor has another swizzle than the tensor map                             | one swizzle for both
asynccheck | other rows                | async/rows             | error   | error   | a matrix descriptor has its lines where the box has other rows                          | see the message
initcheck | uninitialised read         | uninitialised-read     | warning | note    | memory is read that nobody has written                                                 | write it first, or read less
initcheck | uninitialised read without effect | uninitialised-read/unused | note | note    | shared memory is read that nobody has written, and results do not depend on it          | leave it
memcheck  | outside its variable       | bounds/shared-variable | error   | note    | an access through a shared variable lands outside of it                                | check the index
memcheck  | box outside its tensor     | bounds/box             | warning | note    | a box of a tensor map begins far from its tensor                                        | check the coordinates
memcheck  | outside its allocation     | bounds/allocation      | error   | note    | an access through a pointer lands in another allocation                                | check the index
synccheck | barrier after an exit      | barrier/after-exit     | warning | note    | a barrier is for all threads of the CTA, and some have exited                          | let all threads reach it
synccheck | barrier counts             | barrier/counts         | error   | note    | threads state several counts for one use of a barrier                                  | one count for each use
synccheck | mbarrier initialised again | mbarrier/initialised   | error   | warning | an mbarrier is initialised that is valid already                                       | mbarrier.inval first
fault     | illegal address            | bounds/address         | error   | note    | an access outside every allocation                                                     | check the index
fault     | misaligned address         | bounds/alignment       | error   | note    | an access at an address that is no multiple of its size                                | align it
fault     | deadlock                   | deadlock               | error   | note    | threads wait for what never comes                                                      | let somebody arrive
fault     | divergent barrier          | deadlock/divergent     | error   | note    | a barrier that not all lanes reach                                                     | converge first
fault     | no progress                | deadlock/no-progress   | error   | note    | threads loop, and nothing changes                                                      | let somebody write what they wait for
fault     | trap                       | trap                   | error   | note    | the kernel ends itself: a condition that it checks does not hold                       | see the condition
fault     | assert                     | assert                 | error   | note    | a condition that the kernel asserts does not hold                                      | see the condition
fault     |                            | fault                  | error   | note    | the launch is ended                                                                    | see the message
schedules | different results          | schedule               | error   | warning | results depend on when asynchronous work is done, or in which order threads run        | wait for what is used: a barrier, an mbarrier, cp.async.wait_group, tcgen05.wait
""")  # a row is a line


def rule_of(tool: str, kind: str) -> Rule:
    """The row of a kind; one made from the tool's for a kind that has none."""
    found = RULES.get((tool, kind))
    if found is not None:
        return found
    whole = RULES.get((tool, ""))
    name = f"{tool}/{kind.replace(' ', '-')}"
    if whole is None:
        return Rule(name, "warning", "note", f"{tool}: {kind}", "see the message")
    return whole._replace(id=name, meaning=f"{whole.meaning}: {kind}")


def level_of_code(code: str, severity: str) -> str:
    """The level of a finding of the verifier. Compilers write much that is only untidy, such as registers that they leave undefined
    on purpose: what no assembler rejects, and is no matter of threads and protocols, is a note."""
    if severity == "error":
        return "error"
    return "warning" if group(code) == group("PTX500") else "note"
