"""Measurements in turns, each together with its references in the same half minute, because a
machine's pace drifts."""

import statistics


class Turns:
    """The results of the turns. A figure is a function of a turn; the median turn represents all,
    so that neither a disturbed nor a lucky minute does."""

    def __init__(self, turns):
        self.turns = list(turns)

    def middle(self, figure):
        return statistics.median(map(figure, self.turns))

    def typical(self, figure):
        """The turn with the median figure, or the next below it."""
        return sorted(self.turns, key=figure)[(len(self.turns) - 1) // 2]

    def middle_half(self, figure, digits=2):
        """The range of the middle half of the turns, and their number."""
        if len(self.turns) == 1:
            return "one turn"
        low, _, high = statistics.quantiles(map(figure, self.turns), n=4)
        return f"{low:,.{digits}f} to {high:,.{digits}f} in half of {len(self.turns)} turns"

    def spread(self, figure, digits=2):
        """The minimum and maximum."""
        figures = sorted(map(figure, self.turns))
        if len(figures) == 1:
            return "one turn"
        return f"{figures[0]:,.{digits}f} to {figures[-1]:,.{digits}f} in {len(figures)} turns"
