"""Stack manipulation (manual 9.7.17)."""

ROWS = """
.type = u32 u64

every stack
every protocol
section 9.7.17.1
stacksave.type                 d            ; since 7.3 sm_52
section 9.7.17.2
stackrestore.type              a^           ; since 7.3 sm_52
section 9.7.17.3
alloca.type                    d, size{, #align<1|2|4|8|16|32|64|128|256|512|1024|2048|4096|8192|16384|32768|65536|131072|262144|524288|1048576|2097152|4194304|8388608>!} ; since 7.3 sm_52
"""
