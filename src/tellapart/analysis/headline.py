"""What does a comparison say, in a few sentences? Its verdict, what that draws on, and what is set aside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tellapart.analysis.verdicts import first, named, same_items

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tellapart.analysis.comparison import Comparison
    from tellapart.analysis.verdicts import Pair

_SEEN = 0.005  # of the range of rates: by so much a difference is visibly another one


def headline(result: Comparison) -> str:
    """Say the verdict in words, of the systems whose rates can be relied on."""
    if len(result.ranking) == 1:
        return _alone(result, result.ranking[0])
    pairs, aside = [pair for pair in result.pairs if not pair.set_aside], _set_aside(result)
    if not pairs:
        return f"No verdict can be relied on. {aside}"
    verdict = str(pairs[0]) if len(pairs) == 1 else _verdict(result, pairs)
    items = any(caution.code == "different-items" for _, caution in result.cautions)
    doubt = "The systems answered different items, from which a difference may come." if items else ""
    return " ".join(filter(None, (verdict, doubt, result.basis, aside)))


def basis(result: Comparison, pairs: Sequence[Pair]) -> str:
    """Say what the verdicts on some pairs use beside each system's own ratings; nothing if nothing."""
    used, same = [], [pair for pair in pairs if pair.items is not None]
    if same:
        together = any(evidence.effect > 1 for evidence in result.items.values())
        used.append(same_items(pairs, together=together))
    used += [f"how the judge behaves across {_judged(result)}"] if result.borrow in {"rates", "link"} else []
    used += ["the assumption that the judge errs alike for all systems"] if result.borrow == "shared" else []
    told = [f"The verdicts draw on {', and on '.join(used)}."] if used else []
    if _by_item(result, same):
        where = "Differences" if len(same) == len(pairs) else "Where they rated the same items, differences"
        what = "rates" if result.is_rate else "means"
        told.append(f"{where} are taken item by item; they need not be those of the {what}.")
    return " ".join(told + _reversed(result, same))


def _reversed(result: Comparison, pairs: Sequence[Pair]) -> list[str]:
    """Say where the better system of two, on the same items, has the lower rate."""
    found = []
    for pair in pairs:
        other = pair.second if pair.better == pair.first else pair.first
        if pair.better and result.marginal(pair.better).mean < result.marginal(other).mean:
            found.append(f"{pair.better} is ahead of {other}")
    what = "rate" if result.is_rate else "mean"
    return [f"On the same items {first(found)}, though with the lower {what} over all items."] if found else []


def _judged(result: Comparison) -> str:
    """Tell among which systems it is seen how the judge behaves."""
    among = result.joint.lending.names
    judged = sum(result.evidence[name].judged for name in among)
    if len(among) < len(result.evidence):
        return f"the {judged} systems that are not set aside"
    if judged < len(among):
        return f"the {judged} systems that it rated"
    return f"the {judged} systems" if judged > 2 else "both systems"  # noqa: PLR2004


def _by_item(result: Comparison, pairs: Sequence[Pair]) -> bool:
    """Whether differences that are taken item by item are visibly others than those of the rates."""
    if result.borrow not in {"items", "rates"}:
        return False
    posterior = next(iter(result.estimates.values())).posterior
    seen = _SEEN * (posterior.high - posterior.low)
    means = {name: result.marginal(name).mean for pair in pairs for name in (pair.first, pair.second)}
    return any(abs(pair.difference - (means[pair.first] - means[pair.second])) > seen for pair in pairs)


def _verdict(result: Comparison, pairs: Sequence[Pair]) -> str:
    """Say whom the best system beats, and how many pairs can be told apart."""
    worse = {name for pair in pairs if pair.better for name in (pair.first, pair.second) if name != pair.better}
    best = next((pair.first for pair in pairs if pair.first not in worse), pairs[0].first)
    met = [pair for pair in pairs if best in {pair.first, pair.second}]
    beaten = [pair.second if pair.first == best else pair.first for pair in met if pair.better == best]
    of = f"{sum(pair.distinguishable for pair in pairs):,} of {len(pairs):,} pairs can be told apart"
    mean = result.marginal(best).mean
    shown = f"{best} ({result.shown(mean)})"
    if beaten:
        return f"{shown} is better than {named(beaten, len(met))}; {of}."
    highest = mean >= max(result.marginal(name).mean for pair in pairs for name in (pair.first, pair.second))
    place = f"has the highest {'rate' if result.is_rate else 'mean'}" if highest else "comes first"
    return f"{shown} {place}, but cannot be told apart from any other system; {of}."


def _alone(result: Comparison, name: str) -> str:
    estimate, reasons = result.estimates[name], result.doubtful.get(name)
    said = str(estimate) if reasons is None else estimate.doubted(reasons)
    return f"{name}: {said} There is no other system to compare it with."


def _set_aside(result: Comparison) -> str:
    """Say of which systems nothing is claimed, and what people say of them."""
    told = []
    for name, reasons in result.doubtful.items():
        alone = result.estimates[name].human_only
        rate = f"{result.shown(alone.mean)} by the human ratings alone"
        told.append(f"{name} ({rate if alone.evidence.n_human else 'no human ratings'}; {', '.join(reasons)})")
    return f"Set aside, see the cautions: {first(told)}." if told else ""
