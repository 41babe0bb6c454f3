"""Stack manipulation (manual 9.7.17)."""

ROWS = """
.type = u32 u64
section 9.7.17.1
stacksave.type                 d            ; since 7.3 sm_52
section 9.7.17.2
stackrestore.type              a^           ; since 7.3 sm_52
section 9.7.17.3
alloca.type                    d, size{, #align<1|2|4|8|16|32|64|128>!} ; since 7.3 sm_52
"""
