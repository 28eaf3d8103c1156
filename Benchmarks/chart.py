# SPDX-License-Identifier: Apache-2.0
"""Draws what was measured as SVG: `bars` for all paths of bench.json, `curve` for cost over size.

    python3 Benchmarks/chart.py .build/bench/bench.json benchmarks.svg

The pictures name no font and no file of others, follow the reader's light or dark mode, and carry
their numbers as text, in <title> and <desc> too.
"""

import json
import math
import os
import platform
import sys
import time
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

STYLE = """
  text { font-family: system-ui, -apple-system, "Segoe UI", "Liberation Sans", sans-serif; }
  .ground { fill: #ffffff; stroke: #d1d9e0; }
  .strong { fill: #1f2328; font-weight: 600; }
  .plain { fill: #1f2328; }
  .faint { fill: #59636e; }
  .number { font-variant-numeric: tabular-nums; }
  .ours-text { fill: #0a53b8; font-weight: 600; }
  .grid { stroke: #e4e8ec; }
  .base { stroke: #818b98; }
  .ours { fill: #1f6feb; }
  .peer { fill: #b6bfc9; }
  .limit { fill: #59636e; }
  .tint { fill: #1f6feb; fill-opacity: 0.09; }
  .whisker { stroke: #1f2328; stroke-opacity: 0.65; fill: none; }
  .guide { stroke: #818b98; stroke-dasharray: 4 4; fill: none; }
  .trace { stroke: #1f6feb; stroke-width: 2; fill: none; stroke-linejoin: round; }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1117; stroke: #3d444d; }
    .strong, .plain { fill: #f0f6fc; }
    .faint { fill: #9198a1; }
    .ours-text { fill: #79b8ff; }
    .grid { stroke: #21262d; }
    .base { stroke: #656c76; }
    .ours { fill: #4493f8; }
    .peer { fill: #4a525d; }
    .limit { fill: #9198a1; }
    .tint { fill: #4493f8; fill-opacity: 0.16; }
    .whisker { stroke: #f0f6fc; stroke-opacity: 0.7; }
    .guide { stroke: #656c76; }
    .trace { stroke: #4493f8; }
  }
"""

# Widths in ems of a plain sans-serif face, on the wide side: nobody knows the reader's font.
NARROW, WIDE = set("fijlrtI.,:;'|!()[] "), set("mwMWGOQ@%–—×")


def machine():
    """What a caption says of the machine this runs on."""
    model = platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as info:
            for line in info:
                if line.startswith("model name"):
                    model = line.split(":", 1)[1].strip()
                    break
    except OSError:
        pass
    return f"{os.cpu_count()} cores, {model}, Linux {platform.release()}"


# --- Words and numbers -------------------------------------------------------------------------


def width_of(text, size):
    ems = sum(0.36 if c in NARROW else 0.92 if c in WIDE else 0.68 if c.isupper() else 0.58
              for c in text)
    return ems * size


def cut(text, size, room):
    """The text, or as much of its beginning as there is room for."""
    if width_of(text, size) <= room:
        return text
    while text and width_of(text + "…", size) > room:
        text = text[:-1]
    return text.rstrip(" ,;:") + "…"


def wrap(text, size, room):
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and width_of(longer, size) > room:
            lines.append(word)
        else:
            lines[-1] = longer
    return [cut(line, size, room) for line in lines]


def digits(value):
    """Three digits that count, with commas between thousands."""
    if value == 0:
        return "0"
    whole = math.floor(math.log10(abs(value))) + 1
    if whole >= 3:
        return f"{value:,.0f}"
    return f"{value:.{min(3 - whole, 4)}f}"


TIMES = {"ns": 1.0, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9}
BYTES = {"bytes": 1.0, "KiB": 1024.0, "MiB": 1024.0**2, "GiB": 1024.0**3}


def quantity(value, unit):
    """A value with the unit of its family in which it has the fewest digits."""
    if unit in ("1/s", "/s"):
        return f"{digits(value)} / s"
    for family in (TIMES, BYTES):
        if unit in family:
            base = value * family[unit]
            for name in reversed([n for n in family if n != "us"]):
                if base >= family[name] * 0.9995 or family[name] == 1.0:
                    return f"{digits(base / family[name])} {name}"
    return f"{digits(value)} {unit}"


def tick_text(value, unit):
    """The same for an axis, where no digit is there for its precision."""
    number, _, name = quantity(value, unit).partition(" ")
    return f"{number.rstrip('0').rstrip('.') if '.' in number else number} {name}"


def times(ratio):
    """A ratio: two places below ten, so that what is close to the limit can be told apart."""
    if ratio <= 0:
        return "–"
    if ratio < 0.1:
        return f"{ratio:.1g} ×"
    if ratio < 9.995:
        return f"{ratio:.2f} ×"
    if ratio < 99.95:
        return f"{ratio:.1f} ×"
    if ratio < 99950:
        return f"{ratio:,.0f} ×"
    return f"{ratio / 1e6:.2f} M ×" if ratio >= 999500 else f"{ratio / 1e3:,.0f} k ×"


def is_rate(unit):
    return unit in ("1/s", "/s")


def heading_of(text):
    return text[:1].upper() + text[1:]


# --- Drawing -----------------------------------------------------------------------------------


class Drawing:
    """A picture of a width, which grows downwards."""

    def __init__(self, width):
        self.width, self.parts = width, []

    def text(self, x, y, text, kind, size=12, anchor="start", title=None):
        inside = (f"<title>{escape(title)}</title>" if title else "") + escape(text)
        at = "" if anchor == "start" else f' text-anchor="{anchor}"'
        self.parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" font-size="{size}"{at}>{inside}</text>')

    def line(self, x1, y1, x2, y2, kind, thickness=1):
        self.parts.append(
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"'
            f' stroke-width="{thickness}"/>')

    def box(self, x, y, width, height, kind, round_by=0, title=None):
        inside = f"<title>{escape(title)}</title>" if title else ""
        self.parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
            f' rx="{round_by}" class="{kind}">{inside}</rect>')

    def dot(self, x, y, radius, kind, title):
        self.parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" class="{kind}">'
            f"<title>{escape(title)}</title></circle>")

    def path(self, points, kind):
        places = " L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        self.parts.append(f'<path d="M{places}" class="{kind}"/>')

    def svg(self, height, title, description):
        ground = (f'<rect x="0.5" y="0.5" width="{self.width - 1}" height="{height - 1:.0f}" rx="8"'
                  ' class="ground"/>')
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{height:.0f}"'
            f' viewBox="0 0 {self.width} {height:.0f}" role="img" aria-label={quoteattr(title)}>',
            f"<title>{escape(title)}</title>",
            f"<desc>{escape(description)}</desc>",
            f"<style>{STYLE}</style>",
            ground, *self.parts, "</svg>", ""])


# --- Bars --------------------------------------------------------------------------------------

WIDTH, MARGIN = 800, 20
NAMES, PLOT, VALUES, RATIOS = MARGIN, 262, 712, 780  # names start, bars from, right ends of texts
PLOT_END = 612
ROW, BAR = 19, 10


class Panel:
    """One path: its rows as ratios to the limit; more is worse, whatever the unit."""

    def __init__(self, path, lines):
        self.path, self.unit = path, lines[0]["unit"]
        limits = [line for line in lines if line["role"] == "limit"]
        ours = [line for line in lines if line["role"] == "ours"]
        best = max if is_rate(self.unit) else min
        self.reference = (limits or ours or [best(lines, key=lambda line: line["median"])])[0]
        self.has_limit = bool(limits)
        order = {"limit": 0, "ours": 1}
        self.lines = sorted(
            lines, key=lambda line: (
                line is not self.reference, order.get(line["role"], 2), self.ratio(line["median"])))

    def ratio(self, value):
        """0 where there is none."""
        base = self.reference["median"]
        if value <= 0 or base <= 0:
            return 0.0
        return base / value if is_rate(self.unit) else value / base

    def span(self, line):
        ends = [self.ratio(line[end]) for end in ("min", "max")]
        return min(ends), max(ends)


def panels_of(results):
    """The panels in the order in which their groups are met: {first word: [Panel]}."""
    paths, groups = {}, {}
    for line in results:
        paths.setdefault(line["path"], []).append(line)
    for path, lines in paths.items():
        groups.setdefault(path.split()[0], []).append(Panel(path, lines))
    return groups


def scale_of(groups):
    """From which ratio to which the bars go, and what is cut off at the ends."""
    panels = [panel for group in groups.values() for panel in group]
    medians = [panel.ratio(line["median"]) for panel in panels for line in panel.lines]
    medians = [ratio for ratio in medians if ratio > 0]
    least, most = min(medians + [1.0]), max(medians + [1.0])
    low = 10 ** math.floor(math.log10(least * 1.001)) if least < 0.8 else 0.7
    if 0.25 <= least < 0.8:
        low = 0.25
    high = max(10.0, 10 ** math.ceil(math.log10(most / 1.3)))
    return low, max(high, most * 1.15)


def bars(results, machine, date):
    """A picture of bench.json: a panel for each path, a bar for each row, from the limit to the
    right by how many times longer it takes, on one logarithmic scale."""
    if not results:
        raise ValueError("there is nothing to draw")
    groups = panels_of(results)
    low, high = scale_of(groups)
    drawing = Drawing(WIDTH)

    def x(ratio):
        share = math.log(min(max(ratio, low), high) / low) / math.log(high / low)
        return PLOT + share * (PLOT_END - PLOT)

    y = 34
    drawing.text(MARGIN, y, "Curfew, its peers and the limit", "strong", 18)
    legend(drawing, y - 1)
    explanation = (
        "A bar is a multiple of the limit, a small C program that does only what cannot be left"
        " out, on a logarithmic scale: shorter is better. Of what is counted per second it is the"
        " time for each. Thin lines go from the lowest to the highest run.")
    y += 8
    for text in wrap(explanation, 12, WIDTH - 2 * MARGIN):
        y += 16
        drawing.text(MARGIN, y, text, "faint", 12)
    y += 12
    ticks = [10.0**n for n in range(math.ceil(math.log10(low) - 1e-9),
                                    math.floor(math.log10(high) + 1e-9) + 1)]
    for name, panels in groups.items():
        y = draw_group(drawing, y, name, panels, x, ticks)
    y += 12
    runs = sorted({line["runs"] for line in results})
    counts = f"{runs[0]}" if len(runs) == 1 else f"{runs[0]} to {runs[-1]}"
    caption = f"{machine}. Medians of {counts} interleaved runs, {date}."
    for text in wrap(caption, 11, WIDTH - 2 * MARGIN):
        y += 15
        drawing.text(MARGIN, y, text, "faint", 11)
    return drawing.svg(y + 16, "Curfew's benchmarks", describe(groups, caption))


def legend(drawing, y):
    x = WIDTH - MARGIN
    for kind, word in (("peer", "peer"), ("ours", "Curfew"), ("limit", "limit")):
        x -= width_of(word, 12)
        drawing.text(x, y, word, "plain", 12)
        x -= 18
        drawing.box(x, y - 9, 12, BAR, kind, 2)
        x -= 16


def draw_group(drawing, y, name, panels, x, ticks):
    y += 12
    drawing.line(MARGIN, y, WIDTH - MARGIN, y, "grid")
    y += 22
    only = len(panels) == 1
    drawing.text(MARGIN, y, heading_of(panels[0].path if only else name), "strong", 14)
    draw_ticks(drawing, y, x, ticks)
    # The first word is said already, unless one panel has no other.
    is_short = all(len(panel.path.split()) > 1 for panel in panels)
    for panel in panels:
        if not only:
            y += 22
            words = " ".join(panel.path.split()[1:]) if is_short else panel.path
            drawing.text(NAMES, y, cut(heading_of(words), 12, PLOT - NAMES - 8), "strong", 12)
        y = draw_panel(drawing, y + 7, panel, x, ticks)
    return y + 2


def draw_ticks(drawing, y, x, ticks):
    """Their numbers, as many as there is room for, and that of the limit in any case."""
    taken = []
    for tick in sorted(ticks, key=lambda tick: abs(math.log10(tick))):
        number = (f"{tick:g}" if tick < 1 else f"{tick:,.0f}" if tick < 1e4
                  else f"{tick / 1e3:,.0f} k" if tick < 1e6 else f"{tick / 1e6:,.0f} M")
        half = width_of(f"{number} ×", 11) / 2 + 3
        if all(abs(x(tick) - at) > half + other for at, other in taken):
            drawing.text(x(tick), y, f"{number} ×", "faint number", 11, "middle")
            taken.append((x(tick), half))


def draw_panel(drawing, y, panel, x, ticks):
    bottom = y + ROW * len(panel.lines)
    for tick in ticks:
        drawing.line(x(tick), y, x(tick), bottom, "base" if tick == 1 else "grid")
    for line in panel.lines:
        draw_row(drawing, y, panel, line, x)
        y += ROW
    return bottom


def draw_row(drawing, y, panel, line, x):
    middle, role = y + ROW / 2, line["role"] if line["role"] in ("ours", "limit") else "peer"
    ratio = panel.ratio(line["median"])
    value = quantity(line["median"], line["unit"])
    kind = "ours-text" if role == "ours" else "plain"
    if role == "ours":
        drawing.box(NAMES - 6, y + 0.5, RATIOS - NAMES + 12, ROW - 1, "tint", 3)
    name = line["name"]
    if line is panel.reference and not panel.has_limit:
        name += " = 1 ×"
    shown = cut(name, 12, PLOT - NAMES - 14)
    drawing.text(NAMES, middle + 4, shown, kind, 12, title=name if shown != name else None)
    drawing.text(VALUES, middle + 4, value, f"{kind} number", 12, "end")
    faint = "ours-text" if role == "ours" else "faint"
    drawing.text(RATIOS, middle + 4, times(ratio), f"{faint} number", 12, "end")
    if ratio <= 0:
        return
    start, end = sorted((x(1.0), x(ratio)))
    # What is as fast as the limit has a bar, too.
    if end - start < 4:
        start, end = x(1.0) - 2, x(1.0) + 2
    drawing.box(start, middle - BAR / 2, end - start, BAR, role, 2,
                f"{line['name']}: {value}, {times(ratio)} the limit")
    least, most = panel.span(line)
    if line["runs"] > 1 and x(most) - x(least) > 1:
        drawing.line(x(least), middle, x(most), middle, "whisker", 1.2)
        for end in (least, most):
            drawing.line(x(end), middle - 3, x(end), middle + 3, "whisker", 1.2)


def describe(groups, caption):
    parts = []
    for panels in groups.values():
        for panel in panels:
            rows = "; ".join(
                f"{line['name']} {quantity(line['median'], line['unit'])}"
                f" ({times(panel.ratio(line['median']))})" for line in panel.lines)
            parts.append(f"{heading_of(panel.path)}: {rows}.")
    return " ".join(["Medians, and how many times as much as the limit they are.", *parts, caption])


# --- Curves ------------------------------------------------------------------------------------


def ticks_between(low, high):
    """Of a logarithmic axis: decades, and 2 and 5 between where there is room."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    steps = (1, 2, 5) if math.log10(high / low) <= 2.2 else (1,)
    return [step * 10.0**n for n in range(first, last + 1) for step in steps
            if low * 0.999 <= step * 10.0**n <= high * 1.001]


def short(size):
    """A size for an axis."""
    for bound, name in ((1 << 20, "Mi"), (1 << 10, "Ki")):
        if size >= bound and size % bound == 0:
            return f"{size // bound:,} {name}"
    return f"{size:,}"


def curve(title, unit, points, what="size", machine="", date="", guide="log n"):
    """A plot of `points`, (size, value) or (size, median, min, max), both axes logarithmic.

    `guide`, "log n" or "n", is how the value may grow, drawn from its lowest point. A size of 0
    stands one step before the others. Values must be above 0."""
    points = sorted((p[0], p[1], *(p[2:4] if len(p) >= 4 else (p[1], p[1]))) for p in points)
    if len(points) < 2 or any(value <= 0 for _, value, *_ in points):
        raise ValueError(f"{title}: there must be two points, and values above 0")
    width, left, right, top, bottom = 640, 84, 592, 66, 300
    drawing = Drawing(width)
    sizes = [p[0] for p in points]
    positive = [size for size in sizes if size > 0]
    step = 10 if len(positive) < 2 else max(2, positive[1] / positive[0])
    first = positive[0] / step if sizes[0] == 0 else positive[0]
    least = min(p[2] if p[2] > 0 else p[1] for p in points)
    most = max(p[3] for p in points)
    low, high = round_down(least), round_up(most)
    if high / low < 5:
        low, high = low / 2, high * 2

    def x(size):
        size = size if size > 0 else first
        return left + math.log(size / first) / math.log(sizes[-1] / first) * (right - left)

    def y(value):
        share = math.log(min(max(value, low), high) / low) / math.log(high / low)
        return bottom - share * (bottom - top)

    drawing.text(20, 30, cut(title, 15, width - 40), "strong", 15)
    drawing.text(20, 49, f"against the number of {what}, both axes logarithmic"
                 if not what.startswith("bytes") else f"against {what}, both axes logarithmic",
                 "faint", 12)
    for tick in ticks_between(low, high):
        drawing.line(left, y(tick), right, y(tick), "grid")
        drawing.text(left - 8, y(tick) + 4, tick_text(tick, unit), "faint number", 11, "end")
    draw_sizes(drawing, sizes, x, bottom)
    draw_guide(drawing, points, guide, x, y, (low, high))
    for size, _, minimum, maximum in points:
        if minimum > 0 and y(minimum) - y(maximum) > 1:
            drawing.line(x(size), y(minimum), x(size), y(maximum), "whisker", 1.2)
    drawing.path([(x(p[0]), y(p[1])) for p in points], "trace")
    for size, value, *_ in points:
        drawing.dot(x(size), y(value), 3.5, "ours", f"{size:,}: {quantity(value, unit)}")
    height = bottom + 34
    caption = ", ".join(part for part in (machine, str(date)) if part)
    for text in wrap(caption, 11, width - 40) if caption else ():
        height += 15
        drawing.text(20, height, text, "faint", 11)
    described = "; ".join(f"{p[0]:,}: {quantity(p[1], unit)}" for p in points)
    return drawing.svg(height + 14, title, f"{title} against {what}: {described}. {caption}")


def draw_sizes(drawing, sizes, x, bottom):
    drawn_to = -1e9
    for size in sizes:
        name = short(size)
        half = width_of(name, 11) / 2
        drawing.line(x(size), bottom, x(size), bottom + 4, "base")
        if x(size) - half > drawn_to + 4:
            drawing.text(x(size), bottom + 19, name, "faint number", 11, "middle")
            drawn_to = x(size) + half


def draw_guide(drawing, points, guide, x, y, bounds):
    """What would still be in order, from the lowest point that has a size."""
    value, start = min((p[1], p[0]) for p in points if p[0] > 0)
    end = points[-1][0]
    if start == end:
        return
    if guide == "n":
        def allowed(size):
            return value * size / start
    else:
        def allowed(size):
            return value * math.log(size + 2) / math.log(start + 2)
    steps = [start * (end / start) ** (i / 60) for i in range(61)]
    within = [s for s in steps if bounds[0] <= allowed(s) <= bounds[1]]
    if len(within) < 2:
        return
    drawing.path([(x(s), y(allowed(s))) for s in within], "guide")
    drawing.text(drawing.width - 20, 49, f"dashed: {guide}", "faint", 11, "end")


def round_down(value):
    power = 10 ** math.floor(math.log10(value))
    return max(step * power for step in (1, 2, 5) if step * power <= value * 1.0001)


def round_up(value):
    power = 10 ** math.floor(math.log10(value))
    return min(step * power for step in (1, 2, 5, 10) if step * power >= value * 0.9999)


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: chart.py bench.json picture.svg")
    source = Path(sys.argv[1])
    results = json.loads(source.read_text(encoding="utf-8"))
    date = time.strftime("%Y-%m-%d", time.localtime(source.stat().st_mtime))
    Path(sys.argv[2]).write_text(bars(results, machine(), date), encoding="utf-8")


if __name__ == "__main__":
    main()
