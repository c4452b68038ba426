"""The conditions that must hold after all faults. Each check is a pure function of the evidence,
and is itself checked: altered evidence must not pass."""

import collections
import copy
import dataclasses


@dataclasses.dataclass
class Evidence:
    # The notifications that clients received a 2xx for.
    acknowledged: list
    # The primary's table: (sequence, reference).
    rows: list
    # The references stored on each node.
    nodes: dict
    # All entries of each instance, read at the end.
    events: dict
    # The entries of each instance, read throughout.
    feeds: dict
    # Answers of each instance that no consumer must get.
    wrong: dict
    # {reference: digest of the order} of each instance.
    orders: dict


def acknowledged_once(evidence):
    """Every acknowledgement is in the database exactly once."""
    counts = collections.Counter(reference for _, reference in evidence.rows)
    for reference in evidence.acknowledged:
        if not counts[reference]:
            yield f"acknowledged and lost: {reference}"
    for reference, count in counts.items():
        if count > 1:
            yield f"recorded {count} times: {reference}"


def sequences_without_gap(evidence):
    """Sequences are 1, 2, 3 and so on, in the order of commits."""
    for expected, (sequence, reference) in enumerate(evidence.rows, 1):
        if sequence != expected:
            yield f"sequence {sequence} where {expected} is due ({reference})"
            return


def nodes_hold_all(evidence):
    """Every node has every acknowledged row once replication has caught up."""
    for node, references in evidence.nodes.items():
        absent = [one for one in evidence.acknowledged if one not in references]
        if absent:
            yield f"{node} lacks {len(absent)} acknowledged rows, the first {absent[0]}"


def instances_agree(evidence):
    """Every instance returns the same events, those of the database, and the same orders."""
    for name, entries in evidence.events.items():
        if [(entry.sequence, entry.reference) for entry in entries] != evidence.rows:
            yield f"the events of {name} are not the rows of the database"
    (first, entries), *others = evidence.events.items()
    for name, theirs in others:
        differing = [pair for pair in zip(entries, theirs, strict=False) if pair[0] != pair[1]]
        if differing or len(entries) != len(theirs):
            yield f"{first} and {name} differ in {len(differing) or 'the number of'} events"
    (first, orders), *others = evidence.orders.items()
    for name, theirs in others:
        differing = [one for one in orders if orders[one] != theirs.get(one)]
        if differing:
            yield f"{first} and {name} differ in {len(differing)} orders, e.g. {differing[0]}"


def feed_is_final(evidence):
    """What was read throughout is complete, in order, and was never retracted."""
    for name, entries in evidence.feeds.items():
        final = evidence.events[name]
        for read, kept in zip(entries, final, strict=False):
            if read != kept:
                yield f"the feed of {name} returned {read} where {kept} is the record"
                break
        if len(entries) != len(final):
            yield f"the feed of {name} returned {len(entries)} of {len(final)} events"
    for name, answers in evidence.wrong.items():
        for answer in answers[:1]:
            yield f"the feed of {name} answered {answer}"


CHECKS = (
    acknowledged_once,
    sequences_without_gap,
    nodes_hold_all,
    instances_agree,
    feed_is_final,
)


# Alterations that each check must notice.


def delete_row(evidence):
    evidence.rows.remove(next(r for r in evidence.rows if r[1] == evidence.acknowledged[-1]))


def repeat_row(evidence):
    evidence.rows.append((evidence.rows[-1][0] + 1, evidence.acknowledged[0]))


def skip_sequence(evidence):
    evidence.rows[-1] = (evidence.rows[-1][0] + 1, evidence.rows[-1][1])


def lose_on_standby(evidence):
    next(iter(evidence.nodes.values())).discard(evidence.acknowledged[0])


def change_event(evidence):
    entries = next(iter(evidence.events.values()))
    entries[-1] = entries[-1]._replace(digest="other")


def change_order(evidence):
    orders = next(iter(evidence.orders.values()))
    orders[next(iter(orders))] = "other"


def drop_from_feed(evidence):
    next(iter(evidence.feeds.values())).pop(0)


def cut_feed(evidence):
    next(iter(evidence.feeds.values())).pop()


def tell_and_take_back(evidence):
    entries = next(iter(evidence.feeds.values()))
    entries[-1] = entries[-1]._replace(digest="rolled back")


def lose_position(evidence):
    evidence.wrong = {"a": ["position_ahead"]}


ALTERATIONS = {
    acknowledged_once: (delete_row, repeat_row),
    sequences_without_gap: (skip_sequence,),
    nodes_hold_all: (lose_on_standby,),
    instances_agree: (change_event, change_order),
    feed_is_final: (drop_from_feed, cut_feed, tell_and_take_back, lose_position),
}


def judge(evidence):
    """All violations, as texts. A check that does not notice altered evidence is a violation too;
    this is tested only without other violations, because an alteration starts from correct
    evidence."""
    found = [f"{check.__name__}: {text}" for check in CHECKS for text in check(evidence)]
    if not evidence.acknowledged:
        return [*found, "nothing was acknowledged"]
    if found:
        return found
    for check, alterations in ALTERATIONS.items():
        for alteration in alterations:
            altered = copy.deepcopy(evidence)
            alteration(altered)
            if not list(check(altered)):
                found.append(f"{check.__name__} does not notice {alteration.__name__}")
    return found
