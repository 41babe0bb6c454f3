"""Graphs: what one is (`graph`, `edges`, `works`) and holds (`userobjects`, `memory`, `conditionals`); making, reading and
changing it (`editing`, `nodes`, `params`, `attributes`, `drawing`); and running it (`executables`, `updates`).

A new kind of node is a work in `works`, what adds it in `nodes`, and its parameters in `params`; `updates` says what may change.
"""
