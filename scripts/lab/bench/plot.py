"""Two small plots as SVG, written as text."""

import html
import math

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 400, 70, 20, 84, 56
# Okabe and Ito's colours, which colour-blind people can distinguish.
COLOURS = ("#0072B2", "#009E73", "#D55E00", "#CC79A7")
GREY = "#666666"


class Plot:
    def __init__(self, title, subtitle, x_label, y_label):
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
            f'width="{WIDTH}" '
            f'height="{HEIGHT}" font-family="sans-serif" font-size="13" role="img">',
            f"<title>{html.escape(title)}</title>",
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        ]
        self.text(LEFT, 26, title, size=17, weight="bold")
        self.text(LEFT, 46, subtitle, colour=GREY, size=12)
        self.text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, x_label, anchor="middle")
        middle = (TOP + HEIGHT - BOTTOM) / 2
        self.text(18, middle, y_label, anchor="middle", turn=f'transform="rotate(-90 18 {middle})"')

    def text(self, x, y, text, anchor="start", colour="#222222", size=13, weight="normal", turn=""):
        self.parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}" '
            f'font-size="{size}" '
            f'font-weight="{weight}" {turn}>{html.escape(text)}</text>'
        )

    def line(self, x1, y1, x2, y2, colour="#dddddd", width=1.0, dash=""):
        self.parts.append(
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
            f'stroke-width="{width}" stroke-dasharray="{dash}"/>'
        )

    def axes(self, x_ticks, y_ticks):
        """Ticks are pairs of a place and its text."""
        for y, text in y_ticks:
            self.line(LEFT, y, WIDTH - RIGHT, y)
            self.text(LEFT - 8, y + 4, text, anchor="end")
        for x, text in x_ticks:
            self.line(x, HEIGHT - BOTTOM, x, HEIGHT - BOTTOM + 5, GREY)
            self.text(x, HEIGHT - BOTTOM + 20, text, anchor="middle")
        self.line(LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM, GREY)

    def legend(self, entries):
        """Entries are pairs of a text and how its line is drawn."""
        x = LEFT
        for text, style in entries:
            self.line(x, 64, x + 24, 64, **style)
            self.text(x + 30, 68, text, size=12)
            x += 48 + 6.6 * len(text)

    def finish(self):
        return "\n".join([*self.parts, "</svg>", ""])


def latency(curves, machine):
    """`curves`: name to {percentile: milliseconds}."""
    plot = Plot(
        "Latency of a durable, verified notification",
        f"Antom, 64 connections, server on one core; {machine}",
        "percentile of all notifications",
        "milliseconds (logarithmic)",
    )
    percentiles = sorted(float(p) for p in next(iter(curves.values())))
    values = [value for curve in curves.values() for value in curve.values()] + [5]
    low, high = math.log10(min(values) * 0.8), math.log10(max(values) * 1.2)

    def x(percentile):
        # As many steps as the percentile has nines.
        return (
            LEFT
            + 30
            + (WIDTH - LEFT - RIGHT - 60) * (math.log10(50 / (100 - percentile)) / math.log10(5000))
        )

    def y(value):
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (math.log10(value) - low) / (high - low)

    steps = [base * 10.0**power for power in range(-3, 5) for base in (1, 2, 5)]
    plot.axes(
        [(x(p), f"{p:g}") for p in percentiles],
        [(y(step), f"{step:g}") for step in steps if low <= math.log10(step) <= high],
    )
    styles = [{"colour": colour, "width": 2.5} for colour in COLOURS]
    for curve, style in zip(curves.values(), styles, strict=False):
        points = " ".join(f"{x(p):.1f},{y(curve[f'{p:g}']):.1f}" for p in percentiles)
        plot.parts.append(
            f'<polyline points="{points}" fill="none" stroke="{style["colour"]}" '
            'stroke-width="2.5"/>'
        )
        for p in percentiles:
            plot.parts.append(
                f'<circle cx="{x(p):.1f}" cy="{y(curve[f"{p:g}"]):.1f}" r="3" '
                f'fill="{style["colour"]}"/>'
            )
    plot.legend(list(zip(curves, styles, strict=False)))
    return plot.finish()


def cpu(points, floor, node, machine):
    """`points`: pairs of events remembered and CPU microseconds."""
    plot = Plot(
        "CPU of a notification against the size of the history",
        f"Antom, 64 connections, server on one core; {machine}",
        "events remembered before",
        "CPU µs for each notification",
    )
    lines = [
        ("nginx + verification", floor, {"colour": GREY, "width": 2}),
        ("1.5 × that: the target", 1.5 * floor, {"colour": COLOURS[1], "width": 2, "dash": "6 4"}),
    ]
    if node:
        lines.append(("Node", node, {"colour": COLOURS[2], "width": 2, "dash": "2 3"}))
    top = 10 * math.ceil(
        1.15 * max([value for _, value in points] + [line[1] for line in lines]) / 10
    )

    def y(value):
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / top

    step = (WIDTH - LEFT - RIGHT) / len(points)
    centres = [LEFT + step * (index + 0.5) for index in range(len(points))]
    plot.axes(
        [(centre, f"{count:,}") for centre, (count, _) in zip(centres, points, strict=True)],
        [(y(value), str(value)) for value in range(0, top + 1, 10)],
    )
    width = min(90, step * 0.5)
    for centre, (_, value) in zip(centres, points, strict=True):
        plot.parts.append(
            f'<rect x="{centre - width / 2:.1f}" y="{y(value):.1f}" width="{width:.1f}" '
            f'height="{y(0) - y(value):.1f}" fill="{COLOURS[0]}"/>'
        )
        plot.text(centre, y(value) - 6, f"{value:.1f}", anchor="middle", weight="bold")
    for _, value, style in lines:
        plot.line(LEFT, y(value), WIDTH - RIGHT, y(value), **style)
    plot.legend(
        [("ipnd", {"colour": COLOURS[0], "width": 8})] + [(name, style) for name, _, style in lines]
    )
    return plot.finish()
