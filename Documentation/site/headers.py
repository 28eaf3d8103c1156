# SPDX-License-Identifier: Apache-2.0
"""Reads the public headers with clang, and writes each as a page of Sphinx' C domain.

    headers.py include .build/reference

A declaration stands on its page as it stands in the header. The comment above it, or behind it on its
last line, is its text; every other comment is prose between the declarations. A name of Curfew's that
no header declares is an error."""
import pathlib
import re
import sys
import textwrap
from dataclasses import dataclass, field

from clang import cindex  # Debian: python3-clang

_TAG = re.compile(rb"\s*CURFEW_TAG\((\w+),\s*(\w+)\)")
_STATUS = re.compile(r'X\((\w+), (\d+), "([^"]*)"\)')
# Between a comment and its declaration: no blank line, but the conditions of a macro.
_ADJACENT = re.compile(rb"[ \t]*\n?(?:[ \t]*#[^\n]*\n)*[ \t]*(?:#[ \t]*define[ \t]+)?")
_KINDS = {"FUNCTION_DECL", "TYPEDEF_DECL", "STRUCT_DECL", "UNION_DECL", "ENUM_DECL",
          "MACRO_DEFINITION"}
_PARTS = {"FIELD_DECL", "ENUM_CONSTANT_DECL"}


@dataclass
class Item:
    """A declaration or a macro, or a part of one: a member, a constant."""
    directive: str
    name: str
    text: str  # as it stands in the header, without comments
    start: int
    end: int
    tag: tuple = ()
    comment: str = ""
    parts: list = field(default_factory=list)


class Header:
    """One header: its items in their order, and the comments that belong to none of them."""

    def __init__(self, path, include):
        self.name = path.relative_to(include).as_posix()
        self.source = path.read_bytes()  # clang counts in bytes
        unit = cindex.Index.create().parse(
            # Where pointers are assumed not to be null, extents of function pointers are too short.
            str(path), ["-xc", "-std=c11", f"-I{include}", "-w", "-D_Pragma(text)="],
            options=cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD)
        if unit.diagnostics:
            raise ValueError(f"{self.name}: {unit.diagnostics[0]}")
        hidden = re.findall(r"#(?:undef|ifndef(?=.*_H\n)) (\w+)", self.source.decode())
        self.items = []
        for cursor in sorted(unit.cursor.get_children(),
                             key=lambda each: each.extent.start.offset):
            if cursor.kind.name not in _KINDS or cursor.spelling in hidden \
                    or str(cursor.location.file) != str(path):
                continue
            item = self._item(cursor)
            # `typedef struct name { … } name` is one item. Constants that a macro makes stand with it.
            is_inside = self.items and item.start < self.items[-1].end
            is_made = len(item.parts) > 1 \
                and item.start < item.parts[0].start == item.parts[-1].start
            if not is_inside and not is_made:
                self.items.append(item)
        self.prose = []  # (place, text)
        for token in unit.get_tokens(extent=unit.cursor.extent):
            if token.kind == cindex.TokenKind.COMMENT and "SPDX-License" not in token.spelling:
                self._attach(token)

    def _item(self, cursor):
        body = next((child for child in [cursor, *cursor.get_children()] if child.is_definition()
                     and child.kind.name in ("STRUCT_DECL", "UNION_DECL", "ENUM_DECL")), None)
        parts = [self._item(child) for child in (body.get_children() if body else ())
                 if child.kind.name in _PARTS]
        start, end = cursor.extent.start.offset, cursor.extent.end.offset
        text = re.sub(r"/\*.*?\*/", "", self.source[start:end].decode(), flags=re.DOTALL)
        name, kind = cursor.spelling, cursor.kind.name
        if kind == "MACRO_DEFINITION":
            arguments = re.match(r"\w+(\([^)]*\))?", text)[0]
            item = Item("macro", name, arguments, start, end)
            item.parts = [
                Item("enumerator", f"CURFEW_{row[1]}", f"CURFEW_{row[1]} = {row[2]}", start, start,
                     comment=f"“{row[3]}”" + f" (CF{int(row[2]):04})" * (row[2] != "0"))
                for row in _STATUS.finditer(text)]
            return item
        text = " ".join(text.replace("\\\n", " ").split())
        directive = {"FUNCTION_DECL": "function", "FIELD_DECL": "member",
                     "ENUM_CONSTANT_DECL": "enumerator"}.get(kind, "type")
        if body:
            directive, text = ("enum", "") if body.kind.name == "ENUM_DECL" else ("struct", name)
        elif kind == "ENUM_CONSTANT_DECL":
            text = f"{name} = {cursor.enum_value}"
        elif kind == "STRUCT_DECL" or re.fullmatch(r"typedef struct (\w+) \1", text):
            text = name
        tag = _TAG.match(self.source, end)
        return Item(directive, name, text.removeprefix("typedef "), start, end,
                    tag.groups() if tag else (), "", parts)

    def _attach(self, token):
        """Gives a comment to its item, or to the prose."""
        start, end, text = token.extent.start.offset, token.extent.end.offset, plain(token.spelling)
        named = [item for top in self.items for item in [top, *top.parts]]
        line = self.source[self.source.rfind(b"\n", 0, start) + 1:start]
        if line.startswith(b"#") or any(
                item.start < start < item.end and not item.parts for item in named):
            return  # of a guard's #endif, or inside of a declaration
        before = max((item for item in named if item.end <= start), key=lambda item: item.end,
                     default=None)
        after = min((item for item in named if item.start >= end), key=lambda item: item.start,
                    default=None)
        if before and b"\n" not in self.source[before.end:start]:
            before.comment = f"{before.comment}\n{text}".strip("\n")
        elif after and _ADJACENT.fullmatch(self.source[end:after.start]):
            after.comment = f"{after.comment}\n{text}".strip("\n")
        else:
            self.prose.append((start, text))


def plain(comment):
    """The text of a comment, without its marks and its indentation."""
    first, *rest = comment.removeprefix("/*").removesuffix("*/").rstrip().split("\n")
    rest = [re.sub(r"^[ \t]*\* ?", "", line) if re.match(r"[ \t]*\*", line) else line.strip()
            for line in rest]
    return "\n".join(line.rstrip() for line in [first.strip(), *rest]).strip("\n")


def tag_words(types_header):
    """{"thread": {word: meaning}, "state": …}, as the comment in types.h lists them."""
    meanings = {}
    for title in ("thread", "state"):
        block = re.search(rf"\n \* {title}, exactly one of:\n((?: \*   .*\n)+)", types_header)[1]
        rows = re.sub(r"\n \*    +(?! )", " ", "\n" + block)
        meanings[title] = {row[1]: row[2] for row in re.finditer(r"\n \*   (\w+)\s+(.*)", rows)}
    return meanings


# --- Text ----------------------------------------------------------------------------------------

_DECLARED = r"(?:api->(?P<member>\w+)|(?P<name>(?:curfew|CURFEW)_\w*[A-Za-z0-9]))\b"
_LINKED = re.compile(
    rf"(?P<tick>`)?\b{_DECLARED}(?(tick)`)(?!:)|`(?P<literal>[^`\n]+)`"
    r"|\b(?:curfew/)?(?P<header>(?:ext/)?[a-z-]+\.h)\b|\b(?P<code>CF\d{4})\b")
# Of the environment: no header declares them.
_VARIABLES = {"CURFEW_PLUGIN_PATH", "CURFEW_PLUGIN_COPIES"}


class Pages:
    """The headers of a directory, as pages in reStructuredText."""

    def __init__(self, include):
        # Those in folders come last.
        paths = sorted(include.glob("curfew/**/*.h"), key=lambda path: (len(path.parts), path))
        self.headers = {header.name: header for header in (Header(p, include) for p in paths)}
        self.words = tag_words((include / "curfew/types.h").read_text())
        items = [item for header in self.headers.values() for item in header.items]
        self.structures = {item.name for item in items if item.directive == "struct"}
        self.names = {item.name for item in items} | {
            f"{item.name}.{part.name}" if item.directive == "struct" else part.name
            for item in items for part in item.parts}
        self.unknown = []
        self.current = ""
        self.codes = set()  # that have a place of their own: CF0006

    def page(self, name):
        header, self.current = self.headers[name], name  # whose name leads nowhere
        out = [name, "=" * len(name), "", ".. code-block:: c", "", f"   #include <{name}>", ""]
        functions = [item.name for item in header.items if item.directive == "function"]
        (_, about), *prose = header.prose
        about = about.removeprefix(f"{name}: ")
        out += [*self.text(about[:1].upper() + about[1:]), ""]
        if len(functions) > 3:
            out += [" · ".join(f":c:func:`{name}`" for name in functions), ""]
        stream = [(item.start, item) for item in header.items] + prose
        for _, each in sorted(stream, key=lambda pair: pair[0]):
            if isinstance(each, Item):
                out += self._item(each, header)
            elif title := re.fullmatch(r"--- (.*?) -+", each):
                out += [title[1], "-" * len(title[1]), ""]
            else:
                out += [*self.text(each), ""]
        return "\n".join(out) + "\n"

    def _item(self, item, header):
        content = []
        if item.tag:
            content += [" ".join(
                f"*{title.capitalize()}* ``{word.decode()}``:"
                f" {self._line(self.words[title][word.decode()])}."
                for title, word in zip(("thread", "state"), item.tag)), ""]
        content += self.text(item.comment) if item.comment else []
        if item.directive == "macro" and not item.parts:
            text = "#define " + header.source[item.start:item.end].decode()
            content += ["", ".. code-block:: c", "", *textwrap.indent(text, "   ").split("\n")]
        parts = [line for part in item.parts for line in self._item(part, header)]
        if item.directive == "enum":
            return [*content, "", ".. container:: constants", "", *_indented(parts)]
        if item.directive == "type" and item.name in self.structures:  # declared elsewhere
            return [f":c:struct:`{item.name}`", *_indented(content), ""]
        out = [f".. c:{item.directive}:: {item.text}", "", *_indented(content), ""]
        if item.directive == "macro" and parts:
            return [*out, ".. container:: constants", "", *_indented(parts)]
        return [*out, *_indented(parts)]

    def text(self, comment):
        """A comment: paragraphs, lists, meanings of names, code."""
        self.unknown += [f"{self.current}: there is no {name}"
                         for match in re.finditer(rf"\b{_DECLARED}(?!:)", comment)
                         if (name := _declared(match)) not in self.names | _VARIABLES]
        out, sort = [], ""
        for line in comment.split("\n"):
            bullet = re.match(r" ?- (.*)", line)
            meaning = re.match(r"([a-z_]+(?:, [a-z_]+)*):(?: +(.*)|$)", line)
            if not line.strip():
                out.append("")
                sort = sort if sort == "code" else ""
            elif sort != "code" and bullet:
                out += [""] * (sort != "bullet") + ["- " + self._line(bullet[1])]
                sort = "bullet"
            elif meaning and sort in ("", "meaning"):
                out += [""] * (not sort) + [
                    f"``{meaning[1]}``", "   " + self._line(meaning[2] or "")]
                sort = "meaning"
            elif line.startswith("  ") and sort in ("bullet", "meaning"):
                out.append(("  " if sort == "bullet" else "   ") + self._line(line.strip()))
            elif line.startswith("  "):
                out += (["", "::", ""] if sort != "code" else []) + ["   " + line]
                sort = "code"
            else:
                out += ([""] if sort not in ("", "text") else []) + [self._line(line)]
                sort = "text"
        return out

    def _line(self, text):
        parts, end = [], 0
        for match in _LINKED.finditer(text):
            parts += [_escaped(text[end:match.start()]), self._link(match)]
            end = match.end()
        return "".join([*parts, _escaped(text[end:])])

    def _link(self, match):
        name = _declared(match)
        if name and name not in _VARIABLES:
            return rf"\ :c:member:`{match[0].strip('`')} <{name}>`\ "
        header = match["header"] and f"curfew/{match['header']}"
        if header in self.headers and header != self.current:
            return rf"\ :doc:`{match[0]} </include/{header.removesuffix('.h')}>`\ "
        if match["code"] in self.codes:
            return rf"\ :ref:`{match[0]} <{match[0]}>`\ "
        return rf"\ ``{match['literal']}``\ " if match["literal"] else _escaped(match[0])


def _declared(match):
    return f"curfew_host_api.{match['member']}" if match["member"] else match["name"]


def _escaped(text):
    return re.sub(r"([\\*|_`])", r"\\\1", text)


def _indented(lines):
    return [f"   {line}" if line else "" for line in lines]


def main():
    include, output = map(pathlib.Path, sys.argv[1:])
    pages = Pages(include)
    for name in pages.headers:
        path = output / f"{name.removesuffix('.h')}.rst"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(pages.page(name))
    if pages.unknown:
        sys.exit("\n".join(pages.unknown))


if __name__ == "__main__":
    main()
