"""The verifier: every finding about a module, in text order.

Its *errors* are what an assembler refuses, no more and no less; what an assembler accepts but the manual forbids, or a wise
reader would not write, is a *warning*.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ptxgen.errors import Diagnostic, VerifyError
from ptxgen.ir import Module
from ptxgen.text.printer import format_head, print_module
from ptxgen.verifier.findings.clean import is_clean, lowest_version, note_clean, note_lowest_version

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.text.validate import Buildable

__all__ = ["assert_valid", "judgement", "verify"]


def verify(module: Module | Buildable | str, *, target: str | None = None, style: bool = False) -> list[Diagnostic]:
    """Every error and warning about the module (or a kernel, or PTX text), in text order; [] when there is nothing to say.

    With `target`, as if it were for that target and the lowest PTX version that is enough there; "auto" is the lowest target
    that has all the module uses (ValueError when none has). With `style`, also what is only untidy (6xx): values that
    nothing reads, remarks that take nothing back.
    """
    if not isinstance(module, Module):
        from ptxgen.text.validate import as_module

        module = as_module(module, "verify")
    if target is not None:
        from ptxgen.isa.targets import find_target
        from ptxgen.verifier.versions import at_lowest_target, retargeted

        module = at_lowest_target(module) if target == "auto" else retargeted(module, find_target(target))
    from ptxgen.verifier.run import run_checks  # what was found clean does not need it

    return run_checks(module, style=style)


def assert_valid(module: Module, *, strict: bool = False, lowest: bool = False) -> list[Diagnostic]:
    """The warnings of a module; VerifyError with every finding when there is an error (or, `strict`, a warning).

    A program that was found to have neither is not looked at again, as long as its text is the same. With `lowest` the module
    is for its target's first PTX version, and gets the lowest one that is enough.
    """
    judge = judgement(module, strict=strict, lowest=lowest)
    return [] if judge is None else judge()


def judgement(module: Module, *, strict: bool = False, lowest: bool = False) -> Callable[[], list[Diagnostic]] | None:
    """`assert_valid` in two steps: the module gets its version, and what comes back says the rest when it is called, in any
    thread; None where there is nothing to say."""
    text = draft = _text(module)
    if lowest:
        known = lowest_version(draft) if draft else None
        if known is not None:
            module.version = known
            return None
        from ptxgen.verifier.versions import minimum_version

        head = format_head(module) if draft else ""
        module.version = minimum_version(module)
        text = format_head(module) + draft[len(head) :] if draft else ""
    if not (text and is_clean(text)):
        return partial(_judge, module, text, draft if lowest else "", strict)
    if lowest and draft:
        note_lowest_version(draft, module.version)
    return None


def _judge(module: Module, text: str, draft: str, strict: bool) -> list[Diagnostic]:
    """`draft` is the text for the target's first version, where the module got the lowest one."""
    findings = verify(module)
    if text and not findings:
        note_clean(text)
    if draft and not findings:
        note_lowest_version(draft, module.version)
    errors = [finding for finding in findings if finding.is_error]
    if errors or (strict and findings):
        count = sum(finding.count for finding in errors or findings)
        raise VerifyError(f"{module.name}: {count} {'error' if errors else 'warning'}{'s' * (count > 1)}", findings)
    return findings


def _text(module: Module) -> str:
    try:
        return print_module(module)
    except (AttributeError, KeyError, TypeError, ValueError):
        return ""  # it cannot be printed: the verifier says why
