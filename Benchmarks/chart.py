# SPDX-License-Identifier: Apache-2.0
"""Draws what was measured as SVG, with matplotlib (Debian: python3-matplotlib).

    chart.py .build/bench.json .build/bench.svg     # a bar for each row of each path
    chart.py .build/growth/growth.json              # a curve of cost over size for each, beside it

A picture depends on its figures alone. It follows the reader's light or dark mode, and carries its
numbers as text.
"""

import json
import math
import re
import sys
import textwrap
import time
from io import StringIO
from pathlib import Path
from xml.sax.saxutils import escape

import matplotlib
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator
from matplotlib.transforms import Affine2D, blended_transform_factory

from programs import machine

matplotlib.rcParams.update({
    "svg.fonttype": "none", "svg.hashsalt": "curfew", "font.family": "sans-serif",
    "axes.linewidth": 0, "path.simplify": False})

# Each colour in light, and what it becomes in dark.
GROUND, TEXT, FAINT, GRID, BASE = "#fffffe", "#1f2328", "#59636e", "#e4e8ec", "#818b98"
OURS, PEER, LIMIT, TINT, OURS_TEXT = "#1f6feb", "#b6bfc9", "#5a646f", "#ebf2fd", "#0a53b8"
DARK = {GROUND: "#0d1117", TEXT: "#f0f6fc", FAINT: "#9198a1", GRID: "#21262d", BASE: "#656c76",
        OURS: "#4493f8", PEER: "#4a525d", LIMIT: "#9198a2", TINT: "#121d2f", OURS_TEXT: "#79b8ff"}
FILLS = {"ours": OURS, "limit": LIMIT, "peer": PEER}


def save(figure, description):
    """The figure as SVG, with its description and its dark colours."""
    out = StringIO()
    figure.savefig(out, format="svg", facecolor=GROUND, metadata={"Date": None, "Creator": None})
    text = re.sub(r"\s*<!--.*?-->|\n +| id=\"[a-zA-Z0-9]+_\d+\"", "", out.getvalue())
    rules = "".join(f'[style*="{what}: {light}"] {{ {what}: {dark} !important }}\n'
                    for light, dark in DARK.items() for what in ("fill", "stroke"))
    start = text.index(">", text.index("<svg")) + 1
    return (f"{text[:start]}\n<desc>{escape(description)}</desc>\n<style>\n"
            f"@media (prefers-color-scheme: dark) {{\n{rules}}}\n</style>{text[start:]}")


# --- Numbers -----------------------------------------------------------------------------------


TIMES = {"ns": 1.0, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9}
BYTES = {"bytes": 1.0, "KiB": 1024.0, "MiB": 1024.0**2, "GiB": 1024.0**3}


def digits(value):
    """Three significant digits, with commas between thousands."""
    if value == 0:
        return "0"
    whole = math.floor(math.log10(abs(value))) + 1
    return f"{value:,.0f}" if whole >= 3 else f"{value:.{min(3 - whole, 4)}f}"


def quantity(value, unit):
    """A value with the unit of its family in which it has the fewest digits."""
    if unit in ("1/s", "/s"):
        return f"{digits(value)} / s"
    for family in (TIMES, BYTES):
        if unit in family:
            base = value * family[unit]
            name = next(n for n in reversed([n for n in family if n != "us"])
                        if base >= family[n] * 0.9995 or family[n] == 1.0)
            return f"{digits(base / family[name])} {name}"
    return f"{digits(value)} {unit}"


def times(ratio):
    """A ratio: two places below ten, so that values close to the limit can be told apart."""
    if ratio <= 0:
        return "–"
    if ratio < 0.1:
        return f"{ratio:.1g} ×"
    places = 2 if ratio < 9.995 else 1 if ratio < 99.95 else 0
    return f"{ratio:,.{places}f} ×"


def heading_of(text):
    return text[:1].upper() + text[1:]


# --- Bars --------------------------------------------------------------------------------------

WIDTH, MARGIN, ROW = 800, 20, 19
PLOT, PLOT_END, VALUES, RATIOS = 262, 612, 712, 780  # bars from, to; right ends of texts


class Panel:
    """One path: its rows as ratios to the limit; more is worse, whatever the unit."""

    def __init__(self, path, lines):
        self.path, self.is_rate = path, lines[0]["unit"] in ("1/s", "/s")
        self.reference = next(line for line in lines if line["role"] == "limit")
        order = {"limit": 0, "ours": 1}
        self.lines = sorted(lines, key=lambda line: (
            line is not self.reference, order.get(line["role"], 2), self.ratio(line["median"])))

    def ratio(self, value):
        """0 where there is none."""
        base = self.reference["median"]
        return 0.0 if value <= 0 else base / value if self.is_rate else value / base


def panels_of(results):
    """The panels in the order in which their groups are met: {first word: [Panel]}. A path without
    a limit has nothing to be a ratio of."""
    paths, groups = {}, {}
    for line in results:
        paths.setdefault(line["path"], []).append(line)
    for path, lines in paths.items():
        if any(line["role"] == "limit" and line["median"] > 0 for line in lines):
            groups.setdefault(path.split()[0], []).append(Panel(path, lines))
    return groups


class Bars:
    """A picture that grows downwards; `y` is in points from its top."""

    def __init__(self, ratios):
        self.figure = Figure()
        self.axes = self.figure.add_axes(
            [PLOT / WIDTH, 0, (PLOT_END - PLOT) / WIDTH, 1], frameon=False, xscale="log")
        least, most = min(ratios), max(ratios)
        self.low = 10.0 ** math.floor(math.log10(least))
        if least >= 0.25:
            self.low = 0.25 if least < 0.8 else 0.7
        self.high = max(10.0, 10.0 ** math.ceil(math.log10(most / 1.3)), most * 1.15)
        self.ticks = [10.0**n for n in range(math.ceil(math.log10(self.low)),
                                             math.floor(math.log10(self.high)) + 1)]
        points = Affine2D().scale(1 / 72) + self.figure.dpi_scale_trans
        self.place = blended_transform_factory(points, self.axes.transData)
        self.y = 0

    def text(self, x, text, colour=TEXT, size=12, align="left", weight="normal"):
        self.axes.text(x, self.y, text, color=colour, fontsize=size, ha=align, weight=weight,
                       va="center_baseline", transform=self.place, clip_on=False)

    def block(self, text, size):
        for line in textwrap.wrap(text, round(1440 / size)):
            self.y += size + 4
            self.text(MARGIN, line, FAINT, size)

    def legend(self):
        for x, role in ((590, "limit"), (650, "ours"), (725, "peer")):
            self.box(x, x + 12, 10, FILLS[role])
            self.text(x + 18, "Curfew" if role == "ours" else role)

    def box(self, left, right, height, colour):
        self.axes.fill_between([left, right], self.y - height / 2, self.y + height / 2, lw=0,
                               color=colour, transform=self.place, clip_on=False, zorder=-1)

    def group(self, name, panels):
        self.y += 16
        self.axes.plot([MARGIN, WIDTH - MARGIN], [self.y] * 2, color=GRID, lw=1,
                       transform=self.place, clip_on=False)
        self.y += 18
        is_one = len(panels) == 1
        self.text(MARGIN, heading_of(panels[0].path if is_one else name), size=14, weight="bold")
        for tick in self.ticks:
            self.axes.text(tick, self.y, f"{tick:,g} ×", color=FAINT, fontsize=11, ha="center",
                           va="center_baseline")
        is_short = all(len(panel.path.split()) > 1 for panel in panels)
        for panel in panels:
            if not is_one:
                self.y += 22
                words = panel.path.partition(" ")[2] if is_short else panel.path
                self.text(MARGIN, heading_of(words), weight="bold")
            top = self.y + ROW / 2
            for line in panel.lines:
                self.y += ROW
                self.row(panel, line)
            for tick in self.ticks:
                self.axes.vlines(tick, top, self.y + ROW / 2, lw=1, zorder=0,
                                 color=BASE if tick == 1 else GRID)

    def row(self, panel, line):
        role = line["role"] if line["role"] in FILLS else "peer"
        weight = "bold" if role == "ours" else "normal"
        colour = OURS_TEXT if role == "ours" else TEXT
        if role == "ours":
            self.box(MARGIN - 6, RATIOS + 6, 18, TINT)
        ratio = panel.ratio(line["median"])
        name = textwrap.shorten(line["name"], 40, placeholder="…")
        self.text(MARGIN, name, colour, weight=weight)
        self.text(VALUES, quantity(line["median"], line["unit"]), colour, 12, "right", weight)
        self.text(RATIOS, times(ratio), colour if role == "ours" else FAINT, 12, "right", weight)
        if ratio <= 0:
            return
        # A bar of the limit's own length is still seen.
        thin = (self.high / self.low) ** (2 / (PLOT_END - PLOT))
        left, right = sorted((1.0, ratio))
        left, right = (1 / thin, thin) if right / left < thin**2 else (left, right)
        self.axes.barh(self.y, right - left, 10, left, color=FILLS[role], lw=0)
        ends = sorted(min(max(panel.ratio(line[end]), self.low), self.high)
                      for end in ("min", "max"))
        if line["runs"] > 1 and ends[0] < ends[1]:
            self.axes.plot(ends, [self.y] * 2, color=TEXT, alpha=0.65, lw=1.2, marker="|",
                           markersize=6, clip_on=False)

    def svg(self, description):
        height = self.y + 16
        self.figure.set_size_inches(WIDTH / 72, height / 72)
        self.axes.set(xlim=(self.low, self.high), ylim=(height, 0), xticks=[], yticks=[])
        self.axes.minorticks_off()
        return save(self.figure, description)


def bars(results, caption_machine, date):
    """A panel for each path, a bar for each row: how many times longer it takes than the limit."""
    groups = panels_of(results)
    panels = [panel for group in groups.values() for panel in group]
    made = Bars([1.0] + [ratio for panel in panels for line in panel.lines
                         if (ratio := panel.ratio(line["median"])) > 0])
    made.y = 30
    made.text(MARGIN, "Curfew, its peers and the limit", size=18, weight="bold")
    made.legend()
    made.y += 10
    made.block(
        "A bar is a multiple of the limit, a small C program that does only what cannot be left out,"
        " on a logarithmic scale: shorter is better. Of rates it is the time for each. Thin lines go"
        " from the lowest to the highest run.", 12)
    for name, group in groups.items():
        made.group(name, group)
    made.y += 12
    runs = sorted({line["runs"] for line in results})
    counts = f"{runs[0]}" if len(runs) == 1 else f"{runs[0]} to {runs[-1]}"
    caption = f"{caption_machine}. Medians of {counts} interleaved runs, {date}."
    made.block(caption, 11)
    rows = [f"{heading_of(panel.path)}: " + "; ".join(
        f"{line['name']} {quantity(line['median'], line['unit'])}"
        f" ({times(panel.ratio(line['median']))})" for line in panel.lines) + "." for panel in panels]
    return made.svg(" ".join(["Medians, and how many times the limit they are.", *rows, caption]))


# --- Curves ------------------------------------------------------------------------------------


def short(size):
    """A size for an axis."""
    for bound, name in ((1 << 20, "Mi"), (1 << 10, "Ki")):
        if size >= bound and size % bound == 0:
            return f"{size // bound:,} {name}"
    return f"{size:,}"


def curve(line, caption):
    """Cost over size, both axes logarithmic, and dashed how it may grow from its lowest point."""
    points = [p for p in line["points"] if p["median"] > 0]
    first = min(p["size"] for p in points if p["size"] > 0)
    x = [p["size"] or first / 10 for p in points]  # 0 stands one step before the others
    y = [p["median"] for p in points]
    figure = Figure(figsize=(640 / 72, 350 / 72))
    axes = figure.add_axes([0.14, 0.16, 0.8, 0.66], facecolor="none")
    axes.set_xscale("log")
    axes.set_yscale("log")
    least, most = [p["min"] or p["median"] for p in points], [p["max"] for p in points]
    axes.vlines(x, least, most, color=BASE)
    axes.plot(x, y, color=OURS, lw=2, marker="o", markersize=5)
    low, high = axes.get_ylim()
    if high / low < 10:
        low, high = low / 2, high * 2
    start = min((p["median"], p["size"]) for p in points if p["size"] > 0)
    steps = [start[1] * (x[-1] / start[1]) ** (i / 60) for i in range(61)]
    grown = [start[0] * (s / start[1] if line["may_grow"] == "n"
                         else math.log(s + 2) / math.log(start[1] + 2)) for s in steps]
    axes.plot(steps, grown, color=BASE, ls="--", lw=1)
    axes.set_ylim(low, high)
    axes.set_xticks(x, [short(p["size"]) for p in points])
    axes.minorticks_off()
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter(lambda value, _: quantity(value, line["unit"]))
    axes.grid(axis="y", color=GRID)
    axes.tick_params(colors=FAINT, labelsize=11, color=BASE)
    over = line["what"] if line["what"].startswith("bytes") else f"the number of {line['what']}"
    for place, text, size, colour in (
            (0.94, line["title"], 15, TEXT),
            (0.88, f"against {over}, both axes logarithmic; dashed: {line['may_grow']}", 12, FAINT),
            (0.03, caption, 11, FAINT)):
        figure.text(0.03, place, text, fontsize=size, color=colour,
                    weight="bold" if size == 15 else "normal")
    described = "; ".join(f"{p['size']:,}: {quantity(p['median'], line['unit'])}" for p in points)
    return save(figure, f"{line['title']} against {line['what']}: {described}. {caption}")


def main():
    source = Path(sys.argv[1])
    figures = json.loads(source.read_text(encoding="utf-8"))
    if isinstance(figures, list):
        if not panels_of(figures):
            return
        date = time.strftime("%Y-%m-%d", time.localtime(source.stat().st_mtime))
        Path(sys.argv[2]).write_text(bars(figures, machine(), date), encoding="utf-8")
        return
    for line in figures["curves"]:
        if sum(p["median"] > 0 for p in line["points"]) >= 2:
            caption = f"{figures['machine']}, {figures['date']}"
            name = f"growth-{line['program']}-{line['key']}".replace(" ", "-")
            source.with_name(f"{name}.svg").write_text(curve(line, caption), encoding="utf-8")


if __name__ == "__main__":
    main()
