"""What a suite is worth: which checks carry it, which add nothing, and what each layer adds.

Pure functions on kills. A defect that nothing kills takes no part.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from grading.layers import LAYERS

__all__ = ["Smallest", "Step", "Worth", "in_order", "smallest_set", "weigh"]

_MOST_STEPS = 100_000  # of the exact search; far above what a hundred defects and checks take


@dataclass(frozen=True)
class Smallest:
    """A smallest set of checks with the same kills. `exact` is False where it is only a greedy one."""

    checks: tuple[str, ...]
    exact: bool
    seconds: float


@dataclass(frozen=True)
class Step:
    """One layer, added to all cheaper ones: its time, what it kills, and what none of them killed."""

    layer: str
    seconds: float
    kills: int
    new: tuple[str, ...]


@dataclass(frozen=True)
class Worth:
    """What a suite is worth. Checks are node ids, defects ids; everything is in a fixed order.

    `cheapest`: defect -> the cheapest layer that kills it. `sole`: check -> the defects that it alone kills.
    `idle`: checks that kill nothing. `redundant`: checks that kill only what others kill too. `subsumed`:
    defect -> another one such that every check that kills the other kills this too. `twins`: defects that
    the same checks kill. `steps`: the layers, cheap ones first. `only_in`: layer -> the defects that no other
    layer kills, which is what leaving it out would miss. `seconds`: all checks, once.
    """

    cheapest: Mapping[str, str]
    sole: Mapping[str, tuple[str, ...]]
    idle: tuple[str, ...]
    redundant: tuple[str, ...]
    smallest: Smallest
    subsumed: Mapping[str, str]
    twins: tuple[tuple[str, ...], ...]
    steps: tuple[Step, ...]
    only_in: Mapping[str, tuple[str, ...]]
    seconds: float


def in_order(layers: Iterable[str]) -> tuple[str, ...]:
    """Layers from the cheapest to the dearest, each once; what is no layer of the catalogue comes last."""
    known = {layer: place for place, layer in enumerate(LAYERS)}
    return tuple(sorted(set(layers), key=lambda layer: (known.get(layer, len(known)), layer)))


def weigh(
    kills: Mapping[str, Iterable[str]], layers: Mapping[str, str], seconds: Mapping[str, float]
) -> Worth:
    """Weigh a suite.

    `kills`: defect -> checks that kill it; `layers`: check -> layer, for every counted check; `seconds`:
    check -> its time.
    """
    killers = {defect: frozenset(checks) for defect, checks in kills.items() if checks}
    by_layer = {defect: in_order(layers[check] for check in checks) for defect, checks in killers.items()}
    sole: dict[str, tuple[str, ...]] = {}
    for defect, checks in killers.items():
        if len(checks) == 1:
            (check,) = checks
            sole[check] = (*sole.get(check, ()), defect)
    useful = frozenset().union(*killers.values())
    order = in_order(layers.values())
    return Worth(
        cheapest={defect: found[0] for defect, found in by_layer.items()},
        sole={check: sole[check] for check in layers if check in sole},
        idle=tuple(check for check in layers if check not in useful),
        redundant=tuple(check for check in layers if check in useful and check not in sole),
        smallest=smallest_set(killers, seconds),
        subsumed=_subsumed(killers),
        twins=_twins(killers),
        steps=_steps(by_layer, order, layers, seconds),
        only_in={
            layer: tuple(defect for defect, found in by_layer.items() if found == (layer,)) for layer in order
        },
        seconds=sum(seconds[check] for check in layers),
    )


def smallest_set(killers: Mapping[str, frozenset[str]], seconds: Mapping[str, float]) -> Smallest:
    """The fewest checks that kill every defect that any check kills; of equally few, quick ones.

    Exact by branch and bound, which ends at once on suites of this size; when it does not, the greedy set.
    """
    needs = _reduce(killers)
    search = _Search(needs, seconds)
    best = search.best()
    return Smallest(tuple(sorted(best)), search.complete, sum(seconds[check] for check in best))


def _reduce(killers: Mapping[str, frozenset[str]]) -> list[frozenset[str]]:
    """The sets of killers that contain no other: whoever meets these meets all."""
    sets = sorted(set(killers.values()), key=lambda checks: (len(checks), sorted(checks)))
    kept: list[frozenset[str]] = []
    for checks in sets:
        if not any(other <= checks for other in kept):
            kept.append(checks)
    return kept


class _Search:
    """Branch and bound over sets that each want one of their checks chosen."""

    def __init__(self, needs: list[frozenset[str]], seconds: Mapping[str, float]) -> None:
        self.needs = needs
        self.seconds = seconds
        self.complete = True
        self._steps = 0
        self._best = self._greedy()

    def best(self) -> frozenset[str]:
        self._branch(frozenset(), self.needs)
        return self._best

    def _cost(self, chosen: frozenset[str]) -> tuple[int, float]:
        return len(chosen), sum(self.seconds[check] for check in chosen)

    def _greedy(self) -> frozenset[str]:
        chosen: frozenset[str] = frozenset()
        open_ = self.needs
        while open_:
            counts = {check: sum(check in need for need in open_) for check in frozenset().union(*open_)}
            check = min(counts, key=lambda check: (-counts[check], self.seconds[check], check))
            chosen |= {check}
            open_ = [need for need in open_ if check not in need]
        return chosen

    def _branch(self, chosen: frozenset[str], open_: list[frozenset[str]]) -> None:
        self._steps += 1
        if self._steps > _MOST_STEPS:
            self.complete = False
            return
        if not open_:
            if self._cost(chosen) < self._cost(self._best):
                self._best = chosen
            return
        if len(chosen) + _disjoint(open_) > len(self._best):
            return
        tight = min(open_, key=lambda need: (len(need), sorted(need)))
        for check in sorted(tight, key=lambda check: (self.seconds[check], check)):
            self._branch(chosen | {check}, [need for need in open_ if check not in need])


def _disjoint(needs: list[frozenset[str]]) -> int:
    """How many of the sets share no check with one another, at least: each wants a check of its own."""
    taken: frozenset[str] = frozenset()
    found = 0
    for need in sorted(needs, key=len):
        if not need & taken:
            taken |= need
            found += 1
    return found


def _subsumed(killers: Mapping[str, frozenset[str]]) -> dict[str, str]:
    found = {}
    for defect, checks in killers.items():
        harder = [other for other, fewer in killers.items() if fewer < checks]
        if harder:
            found[defect] = min(harder, key=lambda other: (len(killers[other]), other))
    return found


def _twins(killers: Mapping[str, frozenset[str]]) -> tuple[tuple[str, ...], ...]:
    groups: dict[frozenset[str], list[str]] = {}
    for defect, checks in killers.items():
        groups.setdefault(checks, []).append(defect)
    return tuple(tuple(group) for group in groups.values() if len(group) > 1)


def _steps(
    by_layer: Mapping[str, tuple[str, ...]],
    order: tuple[str, ...],
    layers: Mapping[str, str],
    seconds: Mapping[str, float],
) -> tuple[Step, ...]:
    steps = []
    for layer in order:
        time = sum(seconds[check] for check, its in layers.items() if its == layer)
        killed = [defect for defect, found in by_layer.items() if layer in found]
        new = tuple(defect for defect in killed if by_layer[defect][0] == layer)
        steps.append(Step(layer, time, len(killed), new))
    return tuple(steps)
