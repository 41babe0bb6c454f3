"""Operations of `ptxgen.ops` as functions of JAX arrays, with their gradients.

Each is a `custom_call` of a small function that launches; its room bears the name of that of `ptxgen.ops`. To add one: write that
function (operands first, then results), what its results are, and how it is differentiated (`differentiable` for one call
forward and one backward), and name it in the `__init__.py` of `ptxgen.jax`. What launches by `px.ops` alone is `replayed`.
"""
