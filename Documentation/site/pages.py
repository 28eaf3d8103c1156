# SPDX-License-Identifier: Apache-2.0
"""Writes the reference: a page for each header, and one for the codes of errors."""
import html
import re
import textwrap

_NAME = re.compile(
    r"\bapi->(?P<member>\w+)|\b(?P<name>(?:curfew|CURFEW)_\w*[A-Za-z0-9])\b"
    r"|\b(?P<header>(?:curfew/)?(?:ext/)?[a-z-]+\.h)\b")
# Names that a comment may have though no header declares them.
_ELSEWHERE = {
    "CURFEW_PLUGIN_PATH", "CURFEW_PLUGIN_COPIES",  # of the environment
    "CURFEW_OUTCOME", "CURFEW_THREAD", "CURFEW_LOG",  # what several constants begin with
}
_KINDS = {
    "function": "function", "callback": "function type", "struct": "structure",
    "handle": "handle", "alias": "type", "enumeration": "constants", "macro": "macro",
    "statuses": "statuses",
}


class Reference:
    """All headers, and where each name of theirs stands."""

    def __init__(self, headers, tag_words, codes):
        self.headers = headers
        self.tag_words = tag_words
        self.codes = codes  # by number; empty where no command said them
        self.unknown = []
        self.places = {}
        self.pages = {header.name: page_name(header.name) for header in headers}
        for header in headers:
            for item in header.items():
                if item.kind == "handle" and item.name in self._structs():
                    continue
                for name in [item.name, *anchors(item)]:
                    self.places[name] = f"{self.pages[header.name]}#{name}"

    def _structs(self):
        return {i.name for h in self.headers for i in h.items() if i.kind == "struct"}

    # --- Text --------------------------------------------------------------------------------

    def linked(self, text, place):
        """Text as HTML, in which the names of declarations lead to them.

        Names that nothing declares are wrong; without a place that is nobody's concern."""
        parts, end = [], 0
        for match in _NAME.finditer(text):
            parts.append(html.escape(text[end:match.start()], quote=False))
            parts.append(self._link(match, place))
            end = match.end()
        made = "".join(parts) + html.escape(text[end:], quote=False)
        return re.sub(r"`([^`\n]+)`", r"<code>\1</code>", made)

    def _link(self, match, place):
        word = html.escape(match[0], quote=False)
        if match["header"]:
            name = match["header"].removeprefix("curfew/")
            page = self.pages.get(f"curfew/{name}")
            return f'<a href="{page}">{word}</a>' if page else word
        name = f"curfew_host_api.{match['member']}" if match["member"] else match["name"]
        if name in self.places:
            return f'<a href="{self.places[name]}">{word}</a>'
        # What ends with a colon is the selector of an event.
        is_event = match.string[match.end():][:1] == ":" and name.islower()
        if place and not is_event and name not in _ELSEWHERE:
            self.unknown.append(f"{place}: there is no {name}")
        return word

    def prose(self, text, place):
        """The text of a comment as HTML: paragraphs, lists, meanings of names, code."""
        out = []
        for block in re.split(r"\n\s*\n", text):
            lines = block.split("\n")
            if all(line.startswith("  ") for line in lines):
                joined = self.linked(textwrap.dedent("\n".join(lines)), place)
                if out and out[-1].startswith("<pre>"):
                    out[-1] = f"{out[-1][:-6]}\n\n{joined}</pre>"
                else:
                    out.append(f"<pre>{joined}</pre>")
                continue
            out += self._paragraphs(lines, place)
        return "\n".join(out)

    def _paragraphs(self, lines, place):
        groups = []  # [sort, head, text lines]
        for line in lines:
            bullet = re.match(r" ?- (.*)", line)
            meaning = re.match(r"([a-z_]+(?:, [a-z_]+)*):(?: +(.*)|$)", line)
            if bullet:
                groups.append(["li", "", [bullet[1]]])
            elif meaning and (not groups or groups[-1][0] == "dd"):
                groups.append(["dd", meaning[1], [meaning[2] or ""]])
            elif line.startswith("  ") and groups and groups[-1][0] in ("li", "dd"):
                groups[-1][2].append(line.strip())
            elif line.startswith("  "):
                if groups and groups[-1][0] == "pre":
                    groups[-1][2].append(line)
                else:
                    groups.append(["pre", "", [line]])
            elif groups and groups[-1][0] == "p":
                groups[-1][2].append(line)
            else:
                groups.append(["p", "", [line]])
        out, open_list = [], ""
        for sort, head, text in groups:
            list_name = {"li": "ul", "dd": "dl"}.get(sort, "")
            if list_name != open_list:
                out += [f"</{open_list}>"] * bool(open_list) + [f"<{list_name}>"] * bool(list_name)
                open_list = list_name
            body = self.linked(
                textwrap.dedent("\n".join(text)) if sort == "pre" else " ".join(text), place)
            term = f"<dt>{html.escape(head)}:</dt>" if head else ""
            out.append(f"{term}<{sort}>{body}</{sort}>")
        return out + [f"</{open_list}>"] * bool(open_list)

    # --- Pages -------------------------------------------------------------------------------

    def page(self, header):
        place = header.name
        out = [f"<h1>{header.name}</h1>",
               f'<p class="include"><code>#include &lt;{header.name}&gt;</code></p>']
        contents = []
        for section in header.sections:
            if section.title:
                anchor = re.sub(r"\W+", "-", section.title.lower()).strip("-")
                out.append(f'<h2 class="title" id="section-{anchor}">{section.title}</h2>')
                contents.append(f'<li class="title"><a href="#section-{anchor}">'
                                f"{section.title}</a></li>")
            for text in section.prose:
                # The first line repeats the name of the page, which links to itself.
                out.append(f'<div class="prose">{self.prose(text, place)}</div>')
            for item in section.items:
                out.append(self._item(item, f"{place}: {item.name}"))
                if self.places.get(item.name, "").startswith(self.pages[header.name]):
                    contents.append(f'<li><a href="#{item.name}">{item.name}</a></li>')
        return "\n".join(out), "\n".join(dict.fromkeys(contents))

    def _item(self, item, place):
        forward = item.kind == "handle" and item.name in self._structs()
        anchor = "" if forward else f' id="{item.name}"'
        out = [f'<section class="item"{anchor}>',
               f'<h3>{item.name} <span class="kind">{_KINDS[item.kind]}</span></h3>']
        if item.kind != "statuses":
            out.append(f'<pre class="signature">{self._signature(item)}</pre>')
        if item.tag:
            out.append(self._tag(item.tag))
        if item.comment:
            out.append(f'<div class="comment">{self.prose(item.comment, place)}</div>')
        if item.kind == "statuses":
            out.append(self._statuses(item))
        elif item.kind == "struct":
            out.append(self._members(item, place))
        elif item.parts:
            out.append(self._constants(item, place))
        return "\n".join([*out, "</section>"])

    def _signature(self, item):
        # What a structure is made of stands below, with its comments.
        text = re.sub(r"\{.*\}", "{ … }", item.text, count=1, flags=re.DOTALL) \
            if item.kind in ("struct", "enumeration", "alias") else item.text
        if item.kind == "alias":
            text = text.split("\n")[0]
        return self.linked(text, None)  # what is only inside of it has no name outside

    def _tag(self, tag):
        thread, state = (self.tag_words[title][word]
                         for title, word in zip(("thread", "state"), tag))
        return (f'<p class="tag"><b>Thread</b> <code>{tag[0]}</code>: {self.linked(thread, "tag")}.'
                f' <b>State</b> <code>{tag[1]}</code>: {self.linked(state, "tag")}.</p>')

    def _members(self, item, place):
        rows = []
        for part in item.parts:
            name = f"{item.name}.{part.name}"
            tag = self._tag(part.tag) if part.tag else ""
            comment = self.prose(part.comment, f"{place}.{part.name}") if part.comment else ""
            text = re.sub(r"\s+", " ", part.text)  # the cell has another width than the header
            rows.append(f'<tr id="{name}"><td><pre>{self.linked(text, place)}</pre></td>'
                        f"<td>{tag}{comment}</td></tr>")
        return "<table>" + "\n".join(rows) + "</table>"

    def _constants(self, item, place):
        rows = []
        for part in item.parts:
            anchor = "" if part.name == item.name else f' id="{part.name}"'
            comment = self.prose(part.comment, place) if part.comment else ""
            value = part.text.partition("=")[2].strip()
            rows.append(f"<tr{anchor}><td><code>{part.name}</code></td><td>{value}</td>"
                        f"<td>{comment}</td></tr>")
        return "<table>" + "\n".join(rows) + "</table>"

    def _statuses(self, item):
        rows = []
        for part in item.parts:
            code = f"CF{int(part.text):04}"
            shown = f'<a href="codes.html#{code}">{code}</a>' if int(part.text) in self.codes else (
                code if part.text != "0" else "")
            rows.append(f'<tr id="{part.name}"><td><code>{part.name}</code></td>'
                        f"<td>{part.text}</td><td>{shown}</td>"
                        f"<td>{html.escape(part.comment, quote=False)}</td></tr>")
        return ("<table><tr><th>constant</th><th>value</th><th>code</th><th>text</th></tr>"
                + "\n".join(rows) + "</table>")

    def codes_page(self):
        """What `curfew explain` says of each code."""
        out = ["<h1>Codes</h1>",
               "<p>What stands in the brackets of an error, or at the beginning of a line of the "
               "log. <code>curfew explain CF0704</code> says the same.</p>"]
        contents = []
        for fault in self.codes.values():
            code = fault["code"]
            answer = fault.get("status")
            status = f' · answers <a href="{self.places[answer]}">{answer}</a>' if answer else ""
            text = "".join(f"<p>{html.escape(part, quote=False)}</p>"
                           for part in fault["explanation"].split("\n\n"))
            text = re.sub(r"`([^`]+)`", r"<code>\1</code>", text)
            out.append(f'<section class="item" id="{code}"><h3>{code} '
                       f'<span class="kind">{fault["name"]}{status}</span></h3>'
                       f'<p><b>{html.escape(fault["text"], quote=False)}</b></p>{text}</section>')
            contents.append(f'<li><a href="#{code}">{code} {fault["name"]}</a></li>')
        return "\n".join(out), "\n".join(contents)


def page_name(header):
    """`curfew/ext/thread-check.h` → `ext-thread-check.html`"""
    return header.removeprefix("curfew/").removesuffix(".h").replace("/", "-") + ".html"


def anchors(item):
    """The names below a declaration that can be linked to."""
    if item.kind == "struct":
        return [f"{item.name}.{part.name}" for part in item.parts]
    return [part.name for part in item.parts]
