"""What a suite is worth, on kills small enough to see."""

import random
from itertools import combinations

from grading.worth import in_order, smallest_set, weigh

LAYERS = {"u1": "unit", "u2": "unit", "c1": "conformance", "t1": "transport", "t2": "transport"}
SECONDS = {"u1": 0.1, "u2": 0.2, "c1": 1.0, "t1": 5.0, "t2": 4.0}


def test_layers_stand_from_cheap_to_dear_and_strangers_last():
    assert in_order(["transport", "", "unit", "transport"]) == ("unit", "transport", "")


def test_the_cheapest_layer_that_kills_is_found_whatever_the_order_of_the_checks():
    assert weigh({"d": ["t1", "c1", "u2"]}, LAYERS, SECONDS).cheapest == {"d": "unit"}


def test_a_check_that_alone_kills_something_is_named_with_what_would_ship():
    worth = weigh({"x": ["u1"], "y": ["u1"], "z": ["u1", "c1"]}, LAYERS, SECONDS)
    assert worth.sole == {"u1": ("x", "y")}


def test_checks_that_kill_nothing_are_not_those_that_others_could_replace():
    worth = weigh({"x": ["u1"], "y": ["u1", "c1"], "z": ["c1", "t1"]}, LAYERS, SECONDS)
    assert worth.idle == ("u2", "t2")
    assert worth.redundant == ("c1", "t1")


def test_a_defect_that_nothing_kills_takes_no_part():
    worth = weigh({"x": [], "y": ["u1"]}, LAYERS, SECONDS)
    assert worth.cheapest == {"y": "unit"}
    assert worth.smallest.checks == ("u1",)
    assert weigh({"x": []}, LAYERS, SECONDS).smallest.checks == ()


def test_of_equally_small_sets_the_quicker_one_is_taken():
    smallest = smallest_set({"x": frozenset({"t1", "t2"}), "y": frozenset({"t1", "t2", "c1"})}, SECONDS)
    assert (smallest.checks, smallest.exact, smallest.seconds) == (("t2",), True, 4.0)


def test_a_greedy_choice_does_not_stand_where_fewer_checks_do():
    # Greedy takes `big` first and then needs both others.
    kills = {1: "a big", 2: "a big", 3: "a", 4: "b big", 5: "b big", 6: "b"}
    killers = {str(defect): frozenset(checks.split()) for defect, checks in kills.items()}
    assert smallest_set(killers, dict.fromkeys(("a", "b", "big"), 1.0)).checks == ("a", "b")


def test_the_smallest_set_is_as_small_as_trying_all_sets_finds():
    dice = random.Random(4)
    checks = [f"check{number}" for number in range(9)]
    for _ in range(60):
        killers = {f"d{n}": frozenset(dice.sample(checks, dice.randint(1, 4))) for n in range(9)}
        seconds = {check: dice.choice([0.5, 1.0, 2.0]) for check in checks}
        every = (set(s) for size in range(10) for s in combinations(checks, size))
        fewest = next(chosen for chosen in every if all(chosen & needs for needs in killers.values()))
        smallest = smallest_set(killers, seconds)
        assert smallest.exact
        assert len(smallest.checks) == len(fewest)
        assert all(set(smallest.checks) & needs for needs in killers.values())


def test_subsumed_and_indistinguishable_defects_are_told():
    worth = weigh({"easy": ["u1", "c1"], "hard": ["u1"], "same": ["u1"]}, LAYERS, SECONDS)
    assert worth.subsumed == {"easy": "hard"}
    assert worth.twins == (("hard", "same"),)


def test_each_layer_says_what_it_adds_to_the_cheaper_ones():
    worth = weigh({"x": ["u1", "t1"], "y": ["c1", "t1"], "z": ["t1"], "w": ["t2"]}, LAYERS, SECONDS)
    assert [(step.layer, step.kills, step.new) for step in worth.steps] == [
        ("unit", 1, ("x",)),
        ("conformance", 1, ("y",)),
        ("transport", 4, ("z", "w")),
    ]
    assert worth.steps[2].seconds == 9.0


def test_leaving_out_a_layer_misses_what_no_other_kills():
    worth = weigh({"x": ["u1", "t1"], "z": ["t1", "t2"]}, LAYERS, SECONDS)
    assert worth.only_in["transport"] == ("z",)
    assert worth.only_in["unit"] == ()
