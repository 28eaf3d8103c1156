# SPDX-License-Identifier: Apache-2.0
"""Draws what the demonstration prints, as a picture: Documentation/recording.svg.

    Tests/Demo/demo.sh | recording.py Documentation/recording.svg
    Tests/Demo/demo.sh | recording.py --check Documentation/recording.svg

With --check nothing is written: the exit status is 1 if the picture shows something else than what
was read, apart from numbers and progress. The picture leaves out what a reader of the first page does
not need: `…` stands for it."""
import html
import pathlib
import re
import sys

_COLUMNS = 88
_ADVANCE, _LEADING, _MARGIN = 7.8, 18, 16
_STYLE = """<style>
.ground { fill: #0d1117; }
text { fill: #c9d1d9; font: 13px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace;
       white-space: pre; }
.title { fill: #8b949e; }
.command { fill: #ffffff; font-weight: bold; }
.good { fill: #3fb950; }
.warning { fill: #d29922; }
</style>"""
# Lines that the picture leaves out, without a mark or with `…`.
_LEFT_OUT = re.compile(r"$|ok  \S|hint: | +stored in | +follow it: |note: ")
_CUT = re.compile(r"unknown from here: |not waiting for: |history: |next: |earliest possible: ")


def lines(text):
    """The lines of the picture: those of the demonstration up to what to type next."""
    shown = []
    for line in text.partition("\n── what to type next")[0].splitlines():
        line = re.sub(r"/\S*/curfew-demo\.\w+", "/tmp/demo", line)
        if _CUT.match(line):
            line = "…"
        if _LEFT_OUT.match(line) or (shown and line == shown[-1]):
            continue
        if line.startswith("── ") and shown:
            shown.append("")
        # An answer is a paragraph; its beginning says what it is about.
        shown.append(line if len(line) <= _COLUMNS else line[:_COLUMNS - 1].rsplit(" ", 1)[0] + " …")
    return shown


def kind(line):
    if line.startswith("── "):
        return "title"
    if line.startswith("$ "):
        return "command"
    if re.match(r"SUCCEEDED|queued", line):
        return "good"
    if re.match(r"EXPIRED|.*  EXPIRING|request \d+, .* is waiting", line):
        return "warning"
    return ""


def picture(shown):
    width = round(_COLUMNS * _ADVANCE + 2 * _MARGIN)
    height = len(shown) * _LEADING + 2 * _MARGIN
    rows = [
        f'<text x="{_MARGIN}" y="{_MARGIN + index * _LEADING + 13}"'
        + (f' class="{kind(line)}"' if kind(line) else "") + f">{html.escape(line)}</text>"
        for index, line in enumerate(shown) if line]
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" xml:space="preserve">',
        "<title>A task that succeeds, one that expires, a plugin that crashes, and a request that says why it waits</title>",
        _STYLE, f'<rect class="ground" width="{width}" height="{height}" rx="8"/>', *rows,
        "</svg>", ""])


def forms(shown):
    """What stays from one run to the next: not the times, and not what they allowed."""
    changing = r" s  (progress|event) |^answer: |^  \d+\. (battery|network|pressure|thermal) "
    kept = [line for line in shown if line and not re.search(changing, line)]
    return [re.sub(r"[\d.,:]+( (ms|s|min|h|d)\b)?", "0", re.sub(r"in [\dhmin d]+$", "in 0", line))
            for line in kept]


def main():
    path = pathlib.Path(sys.argv[-1])
    shown = lines(sys.stdin.read())
    if "--check" not in sys.argv:
        path.write_text(picture(shown))
        return 0
    drawn = [html.unescape(text) for text in re.findall(r"<text [^>]*>(.*)</text>", path.read_text())]
    old, new = forms(drawn), forms(shown)
    if old == new:
        return 0
    print(f"{path} shows what the demonstration does not print; draw it again: make recording")
    for was, now in zip(old + [""] * len(new), new + [""] * max(0, len(old) - len(new))):
        if was != now:
            print(f"drawn:   {was}\nprinted: {now}")
    return 1


sys.exit(main())
