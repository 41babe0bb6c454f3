"""From a C call to a Python function: `registry`, where a function is registered with `entry`; `callbacks`, the C callbacks with
the checks that are the same everywhere; `capture_rules`, what is refused while a stream captures; `injection`, the failures
that are in force. May import `state` and what is below.
"""
