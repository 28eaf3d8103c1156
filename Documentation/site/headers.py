# SPDX-License-Identifier: Apache-2.0
"""Reads the public headers with their comments, in the C that they keep to."""
import re
from dataclasses import dataclass, field

# A comment, a directive with its continued lines, a literal, a word, or a sign.
_TOKEN = re.compile(
    r'(?P<comment>/\*.*?\*/)|(?P<directive>^[ \t]*#(?:[^\n\\]|\\.)*(?:\\\n(?:[^\n\\]|\\.)*)*)'
    r'|(?P<word>"(?:[^"\\]|\\.)*"|\w+|\S)', re.DOTALL | re.MULTILINE)
_TAG = re.compile(r"\s*CURFEW_TAG\((\w+),\s*(\w+)\)")
_SKIPPED = ("CURFEW_BEGIN_DECLS", "CURFEW_END_DECLS")


class UnknownText(Exception):
    """Something that the headers did not have until now; this reader has to learn it."""


@dataclass
class Item:
    """A declaration, a macro, a member, or a constant."""
    kind: str  # function, callback, struct, handle, alias, enumeration, macro, statuses, member
    name: str
    text: str  # as it stands in the header, without comments and tags
    comment: str = ""
    tag: tuple | None = None
    parts: list = field(default_factory=list)  # members or constants


@dataclass
class Section:
    """A title, or prose, and what stands below it."""
    title: str
    prose: list = field(default_factory=list)
    items: list = field(default_factory=list)


@dataclass
class Header:
    name: str  # "curfew/ext/thread-check.h"
    sections: list = field(default_factory=list)

    def items(self):
        return [item for section in self.sections for item in section.items]


@dataclass
class Token:
    sort: str
    text: str
    start: int
    line: int
    last_line: int
    begins_line: bool


def _tokens(source):
    tokens = []
    for match in _TOKEN.finditer(source):
        start = match.start()
        line_start = source.rfind("\n", 0, start) + 1
        line = source.count("\n", 0, start) + 1
        tokens.append(Token(
            match.lastgroup, match[0], start, line, line + match[0].count("\n"),
            not source[line_start:start].strip()))
    return tokens


def plain(comment):
    """The text of a comment, without its marks and its indentation."""
    lines = comment.removeprefix("/*").removesuffix("*/").rstrip().split("\n")
    rest = [re.sub(r"^[ \t]*\*? ?", "", line, count=1) if re.match(r"^[ \t]*\*", line)
            else re.sub(r"^[ \t]+", "", line) for line in lines[1:]]
    return "\n".join(line.rstrip() for line in [lines[0].strip(), *rest]).strip("\n")


def _without_comments(text):
    """A declaration as it is shown: comments and tags out, its indentation kept."""
    text = re.sub(r"[ \t]*/\*.*?\*/", "", text, flags=re.DOTALL)
    lines = [line.rstrip() for line in _TAG.sub("", text).split("\n")]
    return "\n".join(line for line in lines if line)


def _statement(tokens, at):
    """The index after the `;` that ends the declaration which begins at `at`."""
    depth = 0
    for index in range(at, len(tokens)):
        if tokens[index].sort == "word":
            depth += (tokens[index].text in "{([") - (tokens[index].text in "})]")
            if tokens[index].text == ";" and depth == 0:
                return index + 1
    raise UnknownText(f"line {tokens[at].line}: the declaration does not end")


def _name(words):
    """What a declaration without a body declares."""
    text = " ".join(words)
    if pointer := re.search(r"\( \* (\w+) \)", text):
        return pointer[1]
    if call := re.search(r"(\w+) \(", text):
        return call[1]
    return re.search(r"(\w+)(?: \[ \w+ \])?(?: = \S+)? [;,}]?$", text + " ")[1]


def _parts(tokens, separator, source):
    """Members or constants, each with the comments before it and behind it on its last line."""
    parts, own, comments, depth = [], [], [], 0
    for token in tokens:
        if token.sort == "comment":
            # Behind a member it is that member's, above one it is the next one's.
            if own or token.begins_line:
                comments.append(plain(token.text))
            elif parts:
                parts[-1].comment = f"{parts[-1].comment}\n{plain(token.text)}".strip()
            continue
        if token.sort == "directive":
            raise UnknownText(f"line {token.line}: a directive among members")
        depth += (token.text in "{([") - (token.text in "})]")
        if token.text == separator and depth == 0:
            parts.append(_part(own, comments, source))
            own, comments = [], []
        else:
            own.append(token)
    if own:
        parts.append(_part(own, comments, source))
    return parts


def _part(tokens, comments, source):
    first, last = tokens[0], tokens[-1]
    text = source[first.start:last.start + len(last.text)]
    tag = _TAG.search(text)
    words = [token.text for token in tokens]
    if tag:
        words = words[:words.index("CURFEW_TAG")]
    return Item("member", _name(words), _without_comments(text), "\n".join(comments),
                tag.groups() if tag else None)


def _declaration(tokens, comment, source):
    first, last = tokens[0], tokens[-1]
    text = source[first.start:last.start + len(last.text)]
    words = [token.text for token in tokens if token.sort == "word"]
    shown, tag = _without_comments(text), None
    if "{" in words:
        inside = tokens[next(i for i, t in enumerate(tokens) if t.text == "{") + 1:
                        max(i for i, t in enumerate(tokens) if t.text == "}")]
        if "enum" in words[:2]:
            if any(token.text == "CURFEW_STATUS_MAP" for token in inside):
                return None  # the constants of the map, which has a table
            parts = _parts(inside, ",", source)
            return Item("enumeration", parts[0].name, shown, comment, None, parts)
        name = words[-2] if words[0] == "typedef" else words[1]
        return Item("struct", name, shown, comment, None, _parts(inside, ";", source))
    if "CURFEW_TAG" in words:
        tag = _TAG.search(text).groups()
        words = words[:words.index("CURFEW_TAG")]
        return Item("callback" if words[0] == "typedef" else "function", _name(words), shown,
                    comment, tag)
    if words[:2] == ["typedef", "struct"]:
        return Item("handle", words[-2], shown, comment)
    if words[0] == "typedef":
        return Item("alias", words[-2], shown, comment)
    raise UnknownText(f"line {first.line}: {text}")


def read(name, source):
    """A header: its sections in order, each with its prose and its declarations."""
    header = Header(name, [Section("")])
    tokens = _tokens(source)
    guard = re.search(r"#ifndef (CURFEW_\w+_H)\n", source)[1]
    undefined = set(re.findall(r"#undef (\w+)", source))
    defined = set()
    pending = None  # a comment, and the line after it
    at = 0

    def prose():
        nonlocal pending
        if pending:
            header.sections[-1].prose.append(pending[0])
        pending = None

    while at < len(tokens):
        token = tokens[at]
        at += 1
        if token.sort == "comment":
            prose()
            text = plain(token.text)
            if title := re.fullmatch(r"--- (.*?) -+", text):
                header.sections.append(Section(title[1]))
            elif not text.startswith("SPDX-"):
                pending = (text, token.last_line + 1)
        elif token.sort == "directive":
            macro = re.match(r"\s*#\s*define\s+(\w+)", token.text)
            if pending and token.line != pending[1] and not macro:
                prose()
            if not macro or macro[1] in defined | undefined | {guard}:
                # A condition between a comment and its macro moves the comment on.
                if pending and re.match(r"\s*#\s*if", token.text) and macro is None:
                    pending = (pending[0], token.last_line + 1)
                continue
            defined.add(macro[1])
            comment = pending[0] if pending and token.line == pending[1] else ""
            if not comment:
                prose()
            pending = None
            kind = "statuses" if macro[1] == "CURFEW_STATUS_MAP" else "macro"
            item = Item(kind, macro[1], token.text.strip(), comment)
            if kind == "statuses":
                item.parts = [
                    Item("member", f"CURFEW_{row[1]}", row[2], row[3]) for row in re.finditer(
                        r'X\((\w+), (\d+), "([^"]*)"\)', token.text)]
            header.sections[-1].items.append(item)
        elif token.text in _SKIPPED:
            prose()
        else:
            end = _statement(tokens, at - 1) if not _is_linkage(tokens, at - 1) else at
            comment = pending[0] if pending and token.line in (pending[1], pending[1] - 1) else ""
            if not comment:
                prose()
            pending = None
            item = _declaration(tokens[at - 1:end], comment, source)
            at = end
            if item is None:
                continue
            items = header.sections[-1].items
            if item.kind == "enumeration" and not comment and items and items[-1].kind == "alias":
                items[-1].parts = item.parts
                items[-1].text += "\n" + item.text
            else:
                items.append(item)
    prose()
    return header


def _is_linkage(tokens, at):
    return tokens[at].text == "extern"


def tag_words(types_header):
    """What each thread and state of a CURFEW_TAG means, as the comment in types.h lists them."""
    meanings = {}
    for title in ("thread", "state"):
        block = re.search(rf"\n \* {title}, exactly one of:\n((?: \*   .*\n)+)", types_header)[1]
        rows = re.sub(r"\n \*    +(?! )", " ", "\n" + block)
        meanings[title] = {
            row[1]: " ".join(row[2].split())
            for row in re.finditer(r"\n \*   (\w+)\s+(.*)", rows)}
    return meanings
