# SPDX-License-Identifier: Apache-2.0
"""Writes the pages that need no Swift: the reference of the headers, the codes, the guides.

    build.py --include include --output .build/docs [--codes codes.json] [--guides Documentation]

Whatever a page cannot be made of is an error: a name that no header declares, a link that leads
nowhere."""
import argparse
import html
import json
import pathlib
import re
import sys

import headers
import pages

_PLACE = pathlib.Path(__file__).parent
_SWIFT = (
    ("Curfew", "the host in Swift"), ("CurfewPlugin", "plugins in Swift"),
    ("BackgroundTasks", "Apple's module"), ("UIKitBackground", "UIApplication's part of it"),
    ("SwiftUIBackground", "SwiftUI's part of it"), ("OSLogging", "Apple's Logger"),
    ("FoundationBackground", "Foundation's part of it"), ("AppHost", "the host behind those"),
)


def page(title, body, contents, depth):
    up = "../" * depth
    aside = f"<nav><ul>{contents}</ul></nav>" if contents else ""
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(title)} · Curfew</title>
<link rel="stylesheet" href="{up}style.css">
</head>
<body>
<header><a href="{up}index.html">Curfew</a></header>
<div class="page{' with-contents' if contents else ''}">
{aside}
<main>
{body}
</main>
</div>
</body>
</html>
"""


def reference(include, output, codes):
    """A page for each header, and that of the codes. Returns the rows of the index."""
    sources = {path.relative_to(include).as_posix(): path.read_text()
               for path in sorted(include.glob("curfew/**/*.h"))}
    read = [headers.read(name, source) for name, source in sources.items()]
    made = pages.Reference(read, headers.tag_words(sources["curfew/types.h"]), codes)
    directory = output / "reference"
    directory.mkdir(parents=True, exist_ok=True)
    rows = []
    for header in read:
        body, contents = made.page(header)
        name = made.pages[header.name]
        (directory / name).write_text(page(header.name, body, contents, 1))
        about = re.sub(r"^curfew/[\w/.-]+: ", "", header.sections[0].prose[0])
        sentence = re.match(r"(.*?[.:])(\s|$)", " ".join(about.split()))[1]
        sentence = html.escape(sentence[:1].upper() + sentence[1:-1])
        rows.append(f'<li><a href="reference/{name}">{header.name}</a>: {sentence}.</li>')
    if codes:
        body, contents = made.codes_page()
        (directory / "codes.html").write_text(page("Codes", body, contents, 1))
        rows.append('<li><a href="reference/codes.html">Codes</a>: of errors, statuses and lines of'
                    " the log.</li>")
    return rows, made.unknown


def guides(directory, output, headers_included):
    """The guides as pages. Returns the rows of the index, and what is wrong."""
    import markdown  # Debian: python3-markdown

    rows, wrong = [], []
    sources = sorted(directory.glob("*.md"), reverse=True)
    sources.append(directory.parent / "CONTRIBUTING.md")
    names = {path.name: path.stem.lower() + ".html" for path in sources}
    for path in sources:
        made = markdown.Markdown(extensions=["fenced_code", "tables", "toc"])
        body = made.convert(path.read_text())

        def link(match):
            target, _, anchor = match[1].partition("#")
            anchor = f"#{anchor}" if anchor else ""
            name = target.rpartition("/")[2]
            if re.match(r"https?:", target) or not target:
                return match[0]
            if name in names:
                return f'href="{names[name]}{anchor}"'
            if (header := re.match(r"(?:\.\./)?include/(curfew/.*\.h)$", target)) \
                    and header[1] in headers_included:
                return f'href="reference/{pages.page_name(header[1])}{anchor}"'
            wrong.append(f"{path}: {match[1]} is no page of the documentation")
            return match[0]

        body = re.sub(r'href="([^"]+)"', link, body)
        contents = "".join(
            f'<li class="level-{entry["level"]}"><a href="#{entry["id"]}">'
            f'{html.escape(html.unescape(entry["name"]))}</a></li>'
            for top in made.toc_tokens for chapter in top["children"]
            for entry in [chapter, *chapter["children"]])
        title = made.toc_tokens[0]["name"]
        (output / names[path.name]).write_text(page(title, body, contents, 0))
        rows.append(f'<li><a href="{names[path.name]}">{title}</a></li>')
    return rows, wrong


def nowhere(output):
    """The links of all pages that lead nowhere. Those inside of DocC's pages are DocC's."""
    texts = {path: path.read_text() for path in [*output.glob("*.html"),
                                                 *output.glob("reference/*.html")]}
    ids = {path: set(re.findall(r'\bid="([^"]+)"', text)) for path, text in texts.items()}
    known = {path.resolve(): path for path in texts}
    for path, text in texts.items():
        for target in re.findall(r'href="([^"]+)"', text):
            if re.match(r"https?:", target):
                continue
            name, _, anchor = target.partition("#")
            leads_to = (path.parent / name).resolve() if name else path.resolve()
            if not leads_to.exists():
                yield f"{path.name}: {target} leads nowhere"
            elif anchor and leads_to in known and html.unescape(anchor) not in ids[known[leads_to]]:
                yield f"{path.name}: {target} leads to no place of that page"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--include", type=pathlib.Path, required=True)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("--codes", type=pathlib.Path)
    parser.add_argument("--guides", type=pathlib.Path)
    arguments = parser.parse_args()
    output = arguments.output
    output.mkdir(parents=True, exist_ok=True)
    faults = json.loads(arguments.codes.read_text())["faults"] if arguments.codes else []
    codes = {int(fault["code"][2:]): fault for fault in faults}
    try:
        rows, wrong = reference(arguments.include, output, codes)
    except headers.UnknownText as error:
        sys.exit(f"build.py: {error}")
    body = "<h1>Curfew</h1><p>Runs other people's background work inside a time limit.</p>"
    if arguments.guides:
        guide_rows, more = guides(
            arguments.guides, output,
            {path.relative_to(arguments.include).as_posix()
             for path in arguments.include.glob("curfew/**/*.h")})
        wrong += more
        body += f"<h2>Guides</h2><ul>{''.join(guide_rows)}</ul>"
    body += f"<h2>The headers</h2><ul>{''.join(rows)}</ul>"
    if arguments.guides:
        modules = "".join(
            f'<li><a href="swift/{name}/documentation/{name.lower()}/">{name}</a>: {what}</li>'
            for name, what in _SWIFT)
        body += (f"<h2>The Swift modules</h2><ul>{modules}</ul><p>They need a server: "
                 "<code>python3 -m http.server -d .build/docs</code></p>")
    (output / "index.html").write_text(page("Documentation", body, "", 0))
    (output / "style.css").write_text((_PLACE / "style.css").read_text())
    wrong += nowhere(output)
    if wrong:
        sys.exit("\n".join(f"build.py: {line}" for line in dict.fromkeys(wrong)))


if __name__ == "__main__":
    main()
