"""Control flow (manual 9.7.12)."""

ROWS = """
section 9.7.12.3 ; branch
bra{.uni}                      tgt:label              ; control
section 9.7.12.4 ; branch
brx.idx{.uni}                  index:u32, tlist:label ; since 6.0 sm_30 ; control
section 9.7.12.5 ; acts
call{.uni}                     f:call                 ; control
section 9.7.12.6 ; ends
ret{.uni}                                             ; control
section 9.7.12.7 ; ends
exit                                                  ; control
"""
