"""Where the PTX is in templates, Python and CUDA C++."""

from __future__ import annotations

import pytest

from ptxgen.lsp.languages import language_of, regions_of


@pytest.mark.parametrize(
    "name, language_id, language",
    [
        ("a.ptx", "plaintext", "ptx"), ("a.ptx.j2", "jinja", "template"), ("a.py", "python", "python"), ("a.cu", "", "cuda"),
        ("untitled:1", "cuda-cpp", "cuda"), ("untitled:1", "", "ptx"),
    ],
)  # fmt: skip
def test_the_language_of_a_file(name: str, language_id: str, language: str) -> None:
    assert language_of(name, language_id) == language


@pytest.mark.parametrize("language", ["ptx", "template", "python", "cuda"])
@pytest.mark.parametrize(
    "text",
    [
        'asm("mov.u32 %0, %%tid.x;\\n" : "=r"(x));', 'k.ptx["ld.global.f32"]', 'px.parse("""\n.version 8.0\n""")',
        "{{ a }} {% b %}",
        "{#", "{{", 'asm(', 'asm("', "'''", 'f"""\n.version {v}\n', "R\"(", "\\", 'asm volatile("a" "b" ::: "memory"); }',
    ],
)  # fmt: skip
def test_a_region_is_as_long_as_what_it_stands_for(language: str, text: str) -> None:
    for region in regions_of(text, language):
        assert len(region.text) == region.span.end - region.span.start
        assert 0 <= region.span.start <= region.span.end <= len(text)
        assert region.program is not None


def test_jinja_is_blank_or_a_hole() -> None:
    text = "{# %r1 #}\n{% if a %}add.{{ type }} %r{{ i + 1 }}, %f0;{% endif %}"
    (region,) = regions_of(text, "template")
    assert region.text.split() == ["add.__________", "%r___________,", "%f0;"]
    assert len(region.holes) == 2
    assert region.is_foreign(text.index("type"))
    assert not region.is_foreign(text.index("add") + 1)


def test_python_strings_with_a_module_are_regions_and_others_are_not() -> None:
    text = '''x = "no"  # """ .version 8.0
px.parse("""
.version 8.0
.target sm_90a
""")
y = 'mov.u32'
'''
    (region,) = regions_of(text, "python")
    assert region.kind == "module"
    assert region.text == "\n.version 8.0\n.target sm_90a\n"


def test_escapes_and_fields_of_python_strings() -> None:
    (region,) = regions_of('f".version 8.0\\n.target {target}\\n{{ret;}}"', "python")
    assert region.text == ".version 8.0 \n.target ________ \n {ret; }"
    (raw,) = regions_of('r""".version 8.0\\n"""', "python")
    assert raw.text == ".version 8.0\\n"


def test_names_of_the_builders_instructions() -> None:
    (region,) = regions_of('k.ptx["ld.global.f32"](a)\nother["ld"]', "python")
    assert (region.kind, region.text) == ("name", "ld.global.f32")


def test_asm_statements_are_regions_with_typed_operands() -> None:
    text = r"""
    // asm("no");
    const char* s = "asm(";
    asm volatile(
        "{\n"
        "  .reg .pred p;\n"
        "  setp.ne.b32 p, %2, 0;\n"   // a remark
        "  @p ld.global.f32 %0, [%1 + %3];\n"
        "}\n"
        : "=f"(out)
        : "l"(__cvta_generic_to_global(p)), "r"(uint32_t(mask[0])), "n"(sizeof(int))
        : "memory");
    """
    (region,) = regions_of(text, "cuda")
    assert region.kind == "statements"
    assert region.operands == {"%0": "f32", "%1": "b64", "%2": "b32", "%3": ""}
    assert region.text.split()[:4] == ["{", ".reg", ".pred", "p;"]
    assert "remark" not in region.text
    assert region.program.find("%1", region.text.index("ld")).type == "b64"


@pytest.mark.parametrize(
    "text, ptx, operands",
    [
        ('asm("mov.u32 %0, %%tid.x;" : "=r"(x))', "mov.u32 %0,  %tid.x;", {"%0": "b32"}),
        ('asm("add.s32 %[sum], %[a], 1;" : [sum] "=r"(x) : [a] "r"(y))', "add.s32 %_sum_, %_a_, 1;",
         {"%0": "b32", "%_sum_": "b32", "%1": "b32", "%_a_": "b32"}),
        ('__asm__ __volatile__ ("neg.f64 %0, %0;" : "+d"(x))', "neg.f64 %0, %0;", {"%0": "f64"}),
        ('asm(R"(mov.b16 %0, %1;)" : "=h"(x) : "0"(y))', "mov.b16 %0, %1;", {"%0": "b16", "%1": "b16"}),
        ('asm("ret;" ::: "memory"', "ret;", {}),
        ('asm(\n#if A\n"mov.b32 %0, 1;" : "=r"(x),\n#else\n"mov.b32 %0, 2;" : "=r"(x),\n#endif\n"=f"(y))', "mov.b32 %0, 1;",
         {"%0": "b32", "%1": "f32"}),
    ],
)  # fmt: skip
def test_forms_of_asm(text: str, ptx: str, operands: dict[str, str]) -> None:
    (region,) = regions_of(text, "cuda")
    assert (region.text, region.operands) == (ptx, operands)
