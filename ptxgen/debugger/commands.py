"""The commands of `ptxgen debug`, on top of a session: names and short forms are those of gdb where it has them."""

from __future__ import annotations

import cmd
from typing import IO, TYPE_CHECKING

from ptxgen.debugger import show
from ptxgen.debugger.expressions import Expression
from ptxgen.debugger.points import Watchpoint
from ptxgen.debugger.values import find_type, text_of
from ptxgen.errors import Error

if TYPE_CHECKING:
    from ptxgen.debugger.points import Stop
    from ptxgen.debugger.session import Session

__all__ = ["Commands"]

_SHORT = {
    "b": "break", "tb": "tbreak", "c": "continue", "s": "step", "n": "next", "si": "stepi", "fin": "finish", "u": "until",
    "p": "print", "bt": "backtrace", "where": "backtrace", "l": "list", "d": "delete", "i": "info", "h": "help", "q": "quit",
    "rs": "reverse-step", "rsi": "reverse-stepi", "rn": "reverse-next", "rc": "reverse-continue", "exit": "quit",
    "up": "frame +1", "down": "frame -1", "EOF": "quit",
}  # fmt: skip
_INFO = ("registers", "warps", "threads", "breakpoints", "barriers", "arguments", "variables")


class Commands(cmd.Cmd):
    """Reads commands and writes what they tell. An empty line is the command before once more."""

    prompt = "(ptxgen) "

    def __init__(self, session: Session, out: IO[str] | None = None, source: IO[str] | None = None) -> None:
        super().__init__(stdin=source, stdout=out)
        self.use_rawinput = source is None
        self.session = session
        self.failed = False
        """Has a command told an error?"""
        self._displays: list[Expression] = []

    def say(self, text: object) -> None:
        self.stdout.write(f"{text}\n")

    # -- reading ------------------------------------------------------------------------------------------------------

    def parseline(self, line: str) -> tuple[str | None, str | None, str]:
        word, _, rest = line.strip().partition(" ")
        word, slash, form = word.partition("/")
        word = _SHORT.get(word, word)
        line = f"{word} {slash + form} {rest}".strip() if slash else f"{word} {rest}".strip()
        name, space, rest = line.partition(" ")
        return super().parseline(f"{name.replace('-', '_')}{space}{rest}")

    @staticmethod
    def command_of(line: str) -> str:
        """The name of the command that a line begins with, as its method has it."""
        word = line.strip().partition(" ")[0].partition("/")[0]
        return _SHORT.get(word, word).partition(" ")[0].replace("-", "_")

    def onecmd(self, line: str) -> bool:
        try:
            return bool(super().onecmd(line))
        except Error as wrong:
            self.failed = True
            self.say(f"error: {wrong}")
            return False

    def default(self, line: str) -> None:
        self.failed = True
        self.say(f"error: no command {line.split()[0]!r}; `help` lists them")

    def emptyline(self) -> bool:
        return self.onecmd(self.lastcmd) if self.lastcmd else False

    def completenames(self, text: str, *ignored: object) -> list[str]:
        return [name.replace("_", "-") for name in super().completenames(text.replace("-", "_"), *ignored)]

    def completedefault(self, text: str, *ignored: object) -> list[str]:
        """Names of registers, variables, functions."""
        thread = self.session.thread
        names = list(self.session.program.functions)
        if thread is not None and thread.stack:
            names += self.session.program.names(thread.stack[0].calls)
        return sorted({name for name in names if name.removeprefix("%").startswith(text.removeprefix("%"))})

    def do_help(self, arg: str) -> None:
        """help [COMMAND]: what there is."""
        arg = _SHORT.get(arg, arg).partition(" ")[0].replace("-", "_")
        if arg:
            found = getattr(self, f"do_{arg}", None)
            self.say(found.__doc__ if found is not None else f"no command {arg!r}")
            return
        names = sorted(name[3:] for name in self.get_names() if name.startswith("do_"))
        short = {full: key for key, full in _SHORT.items() if len(key) < 4}
        rows = []
        for name in names:
            usage, _, what = (getattr(self, f"do_{name}").__doc__ or "").partition(": ")
            rows.append((short.get(name.replace("_", "-"), ""), usage, " ".join(what.split())))
        self.say(show.table_text(rows))

    # -- stops --------------------------------------------------------------------------------------------------------

    def told(self, stop: Stop) -> None:
        self.say(stop)
        thread = self.session.thread
        if thread is not None:
            for each in self._displays:
                self.say(f"  {each} = {_text(each.evaluate(thread))}")

    def do_continue(self, arg: str) -> None:
        """continue: on to the next breakpoint or watchpoint, or the end."""
        self.told(self.session.resume())

    def do_step(self, arg: str) -> None:
        """step [N]: on to the next line, into functions, N times."""
        self.told(self.session.step(_number(arg)))

    def do_next(self, arg: str) -> None:
        """next [N]: on to the next line, over functions."""
        self.told(self.session.next(_number(arg)))

    def do_stepi(self, arg: str) -> None:
        """stepi [N]: on to the next instruction of the thread in hand."""
        self.told(self.session.stepi(_number(arg)))

    def do_finish(self, arg: str) -> None:
        """finish: on until the function has returned, or the thread exits."""
        self.told(self.session.finish())

    def do_until(self, arg: str) -> None:
        """until [LINE]: on to a later line, out of a loop, or to that line."""
        self.told(self.session.until(arg or None))

    def do_goto(self, arg: str) -> None:
        """goto STEP: to a moment of the launch, forward or back; +N and -N count from here."""
        step = _number(arg.lstrip("+-"))
        own = self.session.step_number
        self.told(self.session.goto(own + step if arg[:1] == "+" else max(own - step, 0) if arg[:1] == "-" else step))

    def do_reverse_step(self, arg: str) -> None:
        """reverse-step: back to the beginning of the line, or to the line before."""
        self.told(self.session.reverse_step())

    def do_reverse_next(self, arg: str) -> None:
        """reverse-next: the same, over functions."""
        self.told(self.session.reverse_next())

    def do_reverse_stepi(self, arg: str) -> None:
        """reverse-stepi: back to the instruction before, of the thread in hand."""
        self.told(self.session.reverse_stepi())

    def do_reverse_finish(self, arg: str) -> None:
        """reverse-finish: back to the call of this function."""
        self.told(self.session.reverse_finish())

    def do_reverse_continue(self, arg: str) -> None:
        """reverse-continue: back to the last breakpoint or watchpoint before this moment."""
        self.told(self.session.reverse_resume())

    # -- points -------------------------------------------------------------------------------------------------------

    def do_break(self, arg: str) -> None:
        """break WHERE [if EXPRESSION]: stop at a line (12, file.py:12, ptx:12) or a function."""
        where, condition = _split_condition(arg)
        self.say(self.session.breakpoint(where, condition))

    def do_tbreak(self, arg: str) -> None:
        """tbreak WHERE [if EXPRESSION]: stop there once."""
        where, condition = _split_condition(arg)
        self.say(self.session.breakpoint(where, condition, once=True))

    def do_watch(self, arg: str) -> None:
        """watch PLACE [if EXPRESSION]: stop when a register of the thread in hand or memory changes: %r1, shared.f32[0:64]."""
        what, condition = _split_condition(arg)
        self.say(self.session.watch(what, condition))

    def do_condition(self, arg: str) -> None:
        """condition NUMBER [EXPRESSION]: when a breakpoint or watchpoint stops; without one, always."""
        number, _, text = arg.partition(" ")
        point = self.session.point(_number(number))
        point.condition = Expression(text) if text.strip() else None
        self.say(point)

    def do_ignore(self, arg: str) -> None:
        """ignore NUMBER N: a breakpoint passes N times."""
        number, _, count = arg.partition(" ")
        point = self.session.point(_number(number))
        if not isinstance(point, Watchpoint):
            point.ignore = point.hits + _number(count)
        self.say(point)

    def do_enable(self, arg: str) -> None:
        """enable NUMBER: a breakpoint or watchpoint stops again."""
        self.session.point(_number(arg)).enabled = True

    def do_disable(self, arg: str) -> None:
        """disable NUMBER: a breakpoint or watchpoint does not stop."""
        self.session.point(_number(arg)).enabled = False

    def do_delete(self, arg: str) -> None:
        """delete NUMBER: a breakpoint or watchpoint is gone."""
        self.session.delete(_number(arg))

    # -- looking ------------------------------------------------------------------------------------------------------

    def do_print(self, arg: str) -> None:
        """print[/TYPE] EXPRESSION: a value in the thread in hand: %r1 + 1, shared.f32[0:64], f32(%r1), %tid.x."""
        form, text = _form(arg)
        found = self.session.evaluate(f"{form}({text})" if form else text)
        self.say(f"{text} = {_text(found)}")

    def do_display(self, arg: str) -> None:
        """display [EXPRESSION]: print it at every stop; without one, print all of them."""
        if arg:
            self._displays.append(Expression(arg))
        thread = self.session.thread
        if thread is not None:
            for each in self._displays:
                self.say(f"{each} = {_text(each.evaluate(thread))}")

    def do_undisplay(self, arg: str) -> None:
        """undisplay: print no expressions at stops."""
        self._displays.clear()

    def do_x(self, arg: str) -> None:
        """x SPACE.TYPE[FIRST:END]: memory by address: x shared.f32[0:128]."""
        thread = self.session.hand()
        reference = Expression(arg).reference(thread)
        kind = reference.type or find_type("b8")
        values = thread.read(reference.space, reference.address, kind, reference.elements)
        self.say(show.memory_text(reference.address, values, kind))

    def do_set(self, arg: str) -> None:
        """set PLACE = EXPRESSION: change a register of the thread in hand, or memory."""
        target, _, text = arg.partition("=")
        self.session.hand().write(target.strip(), self.session.evaluate(text))
        self.do_print(target.strip())

    def do_list(self, arg: str) -> None:
        """list [ptx]: lines around this one, of the source or of the PTX."""
        session = self.session
        thread = session.hand()
        here = thread.stack[thread.frame].instruction if thread.stack else None
        marks = [n for each in session.breakpoints if each.enabled for n in each.instructions]
        self.say(show.listing_text(session.program, here, ptx=session.ptx or arg == "ptx", marks=marks))

    def do_backtrace(self, arg: str) -> None:
        """backtrace: the functions that the thread in hand is in."""
        self.say(show.stack_text(self.session.hand()))

    def do_frame(self, arg: str) -> None:
        """frame [N | +1 | -1]: the function whose registers have their names: 0 the innermost; `up` and `down`."""
        thread = self.session.hand()
        wanted = thread.frame + int(arg) if arg[:1] in ("+", "-") and arg[1:].isdecimal() else _number(arg or "0")
        thread.frame = min(max(wanted, 0), max(len(thread.stack) - 1, 0))
        self.say(show.stack_text(thread))

    def do_thread(self, arg: str) -> None:
        """thread [X [Y [Z]]]: take the thread of these indices in hand; without any, say which is."""
        if arg:
            self.session.focus(tid=_triple(arg))
        self._say_thread()

    def do_warp(self, arg: str) -> None:
        """warp N: take a warp of this CTA in hand."""
        self.session.focus(warp=_number(arg))
        self._say_thread()

    def do_lane(self, arg: str) -> None:
        """lane N: take a lane of this warp in hand."""
        self.session.focus(lane=_number(arg or "0"))
        self._say_thread()

    def do_cta(self, arg: str) -> None:
        """cta X [Y [Z]]: take a CTA in hand."""
        self.session.focus(ctaid=_triple(arg))
        self._say_thread()

    def _say_thread(self) -> None:
        thread = self.session.hand()
        self.say(thread)
        if thread.instruction is not None:
            self.say("\n".join(thread.instruction.lines()))

    def do_info(self, arg: str) -> None:
        """info registers [NAME...] | warps | breakpoints | barriers | arguments | variables: what there is."""
        words = arg.split()
        found = [each for each in _INFO if words and each.startswith(words[0])]
        if not found:
            self.say(f"info {' | '.join(_INFO)}")
            return
        getattr(self, f"_info_{found[0]}")(words[1:])

    def _info_registers(self, names: list[str]) -> None:
        thread = self.session.hand()
        calls = thread.stack[thread.frame].calls if thread.stack else None
        rows = self.session.warp.registers(calls)
        rows = [row for row in rows if not names or row.name in names or row.name.removeprefix("%") in names]
        self.say(show.registers_text(rows, thread.state.live) or "no register is written yet")

    def _info_warps(self, _: list[str]) -> None:
        self.say(show.warps_text(self.session.warps, self.session.thread))

    _info_threads = _info_warps

    def _info_breakpoints(self, _: list[str]) -> None:
        points = self.session.points
        self.say("\n".join(f"{each}; {each.hits} hits" for each in points) or "none")

    def _info_barriers(self, _: list[str]) -> None:
        self.say(show.barriers_text(self.session.ctas))

    def _info_arguments(self, _: list[str]) -> None:
        thread = self.session.hand()
        rows = [(name, _text(thread.lookup(name))) for name, _, _ in self.session.program.kernel.parameters]
        self.say(show.table_text(rows) if rows else "the kernel has no parameters")

    def _info_variables(self, _: list[str]) -> None:
        kernel = self.session.program.kernel
        rows = [("shared", each.name, f"{each.offset:#x}", f"{each.size} bytes") for each in kernel.shared_variables]
        rows += [("local", each.name, f"{each.offset:#x}", f"{each.size} bytes") for each in kernel.local_variables]
        self.say(show.table_text(rows) if rows else "no variables in shared or local memory")

    def do_lines(self, arg: str) -> None:
        """lines ptx | source: what `step` and `next` count as lines."""
        if arg in ("ptx", "source"):
            self.session.ptx = arg == "ptx" or not self.session.program.files
        self.say(f"steps are by line of {'the PTX' if self.session.ptx else ', '.join(self.session.program.files)}")

    def do_quit(self, arg: str) -> bool:
        """quit: end the launch where it is."""
        return True


def _text(value: object) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(map(text_of, value)) + "]"
    return text_of(value) if isinstance(value, (int, float, tuple, bool)) or value is None else str(value)


def _number(text: str) -> int:
    from ptxgen.errors import DebugError

    try:
        return int(text, 0) if text.strip() else 1
    except ValueError:
        raise DebugError(f"{text!r} is no number") from None


def _triple(text: str) -> tuple[int, int, int]:
    x, y, z = ([_number(word) for word in text.replace(",", " ").split()] + [0, 0, 0])[:3]
    return (x, y, z)


def _split_condition(text: str) -> tuple[str, str | None]:
    where, word, condition = text.partition(" if ")
    return where.strip(), condition if word else None


def _form(text: str) -> tuple[str, str]:
    """(`f32`, rest) of `/f32 rest`."""
    if not text.startswith("/"):
        return "", text.strip()
    form, _, rest = text[1:].partition(" ")
    return find_type(form).name, rest.strip()
