# SPDX-License-Identifier: Apache-2.0
"""The documentation, for Sphinx: `make docs`.

The pages are those of the repository, under the same paths: README.md, CONTRIBUTING.md, what is in
Documentation, the page of each target, and a page made from each header. They are collected in Sphinx'
source directory first, so that links among them stay as they are written. A page is added by putting
the file there; a link in Documentation/README.md sets its place among the guides."""
import os
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import headers  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
_DEFINES = (ROOT / "include/curfew/version.h").read_text()

project = "Curfew"
version = release = re.search(r'CURFEW_VERSION_STRING "(.*)"', _DEFINES)[1]
html_title = f"Curfew {version}"
extensions = ["myst_parser"]
root_doc = "index"
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
c_id_attributes = ["CURFEW_NULLABLE"]
highlight_language = "none"
nitpicky = True
nitpick_ignore = [("c:identifier", name) for name in (
    "bool", "int32_t", "int64_t", "size_t", "uint8_t", "uint32_t", "uint64_t")]
html_theme = "furo"
html_static_path = [str(Path(__file__).with_name("style.css"))]
html_css_files = ["style.css"]
html_copy_source = False
html_show_copyright = False
# Where a page is edited: `{filename}` stands for its path in the repository.
_EDIT = os.environ.get("CURFEW_EDIT_LINK", "file://" + str(ROOT / "{filename}"))

_FENCED = re.compile(r"(?ms)(^```.*?^```$)")
_NAME = re.compile(r"(?m)(?<!\[)`((?:curfew|CURFEW)_\w+)`(?!\])")
_LINK = re.compile(r"\[([^\]]*)\]\(([^)#\s:]+)(#[^)\s]*)?\)")


def contents(names, caption=""):
    """A list of pages, which stands at the left of all of them."""
    lines = [":hidden:", *([f":caption: {caption}"] if caption else []), "",
             *(f"/{name}" for name in names)]
    return "\n".join(["", "```{toctree}", *lines, "```", ""])


class Pages:
    """What Sphinx reads: texts by their path."""

    def __init__(self):
        self.texts = {}
        self.files = set()  # that pages link to and show
        self.headers = headers.Pages(ROOT / "include")

    def markdown(self, path, name=None):
        """A page of the repository. A link to a file that is no page leads to a copy of it, and a name
        that a header declares to its declaration."""
        def link(match):
            target = Path(os.path.normpath(path.parent / match[2]))
            if (target / "README.md").is_file():
                target /= "README.md"
            inside = target.relative_to(ROOT).as_posix()
            if target == ROOT / "README.md":
                inside = "index.md"
            elif inside == "include/curfew":
                inside = "include/index.rst"
            elif inside == "Documentation/codes":
                inside += "/status-codes.md"
            elif target.suffix == ".h" and inside.startswith("include/"):
                inside = inside.removesuffix(".h") + ".rst"
            elif target.suffix == ".md" and target.is_file() and inside not in self.texts:
                self.markdown(target)
            elif target.suffix != ".md" and target.is_file():
                self.files.add(target)
            elif target.is_dir():
                return match[1]
            inside = os.path.relpath(inside, path.parent.relative_to(ROOT))
            return f"[{match[1]}]({inside}{match[3] or ''})"

        def declared(match):
            return f"{{c:member}}`{match[1]}`" if match[1] in self.headers.names else match[0]

        name = name or path.relative_to(ROOT).as_posix()
        self.texts[name] = ""  # pages link to each other
        self.texts[name] = "".join(
            part if part.startswith("```") else _LINK.sub(link, _NAME.sub(declared, part))
            for part in _FENCED.split(path.read_text()))
        return name

    def guides(self):
        """The pages of Documentation, in the order in which Documentation/README.md links them."""
        index = (ROOT / "Documentation/README.md").read_text()
        linked = ["Documentation/README.md", *(
            f"Documentation/{name}" for name in re.findall(r"\]\(([\w-]+\.md)\)", index))]
        found = sorted(path.relative_to(ROOT).as_posix()
                       for path in (ROOT / "Documentation").glob("*.md"))
        return [self.markdown(ROOT / name) for name in dict.fromkeys(
            [name for name in linked if name in found] + found)]

    def codes(self):
        """The pages in folders of Documentation. A title that has a code is its place."""
        paths = sorted((ROOT / "Documentation").glob("*/*.md"))
        names = [self.markdown(path) for path in paths]
        for name in names:
            self.texts[name] = re.sub(
                r"(?m)^#+ .*?(CF\d{4})", r"(\1)=\n\g<0>", self.texts[name])
            self.headers.codes |= set(re.findall(r"(?m)^\((CF\d{4})\)=$", self.texts[name]))
        return names

    def reference(self):
        made = self.headers
        rows = ["The C headers", "=============", ""]
        for name, header in made.headers.items():
            self.texts[f"include/{name.removesuffix('.h')}.rst"] = made.page(name)
            about = header.prose[0][1].partition(": ")[2].partition("\n\n")[0]
            rows += [f":doc:`{name.removesuffix('.h')}`", "   " + " ".join(made.text(about)), ""]
        rows += [".. toctree::", "   :hidden:", "",
                 *(f"   {name.removesuffix('.h')}" for name in made.headers)]
        self.texts["include/index.rst"] = "\n".join(rows) + "\n"

    def targets(self, declarations):
        """The page of each target, which DocC reads as well, below it that of its declarations."""
        modules, parts = [], []
        for path in sorted(ROOT.glob("Sources/*/*.docc/*.md"), key=lambda path: path.stem.lower()):
            name = self.markdown(path)
            page = Path(declarations) / path.name
            if declarations and page.is_file():
                modules.append(name)
                self.texts[f"swift/{path.name}"] = page.read_text()
                self.texts[name] += f"\n[All declarations](/swift/{path.name})\n" + contents(
                    [f"swift/{path.name}"])
            else:
                parts.append(name)
        return {"Swift modules": modules, "Inner parts": parts}

    def all(self, declarations):
        self.markdown(ROOT / "README.md", "index.md")
        lists = {"Guides": self.guides()}
        lists["Reference"] = ["include/index.rst", *self.codes()]
        self.reference()
        lists |= self.targets(declarations)
        lists["Working on Curfew"] = [self.markdown(ROOT / name)
                                      for name in ("CONTRIBUTING.md", "Benchmarks/README.md")]
        listed = {"index.md", *(name for names in lists.values() for name in names)}
        lists["Working on Curfew"] += sorted(
            name for name in self.texts if name.endswith(".md") and name not in listed
            and not name.startswith("swift/"))
        self.texts["index.md"] += "".join(
            contents(names, caption) for caption, names in lists.items() if names)

    def write(self, place):
        contents = {place / name: text.encode() for name, text in self.texts.items()}
        contents |= {place / path.relative_to(ROOT): path.read_bytes() for path in self.files}
        for path, content in contents.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


def collect(app, config):
    pages = Pages()
    pages.all(config.declarations)
    pages.write(Path(app.srcdir))


def edit_link(app, pagename, templatename, context, doctree):
    """The source of a page is what it was made from."""
    source = {"index": "README.md"}.get(pagename, pagename + context.get("page_source_suffix", ""))
    source = re.sub(r"^(include/.*)\.rst$", r"\1.h", source)
    if (ROOT / source).is_file():
        context["theme_source_edit_link"] = _EDIT.format(filename=source)
    else:
        context["page_source_suffix"] = ""  # there is none


def mend_theme(app, exception):
    """Debian 12's furo is not what its authors build: the script imports another one, which browsers
    refuse for files, and nothing follows the reader's dark mode."""
    static = Path(app.outdir, "_static")
    script, style = static / "scripts/furo.js", static / "styles/furo.css"
    if exception or not script.is_file():
        return
    text = script.read_text()
    if text.startswith("import Gumshoe"):
        script.write_text(
            (static / "scripts/gumshoe-patched.js").read_text() + text.partition("\n")[2])
    rules = style.read_text()
    if "prefers-color-scheme" not in rules:
        dark = re.search(r'body\[data-theme="dark"\] (\{.*?\})', rules, re.DOTALL)[1]
        style.write_text(f'{rules}\n@media screen and (prefers-color-scheme: dark) {{\n'
                         f'body[data-theme="auto"] {dark}\n}}\n')


def setup(app):
    app.add_config_value("declarations", "", "env")  # a directory: what modules.py wrote
    app.connect("config-inited", collect)
    app.connect("html-page-context", edit_link)
    app.connect("build-finished", mend_theme)
