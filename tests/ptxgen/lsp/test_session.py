"""Sessions of an editor: a client of pygls over the pipes of `ptxgen lsp`."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

pytest.importorskip("pygls", reason="`ptxgen lsp` needs the extra lsp")

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.ptxgen.lsp.kit import SAXPY, body
from tools.bench._editor import COMMAND, editor
from tools.bench._large_ptx import straight

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator

    from tools.bench._editor import Editor

Answer = TypeVar("Answer")

FILE = types.TextDocumentIdentifier("untitled:kernel.ptx")
URI = FILE.uri


@pytest.fixture(scope="module")
def session() -> Iterator[Editor]:
    with editor({"docs": "https://docs.invalid/ptxgen"}) as made:
        yield made
    assert made.stderr == b"", made.stderr.decode()


def quickly(session: Editor, request: Coroutine[Any, Any, Answer]) -> Answer:
    """The answer, which takes the server less than 100 ms of processor time: other work on the machine delays it only."""
    before = session.processor_time()
    found = session.run(request)
    assert session.processor_time() - before < 0.1
    return found


def test_open_hover_complete_rename_fix_format(session: Editor) -> None:
    """On a kernel of 4,000 instructions, the server spends less than 100 ms of processor time on each answer."""
    client, run = session.client, partial(quickly, session)
    text = straight(4_000)
    session.open(URI, text)
    assert [each for each in session.published(URI) if each.severity == types.DiagnosticSeverity.Error] == []

    place = session.at(URI, "fma.rn.f32", 1)
    said = run(client.text_document_hover_async(types.HoverParams(FILE, place.position)))
    assert said is not None
    assert "Floating-Point Instructions: fma" in said.contents.value

    end = text.index("st.global.f32")
    session.change(URI, end, end, "st.gl")
    found = run(client.text_document_completion_async(types.CompletionParams(FILE, session.position(URI, end + 5))))
    assert "global" in [item.label for item in found.items]
    chosen = run(client.completion_item_resolve_async(next(item for item in found.items if item.label == "global")))
    assert "manual" in chosen.documentation.value
    session.apply(URI, [chosen.text_edit])
    session.change(URI, end, end + len("st.global"), "")
    assert session.texts[URI] == text

    place = session.at(URI, "%f3", 1)
    renamed = run(client.text_document_rename_async(types.RenameParams(FILE, place.position, "%sum3")))
    session.apply(URI, renamed.changes[URI])
    assert "%f" not in session.texts[URI].replace("%f<", "")
    assert session.texts[URI].count("%sum") == text.count("%f")

    wrong = session.texts[URI].index("add.f32")
    session.change(URI, wrong, wrong + 3, "ad")
    (finding,) = [each for each in session.published(URI) if each.code == "PTX200"]
    assert finding.code_description.href == "https://docs.invalid/ptxgen/codes/PTX200.html"
    context = types.CodeActionContext([finding])
    fixes = run(client.text_document_code_action_async(types.CodeActionParams(FILE, finding.range, context)))
    assert [fix.title for fix in fixes] == ["Change to add.f32"]
    session.apply(URI, fixes[0].edit.changes[URI])
    assert session.texts[URI] == text.replace("%f", "%sum")

    options = types.FormattingOptions(4, insert_spaces=False)
    formatted = run(client.text_document_formatting_async(types.DocumentFormattingParams(FILE, options)))
    session.apply(URI, formatted)
    assert "\n\tadd.f32 %sum0, %sum3, %sum7;\n" in session.texts[URI]
    assert not run(client.text_document_formatting_async(types.DocumentFormattingParams(FILE, options)))
    client.text_document_did_close(types.DidCloseTextDocumentParams(FILE))


def test_the_other_questions(session: Editor) -> None:
    client, run = session.client, session.run
    session.open(URI, SAXPY)
    assert session.published(URI) == []
    place = session.at(URI, "bra done", 5)
    where = run(client.text_document_definition_async(types.DefinitionParams(FILE, place.position)))
    assert where.range.start == types.Position(24, 0)
    context = types.ReferenceContext(include_declaration=False)
    assert len(run(client.text_document_references_async(types.ReferenceParams(context, FILE, place.position)))) == 1
    marked = run(client.text_document_document_highlight_async(types.DocumentHighlightParams(FILE, place.position)))
    assert [each.kind for each in marked] == [types.DocumentHighlightKind.Read, types.DocumentHighlightKind.Write]
    (kernel,) = run(client.text_document_document_symbol_async(types.DocumentSymbolParams(FILE)))
    assert (kernel.name, len(kernel.children)) == ("saxpy", 9)
    assert len(run(client.text_document_folding_range_async(types.FoldingRangeParams(FILE)))) == 2
    whole = types.Range(types.Position(0, 0), types.Position(99, 0))
    (hint,) = run(client.text_document_inlay_hint_async(types.InlayHintParams(FILE, whole)))
    assert hint.label == "5 registers live, the most"
    place = session.at(URI, "fma.rn.f32 %f3, ", 16)
    helped = run(client.text_document_signature_help_async(types.SignatureHelpParams(FILE, place.position)))
    assert (helped.signatures[0].label, helped.active_parameter) == ("fma.rn.f32 d, a, b, c", 1)
    full = run(client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(FILE)))
    part = run(client.text_document_semantic_tokens_range_async(types.SemanticTokensRangeParams(FILE, whole)))
    assert full.data == part.data
    assert len(full.data) > 5 * 60
    with pytest.raises(JsonRpcException, match="declared already"):
        run(client.text_document_rename_async(types.RenameParams(FILE, session.at(URI, "%r2", 1).position, "%f2")))
    client.text_document_did_close(types.DidCloseTextDocumentParams(FILE))


def test_colours_that_changed_behind_an_edit(session: Editor) -> None:
    client, run = session.client, session.run
    session.open(URI, SAXPY)
    full = run(client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(FILE)))
    at = SAXPY.index("fma.rn")
    session.change(URI, at, at, "add.f32 %f1, %f1, %f1;\n\t")
    asked = types.SemanticTokensDeltaParams(FILE, full.result_id)
    changed = run(client.text_document_semantic_tokens_full_delta_async(asked))
    now = run(client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(FILE)))
    (edit,) = changed.edits
    numbers = [*full.data[: edit.start], *edit.data, *full.data[edit.start + edit.delete_count :]]
    assert (numbers, len(edit.data) < 40) == (list(now.data), True)
    assert (
        run(client.text_document_semantic_tokens_full_delta_async(asked)).data == now.data
    )  # of a version that is gone
    client.text_document_did_close(types.DidCloseTextDocumentParams(FILE))


def test_several_files_at_once_and_one_of_each_language(session: Editor) -> None:
    files = {
        "file:///a.ptx": (body("ad.u32 %r1, %r1, 1;"), "PTX200"),
        "file:///b.cu": ('void f() { asm("ad.u32 %0, 1, 1;" : "=r"(x)); }', "PTX200"),
        "file:///c.py": ('k.ptx["ld.globl.f32"]', "PTX201"),
        "untitled:d.ptx.j2": ("{% if %}", "PTX151"),
    }
    for uri, (text, _) in files.items():
        session.open(uri, text)
    for uri, (_, code) in files.items():
        assert [each.code for each in session.published(uri)][:1] == [code]


def test_a_check_of_an_older_version_is_dropped(session: Editor) -> None:
    session.open(URI, straight(3_000))
    for _ in range(5):
        session.change(URI, 0, 0, " ")
        session.run(_asleep(0.05))
    end = len(session.texts[URI])
    session.change(URI, end, end, "x")
    assert [each.code for each in session.published(URI)] == ["PTX103"]


def test_settings_change_what_is_found(session: Editor) -> None:
    template = types.TextDocumentIdentifier("file:///work/t.ptx.j2")
    session.open(
        template.uri,
        "{# ptxgen: parameter op: choice(ad, sub) #}\n" + body("mov.u32 %r1, 0;", "{{ op }}.u32 %r1, %r1, 1;"),
    )
    assert [each.code for each in session.published(template.uri)] == ["PTX153"]
    session.diagnostics.clear()
    settings = {"ptxgen": {"style": True, "parameters": {"t.ptx.j2": {"op": "ad"}}}}
    session.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings))
    assert "PTX200" in [each.code for each in session.published(template.uri)]
    session.diagnostics.clear()
    settings["ptxgen"]["parameters"]["t.ptx.j2"]["op"] = "sub"
    session.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings))
    assert {each.code for each in session.published(template.uri)} == {"PTX601", "PTX609"}
    session.client.workspace_did_change_configuration(types.DidChangeConfigurationParams({}))


async def _asleep(seconds: float) -> None:
    import asyncio

    await asyncio.sleep(seconds)


def test_places_and_edits_outside_of_the_text(session: Editor) -> None:
    client, run = session.client, session.run
    session.open(URI, (SAXPY + "/* 😀 */ x\n").replace("\n", "\r\n"))
    (finding,) = session.published(URI)
    assert (finding.code, finding.range.start) == ("PTX103", types.Position(27, 9))
    for line, character in ((0, 1), (0, 99), (10**6, 0), (5, 10**6)):
        place = types.Position(line, character)
        run(client.text_document_hover_async(types.HoverParams(FILE, place)))
        run(client.text_document_completion_async(types.CompletionParams(FILE, place)))
    far = types.Range(types.Position(10**6, 3), types.Position(2, 1))
    change = types.TextDocumentContentChangePartial(far, "// end")
    version = types.VersionedTextDocumentIdentifier(9, URI)
    client.text_document_did_change(types.DidChangeTextDocumentParams(version, [change]))
    session.texts[URI] += "// end"
    session.versions[URI] = 9
    assert [each.code for each in session.published(URI)] == ["PTX103"]
    unknown = types.TextDocumentIdentifier("file:///nothing.ptx")
    assert run(client.text_document_hover_async(types.HoverParams(unknown, types.Position(0, 0)))) is None
    assert run(client.text_document_formatting_async(
        types.DocumentFormattingParams(unknown, types.FormattingOptions(4, insert_spaces=True)))) is None  # fmt: skip


def talk(*messages: bytes) -> tuple[list[dict[str, object]], bytes, int]:
    """What a server answers to raw bytes, what it logs, and its exit status."""
    done = subprocess.run(COMMAND, input=b"".join(messages), capture_output=True, timeout=60, check=False)
    answers = [part[: part.rindex(b"}") + 1] for part in done.stdout.split(b"\r\n\r\n")[1:]]
    return [json.loads(each) for each in answers], done.stderr, done.returncode


def message(text: str) -> bytes:
    data = text.encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(data), data)


def test_malformed_messages_end_nothing() -> None:
    start = (
        '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{},"processId":null,"rootUri":null}}'
    )
    answers, log, status = talk(
        message(start),
        message("{"),
        message("[]"),
        message('{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":7}}'),
        message(
            '{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"x","version":1},"contentChanges":[]}}'
        ),
        message('{"jsonrpc":"2.0","id":2,"method":"no/such","params":{}}'),
        message('{"jsonrpc":"2.0","id":3,"method":"shutdown"}'),
        message('{"jsonrpc":"2.0","method":"exit"}'),
    )
    by_id = {each["id"]: each for each in answers if "id" in each}
    assert by_id[1]["result"]["capabilities"]["positionEncoding"] == "utf-16"
    assert by_id[2]["error"]["code"] == -32601
    assert by_id[3]["result"] is None
    assert b"Unable to handle message" in log
    assert status == 0


def test_without_pygls_the_command_names_the_extra() -> None:
    program = "import sys; sys.modules['pygls'] = None; from ptxgen.cli.app import app; app(['lsp'])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, "pip install 'ptxgen[lsp]'" in done.stderr) == (2, True), done.stderr
