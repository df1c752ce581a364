"""Charts as SVG text: bars in panels, and lines. Readable on light and on dark ground.

Logarithmic where values span decades; each bar carries its value, so no axis is needed there.
"""

import html
import math

STYLE = """<style>
text { font: 12px sans-serif; fill: #747d88; }
.title { font-weight: bold; font-size: 13px; }
.axis { stroke: #8b949e; stroke-opacity: .45; }
@media (prefers-color-scheme: dark) { text { fill: #a0a8b0; } }
</style>"""
COLOURS = ["#3b82c4", "#d98324", "#3f9e6b", "#9467bd", "#c4545a", "#8b949e"]
PANEL_WIDTH, BAR_HEIGHT, LABEL_WIDTH, VALUE_WIDTH, MARGIN = 470, 18, 135, 70, 14


def text(x, y, words, anchor="start", kind=""):
    kind = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{kind}>{html.escape(words)}</text>'


def line(x1, y1, x2, y2):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="axis"/>'


def document(width, height, parts):
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
                      f'viewBox="0 0 {width} {height}" role="img">', STYLE, *parts, "</svg>\n"])


def bar_panel(x, y, title, bars, colour_of):
    """Bars on a logarithmic scale from half the smallest value to the largest."""
    values = [value for _, value, _ in bars if value]
    low, high = math.log(min(values) / 2), math.log(max(values) * 1.001)
    room = PANEL_WIDTH - LABEL_WIDTH - VALUE_WIDTH - 2 * MARGIN
    parts = [text(x + MARGIN, y + 16, title, kind="title")]
    for place, (label, value, note) in enumerate(bars):
        top = y + 26 + place * BAR_HEIGHT
        left = x + MARGIN + LABEL_WIDTH
        width = room * (math.log(value) - low) / (high - low) if value else 0
        parts.append(text(left - 6, top + 12, label, "end"))
        if value:
            parts.append(f'<rect x="{left:.1f}" y="{top + 2}" width="{width:.1f}" '
                         f'height="{BAR_HEIGHT - 5}" rx="2" fill="{colour_of(label)}"/>')
        parts.append(text(left + width + 5, top + 12, note))
    return parts


def bar_chart(title, panels, colour_of):
    """`panels`: (title, [(label, value or None, what to write at its end)]), two in a row."""
    height = 40 + max(len(bars) for _, bars in panels) * BAR_HEIGHT
    rows = math.ceil(len(panels) / 2)
    parts = [text(MARGIN, 20, title, kind="title")]
    for place, (panel_title, bars) in enumerate(panels):
        parts += bar_panel(place % 2 * PANEL_WIDTH, 30 + place // 2 * height, panel_title, bars,
                           colour_of)
    return document(PANEL_WIDTH * min(2, len(panels)), 30 + rows * height, parts)


class Axis:
    """Places values between two ends, in equal steps or equal factors."""

    def __init__(self, values, start, end, logarithmic):
        self.scale = math.log10 if logarithmic else float
        self.logarithmic = logarithmic
        self.low, self.high = min(values), max(values)
        self.start, self.end = start, end

    def place(self, value):
        low, high = self.scale(self.low), self.scale(self.high)
        return self.start + (self.end - self.start) * (self.scale(value) - low) / (high - low or 1)

    def ticks(self):
        if self.logarithmic:
            first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
            factors = [1, 2, 5] if last - first <= 2 else [1]
            ticks = [factor * 10.0 ** power for power in range(first, last + 1)
                     for factor in factors]
            return [tick for tick in ticks if self.low <= tick <= self.high]
        step = 10 ** math.floor(math.log10((self.high - self.low) or 1))
        step *= 0.5 if (self.high - self.low) / step < 3 else 1
        return [step * n for n in range(math.ceil(self.low / step), int(self.high / step) + 1)]


def line_panel(x, y, width, height, title, series, names, log_y):
    points = [point for line_points in series.values() for point in line_points]
    across = Axis([p[0] for p in points], x + 60, x + width - 15, True)
    up = Axis([p[1] for p in points] + [1], y + height - 35, y + 30, log_y)
    parts = [text(x + MARGIN, y + 16, title, kind="title")]
    for tick in across.ticks():
        parts.append(line(across.place(tick), up.start, across.place(tick), up.end))
        parts.append(text(across.place(tick), up.start + 15, f"{tick:,.0f}", "middle"))
    for tick in up.ticks():
        parts.append(line(across.start, up.place(tick), across.end, up.place(tick)))
        parts.append(text(across.start - 6, up.place(tick) + 4, f"{tick:g}", "end"))
    for name, line_points in series.items():
        path = " ".join(f"{across.place(a):.1f},{up.place(b):.1f}" for a, b in line_points)
        colour = COLOURS[names.index(name) % len(COLOURS)]
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
    return parts


def line_chart(title, panels, x_label, log_y=True):
    """`panels`: (title, {series name: [(x, y)]}), two in a row, x always logarithmic."""
    width, height = PANEL_WIDTH, 240
    names = list(dict.fromkeys(name for _, series in panels for name in series))
    parts = [text(MARGIN, 20, title, kind="title")]
    for place, name in enumerate(names):
        left = MARGIN + place * 150
        parts.append(f'<rect x="{left}" y="30" width="12" height="12" rx="2" '
                     f'fill="{COLOURS[place % len(COLOURS)]}"/>')
        parts.append(text(left + 17, 40, name))
    for place, (panel_title, series) in enumerate(panels):
        parts += line_panel(place % 2 * width, 50 + place // 2 * height, width, height,
                            panel_title, series, names, log_y)
    bottom = 50 + math.ceil(len(panels) / 2) * height
    parts.append(text(MARGIN, bottom + 12, x_label))
    return document(width * min(2, len(panels)), bottom + 22, parts)
