"""What assemblers write, as diagnostics: ptxas and nvJitLink (which has ptxas inside) say things in a few shapes.

ptxas application ptx input, line 24; error   : Arguments mismatch for instruction 'mov'
ptxas gemm.ptx, line 7; fatal   : Parsing error near 'mov': syntax error
ptxas warning : For profile sm_75 adjusting per thread register count of 16 to lower bound of 24
ptxas info    : (C7504) Potential Performance Loss: 'setmaxnreg' ignored to maintain compatibility across compilation units.
ERROR NVJITLINK_ERROR_UNRECOGNIZED_ARCH: unrecognized architecture (compute_33)
"""

from __future__ import annotations

import re

from ptxgen.errors import Diagnostic, Location

__all__ = ["FATAL", "parse_log"]

FATAL = "assembler-fatal"
"""The code of a message that ended the assembly at once: what follows it in the program was not looked at."""

_AT_LINE = re.compile(r"(?:ptxas )?.*?, line (?P<line>\d+); (?P<severity>\w+)\s*: (?P<text>.*)")
_ALONE = re.compile(r"(?:ptxas )?(?P<severity>fatal|error|warning|info)\s*: +(?P<text>.*)")
_NVJITLINK = re.compile(r"ERROR (?P<name>\w+): (?P<text>.*)")
_CONTINUED = re.compile(r"(?:ptxas)?\s{4,}\.?(?P<text>.*)")  # the second line of a message, and every later one
_LONGEST = 300  # characters: an unclosed string drags the rest of the program into the message; the log has it all

# Said after the real message; worth keeping only when it is all there is.
_EPILOGUE = re.compile(r"Ptx assembly aborted due to errors|JIT the PTX \(")

_GIVEN_UP = re.compile(r"(?P<text>\(C75\d\d\) .*)")
_AROUND = re.compile(r"around line (\d+)")
_IN_FUNCTION = re.compile(r"in (?:the )?function '([^']+)'")
_AS_A_WHOLE = "assemble the program as a whole, with ptxas (pip install nvidia-cuda-nvcc)"
_LOSS_HINTS = (
    (r"register count at entry", "state it: .maxnreg, or .maxntid with .minnctapersm"),
    (r"insufficient register", "fewer values alive at once, or a larger .maxnreg"),
    (r"to allow debugging", "assemble without -g"),
    (r"warpgroup\.wait is injected", "wgmma.wait_group before it, where the program means it"),
    (r"warpgroup\.arrive is injected", "wgmma.fence before it"),
)

_HINTS = (
    (r"unsupported value of -O", 'options=("-O0",) or ("-O3",)'),
    (r"unrecognized option|Unknown option", "leave it out, or use the other tool: options go to the tool as they are"),
    (r"Unsupported \.version", "a lower .version, or a newer nvidia-nvjitlink"),
    (r"Unsupported \.target", "a .target in ptxgen.assembler.assemblers(), or another version of the tool"),
    (r"\.target is higher than default SM", "assemble for the module's own .target or a newer one"),
    (r"cannot be compiled to future arch", "assemble for its own .target: `a` runs there alone, `f` in its family"),
    (r"does not match type NVJITLINK_INPUT_PTX", "PTX text begins with .version and .target"),
    (r"requires call prototype", "declare the callee (.func or .callprototype) before the call"),
)  # fmt: skip


def parse_log(log: str, ptx: str, name: str, *, whole: bool = True) -> tuple[Diagnostic, ...]:
    """Every message of `log` in the tool's order, with the PTX lines they are about. `name` is the file to show. `whole`: was
    the program assembled as a whole? What a tool says that it gives up is a warning, PTX630.
    """
    lines: list[str] = []
    found: list[Diagnostic] = []
    epilogues: list[Diagnostic] = []
    for raw in log.split("\n"):  # a message may quote any control character
        message = raw.strip()
        if not message:
            continue
        if at_line := _AT_LINE.fullmatch(message):
            lines = lines or ptx.split("\n")
            places, hint = _places(int(at_line["line"]), lines, name, at_line["text"])
            found.append(_diagnostic(at_line["severity"], at_line["text"], places, hint))
        elif (alone := _ALONE.fullmatch(message)) and (given_up := _GIVEN_UP.fullmatch(alone["text"])):
            found.append(_loss(given_up["text"], ptx.split("\n"), name, whole=whole))
        elif alone:
            into = epilogues if _EPILOGUE.search(message) else found
            into.append(_diagnostic(alone["severity"], alone["text"]))
        elif nvjitlink := _NVJITLINK.fullmatch(message):
            into = epilogues if _EPILOGUE.search(message) else found
            into.append(_diagnostic("error", nvjitlink["text"].removesuffix(name).strip()))
        elif found and (more := _CONTINUED.fullmatch(raw)):
            if len(found[-1].message) < _LONGEST:
                found[-1].message += "\n" + more["text"].strip()
        else:
            found.append(_diagnostic("error", message))
    failed = any(each.is_error for each in epilogues) and not any(each.is_error for each in found)
    return tuple(found + (epilogues[:1] if failed else []))


def _loss(text: str, lines: list[str], name: str, *, whole: bool) -> Diagnostic:
    """What the assembler gives up, at the line, the function or the instruction that it is about."""
    line, function = _AROUND.search(text), _IN_FUNCTION.search(text)
    if line:
        places = [_location(int(line[1]), lines, name)]
    else:
        named = rf"\.(entry|func)\b.*(?<![\w$%]){re.escape(function[1])}(?![\w$%])" if function else ""
        about = named or (r"\bsetmaxnreg\b" if "setmaxnreg" in text else r"(?!)")
        places = [
            _location(number, lines, name) for number, each in enumerate(lines, 1) if re.search(about, _code(each))
        ]
    hints = [advice for pattern, advice in _LOSS_HINTS if re.search(pattern, text)]
    hint = "; ".join(hints if whole else [_AS_A_WHOLE, *hints])
    return Diagnostic("PTX630", text, severity="warning", locations=tuple(places[:1]), hint=hint or None)


def _diagnostic(severity: str, text: str, places: tuple[Location, ...] = (), hint: str | None = None) -> Diagnostic:
    hint = hint or next((advice for pattern, advice in _HINTS if re.search(pattern, text)), None)
    code = FATAL if severity == "fatal" else "assembler"
    return Diagnostic(
        code, text.strip(), severity="error" if severity == "fatal" else severity, locations=places, hint=hint
    )


def _places(line: int, lines: list[str], name: str, text: str) -> tuple[tuple[Location, ...], str | None]:
    """The line named, and, where a missing semicolon made the tool trip over the line after, the one that lacks it."""
    here = _location(line, lines, name)
    if text.startswith("Parsing error"):
        before = min(line, len(lines) + 1) - 1
        while before > 0 and not _code(lines[before - 1]):
            before -= 1
        if before > 0 and _lacks_semicolon(_code(lines[before - 1])):
            return (_location(before, lines, name), here), f"line {before} does not end with a semicolon"
    return (here,), None


def _location(line: int, lines: list[str], name: str) -> Location:
    return Location("ptx", name, line, text=lines[line - 1] if 0 < line <= len(lines) else "")


def _code(line: str) -> str:
    """A line without its comment."""
    return line.partition("//")[0].strip()


def _lacks_semicolon(code: str) -> bool:
    """An instruction or a register declaration that stops in mid-air."""
    declares = code.startswith(".") and not code.startswith((".reg", ".local", ".shared", ".global", ".const"))
    return not code.endswith((";", "{", "}", ":", ",", "(", ")", "*/")) and not declares
