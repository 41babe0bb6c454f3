"""The diagnostic codes of PTX text and templates: see `ptxgen.codes`. The comments above the rows are written by tools/index_codes.py."""

from __future__ import annotations

from ptxgen.codes.code import HEADER, Code

__all__ = ["CODES"]

CODES = (
    # constants.py: _number, malformed
    # cursor.py: Cursor.unexpected
    # parser.py: Parser.read_items
    Code(
        "PTX101",
        "not a token of PTX",
        "a number that PTX cannot read or that does not fit, a string or comment without an end, a sign that PTX does not have",
        "numbers are 31, 0x1F, 0b11111, 037, 1.5, 0f3F800000 (f32 by its bits), 0d3FF0000000000000 (f64)",
        ptx="mov.u32 %r1, 0xG;",
    ),
    # cursor.py: Cursor.missing_semicolon
    Code(
        "PTX102",
        "missing ';'",
        "an instruction or a declaration has no ';' at its end; the finding is on the line where it is missing",
        "write the ';'",
        ptx="mov.u32 %r1, %r2\nadd.u32 %r1, %r1, 1;",
    ),
    # cursor.py: Cursor.unexpected
    Code(
        "PTX103",
        "unexpected token",
        "the text stops being what the grammar wants at this token",
        "read what the finding says was expected there",
        ptx="add.u32 %r1, [%r2;",
    ),
    # parser.py: Parser._item, Parser._statements
    Code(
        "PTX104",
        "unbalanced braces",
        "a '{' is never closed, or a '}' closes nothing",
        "look at the brace that the finding names, not at the end of the file",
        module=HEADER + ".entry k()\n{\n\t{ ret;\n}\n",
    ),
    # ptxgen/builder/exact/statements.py: directive
    # directives.py: header, _version, _targets
    Code(
        "PTX105",
        "wrong head of a module",
        ".version, .target and .address_size are not the first directives, or say what PTX does not have",
        "begin with .version 8.0, .target sm_90a, .address_size 64",
        module=".target sm_90a\n.address_size 64\n",
    ),
    # 9 functions of directives.py, parser.py, ptxgen/verifier/module_level/declarations.py,
    # ptxgen/verifier/module_level/directives.py, ptxgen/verifier/module_level/variables.py
    Code(
        "PTX106",
        "unknown or misplaced directive",
        "a directive that PTX does not have, or one that stands where it may not",
        "ptxgen explain .NAME says where a directive may stand",
        ptx=".visible .entry inner() { ret; }",
    ),
    # declarations.py: _type
    # ptxgen/verifier/module_level/variables.py: _check_type, _check_registers
    Code(
        "PTX107",
        "not a type of variables",
        "a declaration names an unknown type, one that only instructions take (.f16x2, .e4m3x2, .tf32, ...), or one that its state space does not hold",
        "declare bits of that size: .b16, .b32; predicates are registers, a vector has 16 bytes at the most",
        ptx=".reg .e4m3x2 %x;",
    ),
    # constants.py: malformed, _unary, _whole, _check_divisor
    # declarations.py: _plus_offset
    # operands.py: _offset
    Code(
        "PTX108",
        "wrong constant expression",
        "an expression with a floating constant where integers are needed, an unknown cast, or a division by 0 (manual 4.5)",
        "integers, the operators of C, and casts to (.s64) and (.u64)",
        ptx="mov.u32 %r1, 4 / 0;",
    ),
    # bounds.py: check_bound
    # parser.py: Parser._block
    Code(
        "PTX111",
        "larger than may be",
        "a part of the text is larger than ptxgen takes: braces or parentheses nested too deeply, a number of too many characters, too many variables in one declaration",
        "the bounds are in docs/support.md; an array instead of variables, a scope less",
        ptx=f"mov.u32 %r1, {'(' * 60}1{')' * 60};",
    ),
    # template.py: render
    # template_engine.py: _told
    Code(
        "PTX150",
        "no such template",
        "a template, or one that it includes, is in none of the folders that were looked in",
        "give its path, or its folder with search=",
        template='{% include "missing.ptx.j2" %}\n',
    ),
    # template_engine.py: _told
    Code(
        "PTX151",
        "template syntax",
        "Jinja cannot read the template",
        "the finding names the template's line",
        template="{% if x %}\n",
    ),
    # template_engine.py: _told
    Code(
        "PTX152",
        "a template's expression fails",
        "an expression of the template uses an undefined name or raises",
        "declare the name as a parameter: {# ptxgen: parameter unroll: int = 1 #}",
        template="{{ undefined_name }}\n",
    ),
    # template_parameters.py: _finding, unknown_parameter
    # template_process.py: _request
    Code(
        "PTX153",
        "wrong parameter of a template",
        "a parameter is missing, unknown, or its value is not of the declared type or range",
        "the finding says what the template's declaration allows",
        template="{# ptxgen: parameter unroll: int #}\n",
    ),
    # template_parameters.py: _wrong_declaration
    Code(
        "PTX154",
        "wrong parameter declaration in a template",
        "a '{# ptxgen: parameter ... #}' line cannot be read, or its default contradicts its type",
        "{# ptxgen: parameter name: int(1..8) = 2 -- what it is #}",
        template="{# ptxgen: parameter unroll: #}\n",
    ),
    # template_engine.py: _told
    Code(
        "PTX155",
        "a template leaves its sandbox",
        "a template uses private names of Python, changes an object, or includes a file outside its folder and those of search=",
        "trust=True, or --trust, renders a template of your own without the sandbox",
        template="{{ lipsum.__globals__ }}\n",
    ),
    # template_engine.py: _told
    # template_process.py: _stopped
    Code(
        "PTX156",
        "a template reaches a limit",
        "rendering takes more processor time, memory or output than allowed",
        "smaller loops; trust=True, or --trust, renders a template of your own without limits",
        template="{% for i in range(20000) %}{{ 'x' * 1000 }}{% endfor %}\n",
    ),
)
