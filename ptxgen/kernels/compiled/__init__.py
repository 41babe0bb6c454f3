"""The library's Jinja templates as functions of Python, so that the first use of a kernel neither loads Jinja nor compiles a template.

`tools/compile_templates.py` writes every file from its template in `ptxgen/kernels/templates`; run it after a change there. Until
then Jinja renders what was changed, and a test fails. Nothing is edited here. May import `ptxgen.text` and `template_functions`.
"""
