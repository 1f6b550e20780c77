"""Plain charts as SVG, without any package: panels with axes, ticks, grid lines, lines, bars and a legend."""

import dataclasses
import html
import math

COLOURS = ["#0b6fa4", "#c8451f", "#2e8b57", "#7b4fa3", "#b8860b", "#444444", "#d05a9a", "#1b9aaa"]
FONT = "font-family='Helvetica, Arial, sans-serif'"
SHAPES = {  # corners around a point, in pixels; a circle has none
    "circle": [], "square": [(-3.4, -3.4), (3.4, -3.4), (3.4, 3.4), (-3.4, 3.4)],
    "triangle": [(0, -4.6), (4.4, 3.4), (-4.4, 3.4)], "diamond": [(0, -5.4), (4, 0), (0, 5.4), (-4, 0)],
    "cross": [(-4, -4), (4, 4), (0, 0), (4, -4), (-4, 4)], "wedge": [(0, 4.6), (4.4, -3.4), (-4.4, -3.4)],
}
LEFT, RIGHT, TOP, BOTTOM = 66, 16, 34, 48  # around the axes of a panel, in pixels


def nice_step(span, wanted):
    """The step 1, 2 or 5 times a power of ten that divides the span into at most `wanted` parts."""
    raw = span / wanted
    power = 10.0 ** math.floor(math.log10(raw))
    return power * next(factor for factor in (1, 2, 5, 10) if factor * power >= raw * (1 - 1e-9))


def linear_ticks(low, high, wanted=6):
    step = nice_step(high - low, wanted)
    first = math.ceil(low / step - 1e-9)
    return [k * step for k in range(first, math.floor(high / step + 1e-9) + 1)]


def log_ticks(low, high):
    """Powers of ten; 2 and 5 between them when there are few, and fewer when there are many."""
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    factors = (1, 2, 5) if last - first < 3 else (1,)
    every = max(1, math.ceil((last - first) / 7))
    ticks = [factor * 10.0 ** k for k in range(first - 1, last + 1) if k % every == 0 for factor in factors]
    return [tick for tick in ticks if low * (1 - 1e-9) <= tick <= high * (1 + 1e-9)]


def number_text(value):
    if value != 0 and (abs(value) >= 1e6 or abs(value) < 1e-3):
        exponent = math.floor(math.log10(abs(value)) + 1e-9)
        mantissa = value / 10.0 ** exponent
        return f"1e{exponent}" if math.isclose(mantissa, 1) else f"{mantissa:g}e{exponent}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:g}"


@dataclasses.dataclass
class Axis:
    """One direction of a panel; limits that are None follow from the data."""
    label: str
    log: bool = False
    low: float = None
    high: float = None
    words: object = number_text  # a function: how the number at a tick is written

    def fit(self, values):
        values = [value for value in values if not self.log or value > 0] or [1.0]
        low, high = min(values), max(values)
        if self.log:
            low, high = low / 1.15, high * 1.15
        else:
            low, high = min(0.0, low), high * 1.06 if high > 0 else 1.0
        low = low if self.low is None else self.low
        high = high if self.high is None else self.high
        return (low, high) if high > low else (low, low * 2 if self.log else low + 1)


@dataclasses.dataclass
class Series:
    name: str
    xs: list
    ys: list
    kind: str  # line or bars
    colour: str = None
    dashed: bool = False
    dashes: str = "6 4"  # lengths of dashes and gaps, where it is dashed
    marks: bool = False
    shape: str = None  # of hollow marks, also in the legend: one of SHAPES


class Panel:
    def __init__(self, title, x, y):
        self.title, self.x, self.y, self.series = title, x, y, []

    def line(self, name, xs, ys, **style):
        self.series.append(Series(name, list(xs), list(ys), "line", **style))

    def bars(self, name, xs, ys, **style):
        """Bars as wide as the smallest distance of two of them."""
        self.series.append(Series(name, list(xs), list(ys), "bars", **style))

    def draw(self, left, top, width, height):
        """The elements of this panel in a box whose upper left corner is given."""
        x0, x1, y0, y1 = left + LEFT, left + width - RIGHT, top + height - BOTTOM, top + TOP
        x_low, x_high = self.x.fit([x for s in self.series for x in s.xs])
        y_low, y_high = self.y.fit([y for s in self.series for y in s.ys if y is not None])

        def place(value, axis, low, high, begin, end):
            if axis.log:
                value, low, high = math.log10(max(value, low)), math.log10(low), math.log10(high)
            return begin + (min(max(value, low), high) - low) / (high - low) * (end - begin)

        def at_x(value):
            return place(value, self.x, x_low, x_high, x0, x1)

        def at_y(value):
            return place(value, self.y, y_low, y_high, y0, y1)

        out = [text(left + width / 2, top + 18, self.title, 13, weight="bold")]
        for value in (log_ticks if self.x.log else linear_ticks)(x_low, x_high):
            x = at_x(value)
            out += [rule(x, y0, x, y1, "#e4e4e4"), rule(x, y0, x, y0 + 4, "#333"),
                    text(x, y0 + 17, self.x.words(value), 11)]
        for value in (log_ticks if self.y.log else linear_ticks)(y_low, y_high):
            y = at_y(value)
            out += [rule(x0, y, x1, y, "#e4e4e4"), rule(x0 - 4, y, x0, y, "#333"),
                    text(x0 - 7, y + 4, self.y.words(value), 11, anchor="end")]
        for number, series in enumerate(self.series):
            colour = series.colour or COLOURS[number % len(COLOURS)]
            draw = draw_bars if series.kind == "bars" else draw_line
            out += draw(series, colour, at_x, at_y, (x0, x1, y0))
        out += [rule(x0, y0, x1, y0, "#333"), rule(x0, y0, x0, y1, "#333"),
                text((x0 + x1) / 2, y0 + 36, self.x.label, 12),
                text(left + 14, (y0 + y1) / 2, self.y.label, 12, turn=True)]
        return out


def draw_bars(series, colour, at_x, at_y, frame):
    x0, x1, y0 = frame
    xs = sorted(series.xs)
    gap = min((b - a for a, b in zip(xs, xs[1:]) if b > a), default=1)
    out = []
    for x, y in zip(series.xs, series.ys):
        if y is None or at_y(y) >= y0:
            continue
        left, right = max(x0, at_x(x - gap / 2)), min(x1, at_x(x + gap / 2))
        inset = 0.1 * (right - left) if right - left > 4 else 0
        out.append(f"<rect x='{left + inset:.2f}' y='{at_y(y):.2f}' width='{max(right - left - 2 * inset, 0.6):.2f}' "
                   f"height='{y0 - at_y(y):.2f}' fill='{colour}'/>")
    return out


def draw_line(series, colour, at_x, at_y, _):
    points = [(at_x(x), at_y(y)) for x, y in zip(series.xs, series.ys) if y is not None]
    joined = " ".join(f"{x:.2f},{y:.2f}" for x, y in points)
    out = [f"<polyline points='{joined}' fill='none' stroke='{colour}' stroke-width='1.8'{dash_attribute(series)}/>"]
    if series.shape:
        out += [mark(x, y, series.shape, colour) for x, y in points]
    elif series.marks:
        out += [f"<circle cx='{x:.2f}' cy='{y:.2f}' r='2.6' fill='{colour}'/>" for x, y in points]
    return out


def dash_attribute(series):
    return f" stroke-dasharray='{series.dashes}'" if series.dashed else ""


def mark(x, y, shape, colour):
    """A hollow mark, so that those of several lines in one place are seen."""
    paint = f"fill='none' stroke='{colour}' stroke-width='1.5'"
    if shape == "circle":
        return f"<circle cx='{x:.2f}' cy='{y:.2f}' r='4.5' {paint}/>"
    corners = " ".join(f"{x + dx:.2f},{y + dy:.2f}" for dx, dy in SHAPES[shape])
    return f"<{'polyline' if shape == 'cross' else 'polygon'} points='{corners}' {paint}/>"


def rule(x1, y1, x2, y2, colour):
    return f"<line x1='{x1:.2f}' y1='{y1:.2f}' x2='{x2:.2f}' y2='{y2:.2f}' stroke='{colour}' stroke-width='1'/>"


def text(x, y, words, size, anchor="middle", weight="normal", turn=False):
    turned = f" transform='rotate(-90 {x:.2f} {y:.2f})'" if turn else ""
    return (f"<text x='{x:.2f}' y='{y:.2f}' font-size='{size}' font-weight='{weight}' text-anchor='{anchor}' "
            f"fill='#222' {FONT}{turned}>{html.escape(words)}</text>")


def legend(panels, width, top):
    """One entry per name, in as many lines as they need; returns the elements and the height they take."""
    seen, out, x, y = {}, [], LEFT, top + 14
    for panel in panels:
        for number, series in enumerate(panel.series):
            seen.setdefault(series.name, (series, series.colour or COLOURS[number % len(COLOURS)]))
    for name, (series, colour) in seen.items():
        room = 44 + 6.6 * len(name)
        if x + room > width and x > LEFT:
            x, y = LEFT, y + 18
        if series.kind == "bars":
            out.append(f"<rect x='{x}' y='{y - 9}' width='22' height='10' fill='{colour}'/>")
        else:
            out.append(f"<line x1='{x}' y1='{y - 4}' x2='{x + 22}' y2='{y - 4}' stroke='{colour}' "
                       f"stroke-width='2.4'{dash_attribute(series)}/>")
            if series.shape:
                out.append(mark(x + 11, y - 4, series.shape, colour))
        out.append(text(x + 28, y, name, 11, anchor="start"))
        x += room
    return out, y + 10 - top


def figure(title, panels, columns=1, size=(640, 300), notes=()):
    """The SVG of several panels with one legend below the title and notes at the foot."""
    rows = math.ceil(len(panels) / columns)
    width = columns * size[0]
    parts = [text(width / 2, 24, title, 15, weight="bold")]
    names, legend_height = legend(panels, width, 32)
    top = 32 + legend_height
    parts += names
    for number, panel in enumerate(panels):
        parts += panel.draw(number % columns * size[0], top + number // columns * size[1], *size)
    height = top + rows * size[1] + 16 * len(notes) + 8
    for number, note in enumerate(notes):
        parts.append(text(LEFT, top + rows * size[1] + 12 + 16 * number, note, 11, anchor="start"))
    head = (f"<svg xmlns='http://www.w3.org/2000/svg' width='{width:.0f}' height='{height:.0f}' "
            f"viewBox='0 0 {width:.0f} {height:.0f}'>")
    return "\n".join([head, f"<title>{html.escape(title)}</title>",
                      "<rect width='100%' height='100%' fill='#ffffff'/>", *parts, "</svg>", ""])
