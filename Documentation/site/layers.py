# SPDX-License-Identifier: Apache-2.0
"""Draws the targets of Package.swift, each above those it depends on: Documentation/layers.svg.

    swift package dump-package | layers.py Documentation/layers.svg

An arrow is left out where others lead to the same target already."""
import json
import pathlib
import subprocess
import sys

_ROOT = pathlib.Path(__file__).resolve().parents[2]
_STYLE = """<style>
.ground { fill: #ffffff; stroke: #d1d9e0; }
.node path { fill: #f1f4f8; stroke: #818b98; }
.product path { fill: #ddeaff; stroke: #1f6feb; }
.node text { fill: #1f2328; font-family: system-ui, "Liberation Sans", sans-serif; }
.edge path { stroke: #818b98; }
.edge polygon { fill: #818b98; stroke: #818b98; }
@media (prefers-color-scheme: dark) {
  .ground { fill: #0d1117; stroke: #3d444d; }
  .node path { fill: #21262d; stroke: #656c76; }
  .product path { fill: #10305f; stroke: #4493f8; }
  .node text { fill: #f0f6fc; }
}
</style>
"""


def graph(package):
    """In the language of Graphviz. What others can depend on has a colour of its own."""
    products = {name for product in package["products"] for name in product["targets"]}
    targets = {target["name"]: target for target in package["targets"]
               if target["name"] == "CCurfew" or (_ROOT / "Sources" / target["name"]).is_dir()}
    out = ["digraph layers {",
           'node [shape=box style=rounded fontname="DejaVu Sans" fontsize=12 height=0.4]',
           "graph [nodesep=0.25 ranksep=0.4]"]
    for name, target in targets.items():
        out.append(f'"{name}" [class="{"product" if name in products else ""}"]')
        out += [f'"{name}" -> "{dependency["byName"][0]}"' for dependency in target["dependencies"]]
    return "\n".join([*out, "}"])


def main():
    text = graph(json.load(sys.stdin)).encode()
    for command in (["tred"], ["dot", "-Tsvg"]):
        text = subprocess.run(command, input=text, stdout=subprocess.PIPE, check=True).stdout
    picture = text[text.index(b"<svg"):].decode()
    start = picture.index("<g id=")
    picture = picture[:start] + _STYLE + picture[start:]
    picture = picture.replace('fill="white" stroke="transparent"', 'class="ground"', 1)
    pathlib.Path(sys.argv[1]).write_text(picture)


if __name__ == "__main__":
    main()
