"""Graphs: `node_work` of nodes that only graphs have, `conditions`, user objects, memory; making, reading and changing a graph
(`editing`, `nodes`, `params`, `attributes`, `conditionals`, `drawing`); and running it (`execution`, `executables`, `updates`).
What a graph is stands in `state.graph`, since captures write it.

A new kind of node is a `NodeWork` in `node_work`, what adds it in `nodes`, and its parameters in `params`; `updates` says what
may change. May import every room but `legacy` and `table`.
"""
