"""Equality saturation: limits that hold within a round, conditions, rules held back, and the cheapest term by any cost."""

from __future__ import annotations

import math
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ptxgen.ops.egraph import Backoff, EGraph, Rule, RunError, extract_best, saturate

COMMUTE = Rule("commute", ("+", "?a", "?b"), ("+", "?b", "?a"))
REGROUP = Rule("regroup", ("+", ("+", "?a", "?b"), "?c"), ("+", "?a", ("+", "?b", "?c")))


def term(egraph, tree):
    op, *below = tree
    return egraph.add(op, [term(egraph, child) for child in below])


def sum_of(egraph, names):
    total = egraph.add("x0")
    for index in range(1, names):
        total = egraph.add("+", [total, egraph.add(f"x{index}")])
    return total


@pytest.mark.parametrize("names", [2, 3, 5])
def test_all_orders_of_a_sum(names):
    """A class for each set of names, and a node for each way to divide one in two: 3^n - 2^(n+1) + 1."""
    egraph = EGraph()
    sum_of(egraph, names)
    done = saturate(egraph, [COMMUTE, REGROUP])
    assert (done.saturated, done.stopped) == (True, "saturated")
    assert egraph.node_count == 3**names - 2 ** (names + 1) + 1 + names
    assert len({egraph.find(each) for each, _, _ in egraph.nodes()}) == 2**names - 1
    assert set(done.matches) == {"commute", "regroup"}


def closure_of(nodes, unions):
    """Congruence by plain means: classes as a partition, merged until nothing changes."""
    label = list(range(len(nodes)))

    def merge(a, b):
        low, high = sorted((label[a], label[b]))
        for index, each in enumerate(label):
            if each == high:
                label[index] = low

    for a, b in unions:
        merge(a, b)
    changed = True
    while changed:
        before = list(label)
        seen = {}
        for index, (op, children) in enumerate(nodes):
            first = seen.setdefault((op, tuple(label[child] for child in children)), index)
            merge(first, index)
        changed = label != before
    return label


steps = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.sampled_from("abf"), st.lists(st.integers(0, 30), max_size=2), st.booleans()),
        st.tuples(st.just("union"), st.integers(0, 30), st.integers(0, 30)),
        st.tuples(st.just("rebuild")),
    ),
    max_size=60,
)


@given(steps)
@settings(max_examples=80)
def test_nodes_are_hash_consed_whatever_the_order_of_calls(drawn):
    egraph, nodes, unions = EGraph(), [], []
    for kind, *given_ in drawn:
        if kind == "rebuild":
            egraph.rebuild()
        elif kind == "add":
            op, below, fresh = given_
            children = [child % len(nodes) for child in below] if nodes else []
            if egraph.add(op, children, fresh=fresh) == len(nodes):
                nodes.append((op, children))
        elif nodes:
            unions.append(tuple(each % len(nodes) for each in given_))
            egraph.union(*unions[-1])
    egraph.rebuild()
    assert [egraph.find(each) for each in range(egraph.class_count)] == closure_of(nodes, unions)
    kept = [(op, tuple(map(egraph.find, children))) for _, op, children in egraph.nodes()]
    assert len(set(kept)) == len(kept)
    for eclass, op, children in egraph.nodes():
        assert egraph.lookup(op, children) == egraph.find(eclass) == egraph.add(op, children)


@pytest.mark.parametrize("most", [1, 30, 39, 40, 500])
def test_there_are_never_more_nodes_than_allowed(most):
    egraph, seen = EGraph(), []
    sum_of(egraph, 12)
    before = egraph.node_count
    watched = Rule("watched", *_sides(REGROUP), when=lambda egraph, _: seen.append(egraph.node_count) or True)
    done = saturate(egraph, [COMMUTE, watched], most_nodes=most)
    assert done.stopped == "nodes"
    assert max([*seen, egraph.node_count]) <= max(before, most)


def _sides(rule):
    return rule.left, rule.right


def test_a_match_that_adds_no_node_is_applied_at_the_limit():
    """x + 0 is x needs no node."""
    egraph = EGraph()
    root = term(egraph, ("+", ("x",), ("0",)))
    done = saturate(egraph, [Rule("zero", ("+", "?a", ("0",)), "?a")], most_nodes=3)
    assert done.saturated
    assert extract_best(egraph, root).term == ("x",)


def test_matches_are_counted_as_they_are_found():
    egraph = EGraph()
    sum_of(egraph, 12)
    done = saturate(egraph, [COMMUTE, REGROUP], most_matches=37)
    assert (done.stopped, sum(done.matches.values())) == ("matches", 37)


def test_time_is_looked_at_within_a_round():
    """One round of a pattern of 40 nested sums over a class with 200 of them would take longer than anybody waits."""
    egraph = EGraph()
    x = egraph.add("x")
    for index in range(200):
        egraph.union(x, egraph.add("+", [x, egraph.add(f"y{index}")]))
    egraph.rebuild()
    pattern = "?end"
    for index in range(40):
        pattern = ("+", pattern, f"?y{index}")
    begin = time.monotonic()
    done = saturate(egraph, [Rule("deep", (*pattern,), ("none",), when=lambda *_: False)], seconds=0.05)
    assert done.stopped == "seconds"
    assert time.monotonic() - begin < 5
    assert done.rounds == 1


def test_limits_leave_an_egraph_that_is_congruent():
    for limit in ({"most_nodes": 100}, {"most_matches": 60}, {"seconds": 0.0}, {"budget": 2}):
        egraph = EGraph()
        root = sum_of(egraph, 9)
        saturate(egraph, [COMMUTE, REGROUP], **limit)
        assert egraph.rebuild() == 0
        assert extract_best(egraph, root).cost == 17


def test_a_condition_decides_where_a_rule_applies():
    """x / x is 1 where x is not known to be 0."""
    egraph = EGraph()
    zero = egraph.add("0")
    bad, good = term(egraph, ("/", ("0",), ("0",))), term(egraph, ("/", ("y",), ("y",)))
    asked = []

    def nonzero(graph, classes):
        asked.append(classes)
        return graph.find(classes["?x"]) != graph.find(zero)

    assert saturate(egraph, [Rule("cancel", ("/", "?x", "?x"), ("1",), when=nonzero)]).saturated
    assert extract_best(egraph, good).term == ("1",)
    assert extract_best(egraph, bad).term == ("/", ("0",), ("0",))
    assert all(list(classes) == ["?x"] for classes in asked)


def test_a_condition_is_asked_again_when_something_changed():
    """a is known to be small one round after f(a) was matched for the first time."""
    egraph = EGraph()
    root = term(egraph, ("f", ("a",)))
    rules = [
        Rule("known", ("f", "?x"), ("g", "?x"), when=lambda graph, at: graph.lookup("small", [at["?x"]]) is not None),
        Rule("small", ("a",), ("b",)),
        Rule("smaller", ("b",), ("b",), when=lambda graph, at: graph.add("small", [graph.add("b")]) >= 0),
    ]
    assert saturate(egraph, rules).saturated
    assert egraph.find(root) == egraph.find(term(egraph, ("g", ("b",))))


def test_an_error_in_a_condition_is_the_callers():
    egraph = EGraph()
    sum_of(egraph, 3)
    with pytest.raises(ZeroDivisionError):
        saturate(egraph, [Rule("wrong", *_sides(COMMUTE), when=lambda *_: 1 / 0)])


def test_a_rule_that_matches_too_often_is_held_back_and_comes_again():
    """The sum still saturates, in more rounds; the rule that is held back has fewer matches in a round than it could have."""
    egraph, plain = EGraph(), EGraph()
    sum_of(egraph, 6), sum_of(plain, 6)
    done = saturate(egraph, [COMMUTE, REGROUP], backoff=Backoff(matches=20, rounds=1))
    free = saturate(plain, [COMMUTE, REGROUP])
    assert done.saturated
    assert egraph.node_count == plain.node_count == 3**6 - 2**7 + 1 + 6
    assert done.rounds > free.rounds


def test_rules_held_back_leave_time_for_the_others():
    """Growing f by g in ever more ways would fill 300 nodes; a + 0 is found all the same."""
    egraph = EGraph()
    root = term(egraph, ("+", ("a",), ("0",)))
    for index in range(30):
        egraph.add("f", [egraph.add(f"x{index}")])
    grow = Rule("grow", ("f", "?x"), ("f", ("g", "?x")))
    zero = Rule("zero", ("+", "?a", ("0",)), "?a")
    saturate(egraph, [grow, zero], most_nodes=100, backoff=Backoff(matches=10))
    assert extract_best(egraph, root).term == ("a",)


def test_what_is_new_between_two_calls_is_found():
    egraph = EGraph()
    rule = Rule("zero", ("+", "?a", ("0",)), "?a")
    first = term(egraph, ("+", ("x",), ("0",)))
    assert saturate(egraph, [rule]).saturated
    second = term(egraph, ("+", ("y",), ("0",)))
    assert saturate(egraph, [rule]).saturated
    assert [extract_best(egraph, each).term for each in (first, second)] == [("x",), ("y",)]


terms = st.recursive(
    st.sampled_from([("x",), ("y",), ("0",), ("1",)]),
    lambda below: st.tuples(st.sampled_from("+*"), below, below),
    max_leaves=6,
)
RULES = [
    COMMUTE,
    REGROUP,
    Rule("zero", ("+", "?a", ("0",)), "?a"),
    Rule("none", ("*", "?a", ("0",)), ("0",)),
    Rule("one", ("*", "?a", ("1",)), "?a"),
    Rule("apart", ("*", "?a", ("+", "?b", "?c")), ("+", ("*", "?a", "?b"), ("*", "?a", "?c"))),
]


def value_of(tree, x, y):
    op, *below = tree
    if not below:
        return {"x": x, "y": y, "0": 0, "1": 1}[op]
    left, right = (value_of(each, x, y) for each in below)
    return left + right if op == "+" else left * right


@given(terms)
@settings(max_examples=60)
def test_the_best_term_means_the_same_and_costs_no_more(tree):
    egraph = EGraph()
    root = term(egraph, tree)
    before = extract_best(egraph, root)
    saturate(egraph, RULES, most_nodes=400)
    after = extract_best(egraph, root)
    assert after.cost <= before.cost
    for x, y in ((2, 3), (-5, 7), (0, 11)):
        assert value_of(after.term, x, y) == value_of(tree, x, y)


# ---- costs -----------------------------------------------------------------------------------------------------------


def balanced_or_not():
    """A chain of four sums of names, in all its orders: the shallowest has a depth of 3."""
    egraph = EGraph()
    root = sum_of(egraph, 4)
    saturate(egraph, [COMMUTE, REGROUP])
    return egraph, root


def depth(term_):
    return 1 + max(map(depth, term_[1:]), default=0)


def test_the_shallowest_term_by_a_cost_of_the_caller():
    egraph, root = balanced_or_not()
    best = extract_best(egraph, root, total=lambda op, below: 1 + max(below, default=0))
    assert best.cost == depth(best.term) == 3


def test_a_total_may_tell_operators_apart():
    """Products cost the product of what is below, and five more."""
    egraph = EGraph()
    root = term(egraph, ("*", ("*", ("x",), ("y",)), ("z",)))
    best = extract_best(egraph, root, total=lambda op, below: 5 + math.prod(below) if op == "*" else 3.0)
    assert best.cost == 5 + (5 + 9) * 3


@given(
    st.lists(st.tuples(st.sampled_from("abf"), st.lists(st.integers(0, 15), max_size=2)), min_size=1, max_size=25),
    st.integers(0, 99),
)
@settings(max_examples=60)
def test_the_cheapest_is_that_of_a_plain_search(drawn, seed):
    """Costs of every class by relaxing all nodes until nothing changes."""
    egraph = EGraph()
    for op, below in drawn:
        egraph.add(op, [child % egraph.class_count for child in below] if egraph.class_count else [])
    for a in range(0, egraph.class_count, 3):
        egraph.union(a, seed % egraph.class_count)
    egraph.rebuild()
    costs = {"a": 1.0, "b": 2.5, "f": 0.25}
    best = {}
    for _ in range(egraph.class_count + 1):
        for eclass, op, below in egraph.nodes():
            found = costs[op] + sum(best.get(egraph.find(child), math.inf) for child in below)
            best[egraph.find(eclass)] = min(found, best.get(egraph.find(eclass), math.inf))
    for eclass in range(egraph.class_count):
        expected = best[egraph.find(eclass)]
        if math.isfinite(expected):
            assert extract_best(egraph, eclass, costs.__getitem__).cost == pytest.approx(expected)


@pytest.mark.parametrize(
    "wrong, says",
    [
        (lambda: Rule("r", ("f", "?a"), "?a", when=3), "rule 'r' is with the condition 3. Fix: pass a function"),
        (lambda: saturate(EGraph(), [], most_nodes=-1), "most_nodes is -1"),
        (lambda: saturate(EGraph(), [], most_matches=1.5), "most_matches is 1.5"),
        (lambda: saturate(EGraph(), [], seconds=math.nan), "seconds is nan. Fix: pass a number, 0 or more"),
        (lambda: saturate(EGraph(), [], seconds="1"), "seconds is '1'. Fix: pass a number, 0 or more"),
        (lambda: saturate(EGraph(), [], backoff=Backoff(0, 1)), "matches of a Backoff is 0"),
        (lambda: extract_best(*balanced_or_not(), total=lambda op, below: 1 - sum(below)), r"the total of '\+' is "),
        (lambda: extract_best(*balanced_or_not(), total=lambda op, below: math.nan), r"the total of 'x.' is nan"),
    ],
)
def test_bad_limits_and_costs_are_named(wrong, says):
    with pytest.raises(RunError, match=says):
        wrong()
