"""How a call fails, and what is said of it: `refusal`, the exception with a result code that driver functions raise; `results`,
every code's name and text; `log`, the driver's log. A new code is a row in `results`. Imports driver_ctypes.abi alone.
"""
