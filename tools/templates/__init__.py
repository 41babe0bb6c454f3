"""The library's Jinja templates to Python, for tools/compile_templates.py: `scopes` says which names are whose, `expressions` and
`statements` have a row for each kind of node that the templates use, and `files` makes a file of each template.

A template becomes one function of the names that it takes from outside. A macro is a function in it, a name that is set is a
local variable, and one of a loop's body gets a number where an outer scope has its name too, since Jinja's loops are scopes. A
file of macros (NAME.j2) gives them as a namespace, a kernel (NAME.ptx.j2) gives its text. What no template has used so far is
refused: add its row.
"""
