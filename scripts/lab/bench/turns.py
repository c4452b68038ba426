"""Measurements in turns, each beside its references of the same half minute, because a machine's
pace drifts."""

import statistics


class Turns:
    """What each turn found. A figure is a function of a turn; the middle of all turns stands for
    them, so that neither a disturbed minute nor a lucky one does."""

    def __init__(self, turns):
        self.turns = list(turns)

    def middle(self, figure):
        return statistics.median(map(figure, self.turns))

    def typical(self, figure):
        """The turn whose figure is the middle one, or next below it."""
        return sorted(self.turns, key=figure)[(len(self.turns) - 1) // 2]

    def middle_half(self, figure, digits=2):
        """Where half of the turns lie, and how many there were."""
        if len(self.turns) == 1:
            return "one turn"
        low, _, high = statistics.quantiles(map(figure, self.turns), n=4)
        return f"{low:,.{digits}f} to {high:,.{digits}f} in half of {len(self.turns)} turns"

    def spread(self, figure, digits=2):
        """The least and the greatest."""
        figures = sorted(map(figure, self.turns))
        if len(figures) == 1:
            return "one turn"
        return f"{figures[0]:,.{digits}f} to {figures[-1]:,.{digits}f} in {len(figures)} turns"
