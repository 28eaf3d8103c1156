#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the web page of a host in a browser.

usage: page.py URL [--only WORD] [--restart COMMAND] [--screenshots DIR] [--browser PATH]

URL is a link that signs in, as `curfew web --json` prints it, or the root of a server without sign-in.
The link works once: all checks share its session. One line is printed for each check; the exit status
is 1 if one failed. A check that needs what the server does not have, such as a request, is skipped and
says so. Requests to change something are answered by the checks themselves and never reach the host,
but for a few requests that run /bin/true.

With --restart the last check runs COMMAND, which kills the host and starts it again at the same
address. With --screenshots the views are saved as pictures in DIR, in three widths, light and dark.

Needs Playwright and Debian's chromium; with axe-playwright-python the rules of axe-core are checked as well
(pip install playwright axe-playwright-python).
"""

import argparse
import json
import os
import re
import subprocess
import sys
import threading
import time
import traceback
import urllib.parse

from playwright.sync_api import Error, sync_playwright

try:
    from axe_playwright_python.sync_playwright import Axe
except ImportError:
    Axe = None

VIEWS = ["", "requests", "handlers", "schedules", "plugins", "hosts", "factors", "health"]
TITLES = ["Overview", "Requests", "Handlers", "Schedules", "Plugins", "Hosts", "Factors", "Health"]
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
FORBIDDEN = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|setAttribute\(\"style|https?://(?!www\.w3\.org/2000/svg)"
)
HOSTILE = "<img src=x onerror=alert(1)>\u202e\u0000\u2066\u0085\U0001f600\ud800."
HOSTILE_SHOWN = "<img src=x onerror=alert(1)>\\u202e\u2400\\u2066\\u0085\U0001f600\\ud800."

# Counts the streams that are open, and lets a check send events as the host would.
WATCH = """
window.streams = [];
window.EventSource = class extends EventSource {
  constructor(...args) { super(...args); window.streams.push(this); }
};
window.openStreams = () => window.streams.filter((stream) => stream.readyState !== 2).length;
window.send = (kind, entry) => window.streams.at(-1).dispatchEvent(new MessageEvent(kind, { data: JSON.stringify(entry) }));
"""

CONTRAST = """
() => {
  const channel = (value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  const parse = (text) => { const n = text.match(/[\\d.]+/g).map(Number); return { rgb: n.slice(0, 3), alpha: n[3] ?? 1 }; };
  const light = ([r, g, b]) => 0.2126 * channel(r / 255) + 0.7152 * channel(g / 255) + 0.0722 * channel(b / 255);
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const { rgb, alpha } = parse(getComputedStyle(at).backgroundColor);
      if (alpha > 0.99) return rgb;
    }
    return [255, 255, 255];
  };
  const low = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.nodeValue.trim() || !element.checkVisibility() || element.closest(".unseen, noscript, title, desc, option, .skip")) continue;
    const style = getComputedStyle(element);
    const text = parse(element.closest("svg") ? style.fill : style.color).rgb;
    const [a, b] = [light(text), light(ground(element))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) low.push(`${ratio.toFixed(2)} ${element.tagName}.${element.getAttribute("class")} ${walker.currentNode.nodeValue.trim().slice(0, 30)}`);
  }
  return low;
}
"""

STRUCTURE = """
() => {
  const wrong = [];
  for (const table of document.querySelectorAll("main table")) {
    if (!table.caption?.textContent.trim()) wrong.push("a table without a caption");
    for (const cell of table.querySelectorAll("th")) if (!cell.scope) wrong.push("a th without a scope");
  }
  for (const svg of document.querySelectorAll("main svg.chart")) {
    if (!svg.querySelector(":scope > title")) wrong.push("a chart without a title");
    if (!svg.matches(".gauge") && !svg.querySelector(":scope > desc")) wrong.push("a chart without a description");
  }
  for (const control of document.querySelectorAll("button, a[href], input, select")) {
    const name = control.getAttribute("aria-label") || control.labels?.[0]?.textContent || control.textContent;
    if (!name.trim()) wrong.push(`a ${control.tagName} without a name`);
  }
  for (const time of document.querySelectorAll("time")) if (!time.dateTime || !time.title) wrong.push("a date without its absolute");
  if (document.querySelectorAll("h1").length !== 1) wrong.push("not one h1");
  if (document.querySelectorAll("[style]").length > 0) wrong.push("an inline style");
  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  if (new Set(ids).size !== ids.length) wrong.push("an id twice");
  if (document.querySelectorAll("button").length > 0 && !document.querySelector("[data-copy]")) wrong.push("no command to copy");
  return wrong;
}
"""

LABELS = """
() => {
  const wrong = [];
  for (const svg of document.querySelectorAll("svg.chart")) {
    const frame = svg.getBoundingClientRect();
    const boxes = [...svg.querySelectorAll("text")].map((text) => [text.textContent, text.getBoundingClientRect()]);
    boxes.forEach(([name, box], index) => {
      if (box.left < frame.left - 1 || box.right > frame.right + 1) wrong.push(`${name} is cut`);
      for (const [other, its] of boxes.slice(index + 1)) {
        const isApart = box.right <= its.left || its.right <= box.left || box.bottom - 3 <= its.top || its.bottom - 3 <= box.top;
        if (!isApart) wrong.push(`${name} on ${other}`);
      }
    });
  }
  return wrong;
}
"""


class Skipped(Exception):
    pass


class Checks:
    def __init__(self, browser, url, restart=None, screenshots=None):
        self.browser, self.url, self.restart, self.screenshots = browser, url, restart, screenshots
        parts = urllib.parse.urlsplit(url)
        self.base = f"{parts.scheme}://{parts.netloc}/"
        self.has_session = bool(parts.query)
        self.session = None
        self.problems = []
        self.contexts = []

    def sign_in(self):
        """Opens the link, and keeps the cookie of its session for all checks."""
        context = self.browser.new_context()
        response = context.new_page().goto(self.url)
        assert response.ok, f"the link answers with status {response.status}: {response.text().strip()}"
        self.session = context.storage_state()
        context.close()

    # What the checks use

    def page(self, view="", width=1000, rights=None, routes=(), **options):
        """Opens a view in a browser of its own. `routes` are (pattern, handler)."""
        context = self.browser.new_context(
            viewport={"width": width, "height": 800},
            timezone_id="Europe/Berlin",
            storage_state=self.session,
            **options,
        )
        self.contexts.append(context)
        context.add_init_script(WATCH)
        page = context.new_page()
        page.on("pageerror", lambda error: self.problems.append(f"page error: {error}"))
        page.on("console", self.note)
        page.on("dialog", lambda dialog: (self.problems.append("a dialog of the browser"), dialog.dismiss()))
        if rights is not None:
            person = {"user": "alice", "number": 1000, "rights": rights}
            page.route("**/v1/me", lambda route: route.fulfill(json=person))
        for pattern, handler in routes:
            page.route(pattern, handler)
        page.goto(self.base + (f"#/{view}" if view else ""))
        if options.get("java_script_enabled", True):
            self.settle(page)
        return page

    def note(self, message):
        """Keeps what the browser reports: errors of the page, and breaches of its policy."""
        # A host that is degraded says so with status 503, which the browser reports by itself.
        if message.type in ("error", "warning") and not message.location["url"].endswith("/v1/health"):
            self.problems.append(message.text)

    @staticmethod
    def wait(page, expression, arg=None, timeout=6):
        """Waits until an expression is true. The browser's own way would evaluate text, which the policy of the page forbids."""
        end = time.monotonic() + timeout
        while not page.evaluate(expression, arg):
            assert time.monotonic() < end, f"in vain for {timeout} s: {expression}"
            page.wait_for_timeout(50)

    def settle(self, page):
        self.wait(
            page,
            "document.querySelector('h1') && !document.querySelector('main').textContent.includes('Loading…')",
        )
        page.wait_for_timeout(80)

    def get(self, page, path):
        return page.evaluate(
            "async (path) => { const r = await fetch('/v1/' + path); return r.ok || r.status === 503 ? r.json() : null; }",
            path,
        )

    def some_request(self, page, query="limit=1"):
        found = self.get(page, f"requests?{query}")
        if not found or not found["requests"]:
            raise Skipped("there is no request")
        return found["requests"][0]

    def submit(self, page, *arguments, **members):
        """Submits a request that runs /bin/true, as the person who looks."""
        status, answer = page.evaluate(
            "async (body) => { const r = await fetch('/v1/requests', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }); return [r.status, await r.json()]; }",
            {"command": ["/bin/true", *arguments], "directory": "/", **members},
        )
        if status not in (200, 201):
            self.forgive("status of")
            raise Skipped(f"a request cannot be submitted: {answer}")
        return answer

    def forgive(self, *words):
        """Takes away what the browser reports by itself of answers that a check provokes."""
        self.problems = [text for text in self.problems if not any(word in text for word in words)]

    @staticmethod
    def fake(**changes):
        request = {
            "id": 1,
            "identifier": "org.example.mirror",
            "kind": "processing",
            "state": "pending",
            "due": "2026-01-01T00:00:00.000Z",
            "reason": "submitted",
            "earliest": None,
            "latest": None,
            "needs": [],
            "priority": "normal",
            "opportunistic": "no",
            "atMost": None,
            "onPending": "add",
            "key": None,
            "retry": {"attempts": 1, "backOff": 0, "longest": 0},
            "repetition": None,
            "submitted": "2026-01-01T00:00:00.000Z",
            "changed": "2026-01-01T00:00:00.000Z",
            "attempts": 0,
            "launches": 0,
            "crashes": 0,
            "outcome": None,
            "payloadBytes": 3,
            "owner": None,
            "argv": None,
        }
        return {**request, **changes}

    @classmethod
    def listing(cls, requests, more=0, next=None):
        return {"store": "/s", "host": None, "requests": requests, "more": more, "next": next}

    # The checks

    def check_headers(self):
        page = self.page()
        for path in ("", "page/app.js", "page/page.css"):
            headers = page.request.get(self.base + path).headers
            assert headers.get("content-security-policy") == POLICY, (
                f"/{path}: {headers.get('content-security-policy')}"
            )
            assert headers.get("x-content-type-options") == "nosniff", path
            assert headers.get("referrer-policy") == "no-referrer", path

    def check_sources_write_no_markup(self):
        page = self.page()
        seen, todo, size = set(), ["page/app.js", "page/page.css", ""], 0
        while todo:
            name = todo.pop()
            if name in seen:
                continue
            seen.add(name)
            text = page.request.get(self.base + name).text()
            size += len(text.encode())
            assert "SPDX-License-Identifier: Apache-2.0" in text[:120], name
            found = FORBIDDEN.search(text)
            assert not found, f"{name}: {found.group(0)}"
            todo += ["page/" + other for other in re.findall(r'from "\./([a-z-]+\.js)"', text)]
        assert size < 165_000, f"{size} bytes"
        return f"{len(seen)} files, {size} bytes"

    def check_views(self):
        page = self.page(permissions=["clipboard-read", "clipboard-write"])
        for view, title in zip(VIEWS, TITLES):
            page.goto(f"{self.base}#/{view}")
            self.wait(page, "(title) => document.querySelector('h1')?.textContent === title", arg=title)
            self.settle(page)
            assert page.title() == f"{title} – Curfew", page.title()
            assert page.locator("nav [aria-current=page]").inner_text() == title
            wrong = page.evaluate(STRUCTURE)
            assert not wrong, f"{title}: {wrong[:3]}"
            line = page.locator(".command code").inner_text()
            assert line.startswith("curfew "), line
            page.click("[data-copy]")
            self.wait(page, "document.getElementById('announcement').textContent === 'The command is copied'")
            assert page.evaluate("navigator.clipboard.readText()") == line
        page.goto(f"{self.base}#/nowhere")
        self.wait(page, "document.querySelector('h1').textContent === 'There is no such view'")

    def check_one_request(self):
        page = self.page()
        request = self.some_request(page)
        page.goto(f"{self.base}#/requests/{request['id']}")
        self.wait(page, "document.querySelector('.timeline')")
        wrong = page.evaluate(STRUCTURE)
        assert not wrong, wrong[:3]
        detail = self.get(page, f"requests/{request['id']}")
        shown = page.locator(".timeline li").count()
        assert shown >= min(len(detail["journal"]), 215), f"{shown} of {len(detail['journal'])} entries"
        page.goto(f"{self.base}#/requests/999999999")
        self.wait(page, "document.querySelector('.notice')")
        assert "no request" in page.locator(".notice").inner_text()
        # The browser reports an answer 404 by itself.
        self.forgive("404")

    def check_layout(self):
        """Walks through all views in three widths, light and dark; takes their pictures if asked."""
        page = self.page()
        views = {name or "overview": name for name in VIEWS}
        try:
            views["request"] = f"requests/{self.some_request(page, 'state=failed,succeeded&limit=1')['id']}"
            views["waiting"] = f"requests/{self.some_request(page, 'state=pending&limit=1')['id']}"
        except Skipped:
            pass
        for handler in self.get(page, "handlers")["handlers"][:1]:
            views["handler"] = "handlers/" + urllib.parse.quote(handler["identifier"], safe="")
        if self.screenshots:
            os.makedirs(self.screenshots, exist_ok=True)
        # A person who uses the mouse sees no frame around the heading.
        sizes = [(width, theme) for width in (320, 800, 1600) for theme in ("light", "dark")]
        # Without pictures each width is seen in one theme.
        for width, theme in sizes if self.screenshots else sizes[::2][:2] + sizes[5:]:
            page = self.page(width=width, color_scheme=theme)
            for name, view in views.items():
                where = f"{name} at {width}, {theme}"
                page.goto(f"{self.base}#/{view}")
                self.settle(page)
                page.evaluate("document.activeElement.blur()")
                over = page.evaluate(
                    "Math.round(document.documentElement.scrollWidth - document.body.getBoundingClientRect().width)"
                )
                assert over <= 0, f"{where}: {over} pixels too wide"
                for script in (LABELS, CONTRAST):
                    wrong = page.evaluate(script)
                    assert not wrong, f"{where}: {wrong[:3]}"
                if Axe:
                    broken = Axe().run(page).response["violations"]
                    wrong = [(rule["id"], rule["nodes"][0]["html"][:200]) for rule in broken]
                    assert not wrong, f"{where}: {wrong[:3]}"
                if self.screenshots:
                    page.screenshot(path=f"{self.screenshots}/{name}-{width}-{theme}.png", full_page=True)
        with_rules = "" if Axe else ", without the rules of axe-core"
        return f"{(6 if self.screenshots else 3) * len(views)} pages{with_rules}"

    def check_theme(self):
        page = self.page(color_scheme="light")
        ground = "getComputedStyle(document.body).backgroundColor"
        light = page.evaluate(ground)
        page.select_option("#theme", "dark")
        dark = page.evaluate(ground)
        assert light != dark
        page.reload()
        self.settle(page)
        assert page.evaluate(ground) == dark, "the choice is not kept"

    def check_promises(self):
        answers = {}
        numbers = re.compile(r"/v1/(statistics|misses|requests)\?")
        page = self.page(routes=[(numbers, lambda route: self.remember(route, answers))])
        self.settle(page)

        def count(state):
            answer = next(
                answer
                for url, answer in answers.items()
                if urllib.parse.parse_qs(urllib.parse.urlsplit(url).query) == {"state": [state], "limit": ["1"]}
            )
            return len(answer["requests"]) + answer["more"]

        # Requests are launched meanwhile, and an answer may have come that is not shown yet.
        for _ in range(50):
            shown = page.eval_on_selector_all("[data-count]", "list => list.map(e => [e.dataset.count, e.textContent])")
            wrong = [(state, text) for state, text in shown if text.replace("\u202f", "") != str(count(state))]
            if not wrong:
                break
            page.wait_for_timeout(100)
        assert not wrong, [(state, text, count(state)) for state, text in wrong]
        assert len(shown) >= 5
        misses = next(answer["misses"] for url, answer in answers.items() if "/misses" in url)
        rows = "section[data-key=s-what-did-not-run-in-time-and-why] tbody tr"
        assert page.locator(rows).count() == len(misses)
        minutes = next(answer for url, answer in answers.items() if "step=minute" in url)["series"][0]["points"]
        ends = [point["ends"] for point in minutes]
        good = sum(end["succeeded"] for end in ends)
        sums = [good, sum(sum(end.values()) for end in ends) - good]
        bars = page.eval_on_selector_all(
            "[data-chart=throughput] rect", "list => list.map(b => [b.dataset.series, Number(b.dataset.value)])"
        )
        assert [sum(value for series, value in bars if series == name) for name in ("good", "bad")] == sums
        points = next((answer for url, answer in answers.items() if "step=hour" in url), None)
        assert points is not None, "no statistics were asked for"
        points = [
            point
            for point in points["series"][0]["points"]
            if point["promised"] + point["launched"] + point["missed"] > 0
        ]
        for point in points:
            point["at"] = point["at"].replace(".000Z", "Z")
        if not points:
            assert page.locator("[data-chart=promises] .empty").count() == 1
            raise Skipped("the host has no statistics")
        bars = page.eval_on_selector_all(
            "[data-chart=promises] rect[data-series]",
            "list => list.map(b => [b.dataset.series, b.dataset.at, Number(b.dataset.value), Number(b.getAttribute('height'))])",
        )
        by = {(series, at): (value, height) for series, at, value, height in bars}
        assert sum(series == "promised" for series, *_ in bars) == 24
        assert sum(series == "launched" for series, *_ in bars) == 24
        for point in points:
            for series in ("promised", "launched"):
                assert by[series, point["at"]][0] == point[series], (series, point["at"])
            if point["missed"]:
                assert by["missed", point["at"]][0] == point["missed"]
        assert sum(series == "missed" for series, *_ in bars) == sum(point["missed"] > 0 for point in points)
        tall = max(by.items(), key=lambda item: item[1][0] if item[0][0] != "missed" else 0)[1]
        for (series, _), (value, height) in by.items():
            if series != "missed":
                assert abs(height - tall[1] * value / tall[0]) < 0.2, (series, value, height)
        page.click("[data-chart=promises] .switch")
        page.wait_for_selector("[data-chart=promises] table")
        assert page.locator("[data-chart=promises] tbody tr").count() == 24

    @staticmethod
    def remember(route, answers):
        """Gives the page what the host answers; the first answer stands, so that it can be compared."""
        kind = re.sub(r"(from|to)=[^&]*&?", "", route.request.url)
        try:
            if kind not in answers:
                answers[kind] = route.fetch().json()
            route.fulfill(json=answers[kind])
        except Error:
            # The page was closed meanwhile.
            pass

    def check_missed_bar_leads_to_reasons(self):
        page = self.page("schedules")
        links = page.locator(".missed-link")
        if links.count() == 0:
            raise Skipped("nothing was missed")
        links.first.focus()
        page.keyboard.press("Enter")
        self.wait(page, "location.hash.includes('from=')")
        page.wait_for_selector("#s-missed-launches")
        query = dict(urllib.parse.parse_qsl(page.evaluate("location.hash.split('?')[1]")))
        answer = self.get(page, "misses?" + urllib.parse.urlencode({**query, "limit": 100}))
        assert page.locator("section[data-key=s-missed-launches] tbody tr").count() == len(answer["misses"])
        assert page.evaluate("document.activeElement.closest('.missed-link') !== null"), "the focus is lost"

    def check_histograms(self):
        page = self.page()
        handlers = self.get(page, "handlers")["handlers"]
        for handler in handlers:
            answers = {}
            name = urllib.parse.quote(handler["identifier"], safe="")
            ends = self.get(page, f"ends?identifier={name}&limit=100")
            if ends and ends["ends"]:
                break
        else:
            raise Skipped("no handler has run")
        page = self.page(
            f"handlers/{name}", routes=[("**/v1/statistics?*", lambda route: self.remember(route, answers))]
        )
        shown = page.eval_on_selector_all(".strip a", "list => list.map(a => a.dataset.value)")
        ends = self.get(page, f"ends?identifier={name}&limit=100")["ends"]
        assert abs(len(shown) - len(ends)) <= 2 and len(shown) <= 100
        assert shown[-1] in [end["outcome"] for end in ends[:3]], "the newest is not the last"
        answer = list(answers.values())[-1]
        for chart, key in (("budget", "budget"), ("duration", "duration"), ("delay", "delay")):
            points = answer["series"][0]["points"]
            sums = [sum(column) for column in zip(*[point[key]["counts"] for point in points])]
            if not any(sums):
                continue
            bars = page.eval_on_selector_all(
                f"[data-chart={chart}] rect[data-series=counts]",
                "list => list.map(b => [Number(b.dataset.value), Number(b.getAttribute('height'))])",
            )
            assert [value for value, _ in bars] == sums, f"{chart}: {bars} and not {sums}"
            most = max(bars)
            assert all(abs(height - most[1] * value / most[0]) < 0.2 for value, height in bars), chart
        if any(sum(point["budget"]["counts"]) for point in points):
            assert page.locator("[data-chart=budget] line.budget").count() == 1

    def check_factors(self):
        answers = {}
        page = self.page(
            "factors", routes=[("**/v1/factors/history?*", lambda route: self.remember(route, answers))]
        )
        if not answers:
            raise Skipped("the host keeps no history of factors")
        factors = list(answers.values())[-1]["factors"]
        bars = page.locator("[data-chart=factors] rect.interval").count()
        assert bars == sum(min(500, len(factor["intervals"])) for factor in factors), bars

    def check_usage(self):
        names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
        days = [
            {
                "day": name,
                "used": [(hour * 7 + index) % 11 / 10 for hour in range(24)],
                "refreshed": [hour % 5 for hour in range(24)],
            }
            for index, name in enumerate(names)
        ]
        known = {"days": days, "since": "2026-01-01T00:00:00.000Z"}
        page = self.page("factors", routes=[("**/v1/usage", lambda route: route.fulfill(json=known))])
        for key in ("used", "refreshed"):
            squares = page.eval_on_selector_all(
                f"[data-chart={key}] rect",
                "list => list.map(b => [Number(b.dataset.value), Number(b.getAttribute('width'))])",
            )
            numbers = [value for day in days for value in day[key]]
            assert [value for value, _ in squares] == numbers, f"{key}: {squares}"
            by_value = sorted(squares)
            assert all(a[1] <= b[1] for a, b in zip(by_value, by_value[1:])), "a larger value is not larger"
            page.click(f"[data-chart={key}] .switch")
            page.wait_for_selector(f"[data-chart={key}] table")
            assert page.locator(f"[data-chart={key}] tbody tr").count() == 7
        unknown = {"days": [{**day, "used": [], "refreshed": [0] * 24} for day in days], "since": known["since"]}
        page = self.page("factors", routes=[("**/v1/usage", lambda route: route.fulfill(json=unknown))])
        assert page.locator("[data-chart=used] .empty, [data-chart=refreshed] .empty").count() == 2

    def check_hostile_text(self):
        request = self.fake(identifier=HOSTILE, key="k" * 1_000_000)
        detail = {
            **request,
            "attemptList": [
                {
                    "launch": 1,
                    "number": 1,
                    "process": 1,
                    "started": "2026-01-01T00:00:00.000Z",
                    "ended": "2026-01-01T00:00:01.000Z",
                    "outcome": "failed",
                    "reason": None,
                    "error": HOSTILE * 5_000,
                    "exitStatus": 1,
                    "signal": None,
                    "log": [HOSTILE, "x" * 1_000_000],
                    "logDropped": 0,
                    "result": HOSTILE,
                    "resultBytes": 5,
                    "progress": None,
                    "progressText": HOSTILE,
                    "cpu": None,
                    "usage": None,
                }
            ],
            "journal": [
                {
                    "sequence": 1,
                    "at": "2026-01-01T00:00:00.000Z",
                    "what": HOSTILE,
                    "request": 1,
                    "identifier": HOSTILE,
                    "launch": None,
                    "detail": HOSTILE * 1000,
                }
            ],
        }

        def answer(value, status=200):
            # In ASCII: half of a surrogate pair has no UTF-8.
            return lambda route: route.fulfill(
                body=json.dumps(value), status=status, content_type="application/json"
            )

        routes = [
            (re.compile(r"/v1/requests(\?|$)"), answer(self.listing([request]))),
            (re.compile(r"/v1/requests/1$"), answer(detail)),
            (
                re.compile(r"/v1/requests/1/payload"),
                lambda route: route.fulfill(
                    body=HOSTILE.replace("\ud800", "").encode() * 5_000,
                    content_type="application/octet-stream",
                ),
            ),
            (
                re.compile(r"/v1/requests/1/(why|history)"),
                answer({"error": {"code": "notFound", "message": HOSTILE, "help": []}}, 404),
            ),
        ]
        page = self.page("requests", routes=routes)
        for view in ("requests", "requests/1"):
            page.goto(f"{self.base}#/{view}")
            self.settle(page)
            page.wait_for_timeout(300)
            text = page.locator("main").text_content()
            assert HOSTILE_SHOWN in text, f"{view}: the identifier is not shown as it is"
            assert "\u202e" not in page.content() and "\u2066" not in page.content(), (
                f"{view}: a bidirectional character"
            )
            assert "… 1 MB" in text and len(text) < 300_000, f"{view}: {len(text)} characters"
            assert page.locator("main img").count() == 0
        asked = []
        page.on("request", lambda sent: asked.append(sent.url) if "payload" in sent.url else None)
        page.reload()
        self.settle(page)
        assert not asked, "the payload was fetched without being asked for"
        page.click("text=Show the payload")
        page.wait_for_selector("text=Hide it")
        assert asked and page.locator("dd pre").text_content().startswith(HOSTILE_SHOWN[:40])
        page.goto(f"{self.base}#/handlers/%3Cimg%20src%3Dx%3E%E2%80%AE%00")
        page.wait_for_selector(".notice")
        assert "\u202e" not in page.content()
        self.forgive("404", "400")

    def check_signed_out(self):
        page = self.page(
            routes=[
                (
                    "**/v1/**",
                    lambda route: route.fulfill(
                        status=401, json={"error": {"code": "session", "message": "no session", "help": []}}
                    ),
                )
            ],
        )
        assert page.locator("h1").inner_text() == "You are signed out"
        assert "curfew web" in page.locator("main").inner_text()
        asked = []
        page.on("request", lambda sent: asked.append(sent.url))
        page.wait_for_timeout(1500)
        assert not asked, "it goes on asking"
        self.forgive("401")

    def check_only_looking(self):
        page = self.page("requests", rights=["read"])
        assert "You may look only." in page.locator("header").inner_text()
        for view in VIEWS:
            page.goto(f"{self.base}#/{view}")
            self.settle(page)
            texts = page.locator("main button").all_inner_texts()
            bad = [
                text
                for text in texts
                if re.match(r"Cancel|Retry|Release|Launch|Drain|Pause|Resume|Read the conf", text)
            ]
            assert not bad, f"{view}: {bad}"
        assert page.locator("input[type=checkbox]").count() == 0

    def check_actions_of_a_request(self):
        sent = []
        expected = {
            "pending": ["Launch now", "Cancel"],
            "running": ["Cancel"],
            "parked": ["Release", "Cancel"],
            "host-gone": ["Cancel"],
            "finished": ["Retry"],
            "cancelled": ["Retry"],
            "missed": ["Retry"],
        }
        state = ["pending"]

        def detail(route):
            route.fulfill(json={**self.fake(state=state[0]), "attemptList": [], "journal": []})

        def post(route):
            sent.append(route.request.url)
            route.fulfill(json=self.fake(state="cancelled"))

        page = self.page(
            "requests",
            rights=["read", "operate"],
            routes=[
                (re.compile(r"/v1/requests/1$"), detail),
                (re.compile(r"/v1/requests/1/(cancel|retry|launch|release)$"), post),
            ],
        )
        for name, buttons in expected.items():
            state[0] = name
            page.goto(f"{self.base}#/nowhere")
            page.goto(f"{self.base}#/requests/1")
            self.wait(page, "document.querySelector('h1').textContent === 'Request 1'")
            page.wait_for_selector(".buttons")
            assert page.locator("p.buttons button").all_inner_texts() == buttons, (
                name,
                page.locator("p.buttons button").all_inner_texts(),
            )
        page.click("p.buttons >> text=Retry")
        assert "curfew retry 1" in page.locator("dialog pre").inner_text()
        page.keyboard.press("Escape")
        page.wait_for_selector("dialog", state="detached")
        assert not sent, "it was done without a yes"
        assert page.evaluate("document.activeElement.textContent") == "Retry", "the focus does not come back"
        page.click("p.buttons >> text=Retry")
        page.click("dialog >> button.main")
        self.wait(page, "document.getElementById('announcement').textContent.includes('pending again')")
        assert len(sent) == 1 and sent[0].endswith("/v1/requests/1/retry")
        self.forgive("404")

    def check_bulk(self):
        sent = []
        listed = [
            self.fake(id=number, state="pending", identifier="org.example.mirror") for number in range(1, 4)
        ]

        def post(route):
            sent.append((route.request.url.rsplit(":", 1)[1], route.request.post_data_json))
            filter = "filter" in route.request.post_data_json
            done = 1000 if filter else len(route.request.post_data_json["ids"]) - 1
            route.fulfill(
                json={
                    "done": done,
                    "refused": [] if filter else [{"id": 2, "code": "state", "message": "request 2 is over"}],
                    "more": filter,
                }
            )

        page = self.page(
            "requests?state=pending",
            rights=["read", "operate"],
            routes=[
                (
                    re.compile(r"/v1/requests(\?|$)"),
                    lambda route: route.fulfill(
                        json=self.listing(
                            listed[:1] if "limit=1" in route.request.url else listed,
                            1234 if "limit=1" in route.request.url else 1232,
                            "x",
                        )
                    ),
                ),
                (re.compile(r"/v1/requests:"), post),
            ],
        )
        page.check("[aria-label='Select request 1']")
        page.check("[aria-label='Select request 2']")
        assert "2 selected" in page.locator(".bulk").inner_text()
        page.click(".bulk >> text=Cancel 2")
        assert page.locator("dialog h2").inner_text() == "Cancel 2 requests?"
        assert "curfew cancel 1-2" in page.locator("dialog pre").inner_text()
        page.click("dialog >> button.main")
        page.wait_for_selector("dialog >> text=1 request cancelled, 1 refused")
        assert "Request 2 is over" in page.locator("dialog").inner_text()
        page.click("dialog >> text=Close")
        assert sent == [("cancel", {"ids": [1, 2]})], sent
        sent.clear()
        self.wait(page, "!document.querySelector('tr.marked')")
        page.check("[aria-label='Select all on this page']")
        page.click("text=Select all 1\u202f235 that match")
        page.wait_for_selector(".bulk >> text=Launch 1\u202f235 now")
        assert page.locator(".bulk >> text=Retry").count() == 0, "those that wait cannot be retried"
        page.click(".bulk >> text=Cancel 1\u202f235")
        page.wait_for_selector("dialog")
        assert page.locator("dialog h2").inner_text() == "Cancel 1\u202f235 requests?"
        page.click("dialog >> button.main")
        self.wait(page, "document.getElementById('announcement').textContent.includes('2\u202f000 requests')")
        assert sent == [("cancel", {"filter": {"state": "pending"}})] * 2, sent
        sent.clear()
        # Only the states that an action changes are sent, so that the number in the question is right.
        page.goto(f"{self.base}#/requests?view=live&schedule=nightly")
        self.settle(page)
        page.check("[aria-label='Select all on this page']")
        page.click(".bulk >> text=that match")
        page.click(".bulk >> text=Launch 1\u202f235 now")
        page.click("dialog >> button.main")
        self.wait(page, "document.getElementById('announcement').textContent.includes('are due now')")
        assert sent[0] == ("launch", {"filter": {"schedule": "nightly", "state": "pending"}}), sent
        # An empty filter would be refused.
        page.goto(f"{self.base}#/requests")
        self.settle(page)
        page.check("[aria-label='Select all on this page']")
        assert page.locator(".bulk >> text=that match").count() == 0

    def check_filter(self):
        page = self.page("requests")
        page.click("#filter")
        page.keyboard.type("st")
        page.wait_for_selector("#offers li")
        assert page.locator("#offers li").all_inner_texts() == ["state:"]
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        assert page.input_value("#filter") == "state:"
        page.keyboard.type("fai")
        page.keyboard.press("ArrowDown")
        assert page.locator("[aria-selected=true]").inner_text() == "state:failed"
        page.keyboard.press("Enter")
        page.keyboard.type("x y")
        page.keyboard.press("Escape")
        page.keyboard.press("Enter")
        self.wait(page, "location.hash === '#/requests?state=failed&text=x+y'")
        page.reload()
        self.settle(page)
        assert page.input_value("#filter") == "state:failed x y"
        assert "--state failed" in page.locator(".command code").inner_text()
        # What is typed is applied by the button as well, though the box loses the focus before.
        page.fill("#filter", "host:1")
        page.click("text=Apply")
        self.wait(page, "location.hash === '#/requests?host=1'")
        page.goto(f"{self.base}#/requests?text=" + urllib.parse.quote("it's\u202e\n$(reboot)"))
        self.wait(page, "document.querySelector('.command code').textContent.includes('grep')")
        line = page.locator(".command code").inner_text()
        # The host takes no line breaks; the box stays, so that a filter can be mended.
        page.wait_for_selector(".notice >> text=Show all")
        for filter, text in (("host:abc", "is not a number"), ("state:nope", "Write one or more of pending")):
            page.fill("#filter", filter)
            page.keyboard.press("Enter")
            page.wait_for_selector(f".notice >> text={text}")
            assert page.input_value("#filter") == filter
        self.forgive("400")
        assert line.endswith("""| grep -F -e $'it\\'s\\U0000202e\\x0a$(reboot)'"""), line
        page.goto(f"{self.base}#/requests?identifier=org.example.none")
        self.wait(page, "document.getElementById('filter').value === 'identifier:org.example.none'")

    def check_keyboard(self):
        page = self.page()
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.id") == "skip", "the skip link is not first"
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "main"
        assert page.evaluate("location.hash") in ("", "#/"), "the skip link changes the view"
        for key, title in zip("orhspmfe", TITLES):
            page.keyboard.press("g")
            page.keyboard.press(key)
            self.wait(page, "(title) => document.querySelector('h1')?.textContent === title", arg=title)
            if title != "Overview":
                self.wait(page, "document.activeElement.tagName === 'H1'")
        page.keyboard.press("?")
        page.wait_for_selector("dialog >> text=Overview")
        page.uncheck("dialog input")
        page.keyboard.press("Escape")
        page.wait_for_selector("dialog", state="detached")
        page.keyboard.press("g")
        page.keyboard.press("r")
        page.wait_for_timeout(300)
        assert page.locator("h1").inner_text() == "Health", "keys do something though they are off"
        page.keyboard.press("?")
        page.check("dialog input")
        page.keyboard.press("Escape")
        page.keyboard.press("/")
        self.wait(page, "document.activeElement.id === 'filter'")
        page.keyboard.press("Escape")
        # Every control can be reached, and shows that it has the focus.
        page.goto(f"{self.base}#/schedules")
        self.settle(page)
        page.evaluate("document.getElementById('skip').focus()")
        reachable = page.locator("header a, main a[href], main button, footer button, footer select").count()
        seen = set()
        page.wait_for_timeout(200)
        for _ in range(reachable + 20):
            page.keyboard.press("Tab")
            name = page.evaluate(
                "() => { const e = document.activeElement; if (e === document.body) return null; const s = getComputedStyle(e); const h = e.querySelector?.('.hit'); return [[...document.querySelectorAll('*')].indexOf(e), s.outlineStyle !== 'none' || (h && getComputedStyle(h).strokeWidth === '2px')]; }"
            )
            if name is None:
                break
            seen.add(name[0])
            assert name[1], "a control does not show the focus"
        assert len(seen) >= reachable, f"{len(seen)} of {reachable} controls were reached"

    def check_live(self):
        page = self.page("requests?view=history")
        self.wait(page, "window.openStreams() === 1 && window.streams.at(-1).readyState === 1")
        answer = self.submit(page, "<img src=x onerror=alert(1)>", "\u202e it's")
        row = page.wait_for_selector(f"tr[data-key='{answer['id']}']", timeout=4000)
        text = "/bin/true '<img src=x onerror=alert(1)>' $'\\U0000202e it\\'s'"
        assert text in row.inner_text(), row.inner_text()
        page.goto(f"{self.base}#/requests/{answer['id']}")
        self.wait(page, "(text) => document.querySelector('.subject')?.textContent === text", arg=text)
        self.wait(page, "document.querySelectorAll('.timeline li').length === 4")
        assert page.locator("main img").count() == 0

    def check_many_of_the_host(self):
        """Cancels and retries requests of the host itself, which are submitted for it."""
        page = self.page("requests")
        word = f"page-check-{time.time_ns()}"
        for number in range(3):
            self.submit(page, key=f"{word}-{number}", after="1h")
        page.goto(f"{self.base}#/requests?text={word}")
        # A request that is tried again is due now, whatever its date was.
        for button, state in (("Cancel 3", "cancelled"), ("Retry 3", "succeeded")):
            self.wait(page, "document.querySelectorAll('tbody tr').length === 3")
            page.check("[aria-label='Select all on this page']")
            page.click(f".bulk >> text={button}")
            page.click("dialog >> button.main")
            self.wait(
                page,
                "(state) => [...document.querySelectorAll('tbody tr')].every((row) => row.innerText.includes(state))",
                arg=state,
            )
            found = self.get(page, f"requests?text={word}&state={state}")
            assert len(found["requests"]) == 3 and found["more"] == 0, f"{button}: {found}"

    def check_at_most_two_loads_a_second(self):
        page = self.page("requests")
        self.wait(page, "window.openStreams() === 1 && window.streams.at(-1).readyState === 1")
        page.check("[aria-label='Select all on this page']") if page.locator("tbody input").count() else None
        focus = page.locator("tbody input").first
        if focus.count():
            focus.focus()
        asked = []
        page.on(
            "request",
            lambda sent: asked.append(sent.url) if re.search(r"/v1/requests(\?|$)", sent.url) else None,
        )
        page.evaluate(
            "async () => { for (let i = 0; i < 100; i++) { for (let k = 0; k < 10; k++) window.send('launched', { sequence: 1, what: 'launched', request: 1 }); await new Promise(r => setTimeout(r, 20)); } }"
        )
        page.wait_for_timeout(700)
        assert 2 <= len(asked) <= 8, f"{len(asked)} loads"
        if focus.count():
            assert page.evaluate("document.activeElement.type") == "checkbox", "the focus is lost"
            assert page.locator("tr.marked").count() > 0, "the selection is lost"

    def check_focus_follows_a_row(self):
        order = [1, 2, 3]

        def listing(route):
            route.fulfill(json=self.listing([self.fake(id=number) for number in order]))

        page = self.page("requests", routes=[(re.compile(r"/v1/requests(\?|$)"), listing)])
        self.wait(page, "window.openStreams() === 1")
        page.focus("tr[data-key='3'] a")
        order[:] = [3, 1, 2]
        page.evaluate("window.send('launched', { sequence: 1, what: 'launched', request: 1 })")
        self.wait(page, "document.querySelector('tbody tr').dataset.key === '3'")
        assert page.evaluate("document.activeElement.textContent") == "3", "the focus is lost"

    def check_hidden_tab(self):
        page = self.page("requests")
        self.wait(page, "window.openStreams() === 1")
        hide = "(hidden) => { Object.defineProperty(document, 'hidden', { value: hidden, configurable: true }); document.dispatchEvent(new Event('visibilitychange')); }"
        page.evaluate(hide, True)
        assert page.evaluate("window.openStreams()") == 0, "the stream is open in a hidden tab"
        asked = []
        page.on("request", lambda sent: asked.append(sent.url))
        page.wait_for_timeout(1500)
        assert not asked, asked[:2]
        page.evaluate(hide, False)
        self.wait(page, "window.openStreams() === 1")
        page.wait_for_timeout(500)
        assert any(re.search(r"/v1/requests(\?|$)", url) for url in asked), "it does not catch up"
        assert re.search(r"after=\d+", page.evaluate("window.streams.at(-1).url"))

    def check_silence(self):
        page = self.page("requests")
        self.wait(page, "window.openStreams() === 1 && window.streams.at(-1).readyState === 1")
        before = page.locator("main").inner_text()
        page.context.set_offline(True)
        page.evaluate("window.streams.at(-1).dispatchEvent(new MessageEvent('bye', { data: '{}' }))")
        page.wait_for_selector("#connection:not([hidden])", timeout=6000)
        assert re.match(
            r"The host does not answer since \d\d:\d\d, trying again",
            page.locator("#connection").inner_text(),
        )
        assert page.locator("main").inner_text()[:40] == before[:40], "what was seen is gone"
        page.context.set_offline(False)
        page.wait_for_selector("#connection", state="hidden", timeout=15000)
        self.wait(page, "window.openStreams() === 1 && window.streams.at(-1).readyState === 1")
        self.forgive("ERR_INTERNET_DISCONNECTED")

    @staticmethod
    def refusal(status):
        """Answers a call with an error."""
        error = {"error": {"code": "role", "message": "you have not the role", "help": []}}
        return lambda route: route.fulfill(status=status, json=error)

    def check_refused_stream(self):
        # Without the right to follow, and with too many followers: the page goes on without a stream.
        def host(route):
            route.fulfill(json={**route.fetch().json(), "newest": None, "statistics": None})

        blind = self.page(routes=[("**/v1/host", host)])
        assert blind.locator("h1").inner_text() == "Overview"
        pages = {}
        for status in (403, 429):
            asked = []
            page = self.page("health", routes=[(re.compile(r"/v1/journal"), self.refusal(status))])
            page.on("request", lambda sent, asked=asked: asked.append(sent.url))
            pages[status] = (page, asked)
        page.wait_for_timeout(3500)
        for status, (page, asked) in pages.items():
            assert len(asked) < 20, f"{status}: {len(asked)} calls in some seconds"
            assert page.locator("#connection").is_hidden(), status
            assert page.locator("h1").inner_text() == "Health"
        assert blind.evaluate("window.openStreams()") == 0, "it follows a journal that it may not read"
        self.forgive("403", "429")

    def check_nothing_grows(self):
        page = self.page()
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable")

        def measure():
            page.goto(f"{self.base}#/health")
            self.settle(page)
            session.send("HeapProfiler.collectGarbage")
            metrics = {
                item["name"]: item["value"] for item in session.send("Performance.getMetrics")["metrics"]
            }
            return {name: metrics[name] for name in ("JSEventListeners", "Nodes", "JSHeapUsedSize")}

        def walk(rounds):
            for _ in range(rounds):
                for view in VIEWS:
                    page.evaluate("view => { location.hash = '#/' + view; }", view)
                    page.wait_for_timeout(60)

        walk(2)
        first = measure()
        walk(4)
        page.evaluate(
            "for (let i = 0; i < 20000; i++) window.send('launched', { sequence: i, what: 'launched', request: i })"
        )
        page.wait_for_timeout(800)
        last = measure()
        assert last["JSEventListeners"] <= first["JSEventListeners"] + 10, (first, last)
        assert last["Nodes"] <= first["Nodes"] * 1.3 + 200, (first, last)
        assert last["JSHeapUsedSize"] <= first["JSHeapUsedSize"] * 1.3 + 1_000_000, (first, last)
        assert page.evaluate("window.openStreams()") == 1

    def check_an_hour(self):
        """An hour of the page's clock with an event each second, on views that load for each."""
        for view in ("", "requests?view=history"):
            page = self.page()
            page.clock.install()
            page.goto(f"{self.base}#/{view}")
            page.reload()
            self.settle(page)
            session = page.context.new_cdp_session(page)
            session.send("Performance.enable")

            def measure():
                # What is being drawn just now is not what stays.
                least = {}
                for _ in range(5):
                    page.wait_for_timeout(200)
                    session.send("HeapProfiler.collectGarbage")
                    for item in session.send("Performance.getMetrics")["metrics"]:
                        if item["name"] in ("JSEventListeners", "Nodes", "JSHeapUsedSize"):
                            name = item["name"]
                            least[name] = min(item["value"], least.get(name, item["value"]))
                return least

            def live(minutes):
                for minute in range(minutes):
                    page.evaluate(
                        "from => { for (let i = from; i < from + 60; i++) for (const what of ['launched', 'ended']) window.send(what, { sequence: i, what, request: i }); }",
                        minute * 60,
                    )
                    page.clock.run_for(60_000)

            live(10)
            first = measure()
            live(60)
            last = measure()
            where = f"{view or 'overview'}: {first} and then {last}"
            assert last["JSEventListeners"] <= first["JSEventListeners"] + 20, where
            assert last["Nodes"] <= first["Nodes"] * 1.1 + 200, where
            assert last["JSHeapUsedSize"] <= first["JSHeapUsedSize"] * 1.1 + 500_000, where
            page.context.close()
            self.contexts.remove(page.context)

    def check_sign_in(self):
        if not self.has_session:
            raise Skipped("the server has no sign-in")
        context = self.browser.new_context()
        self.contexts.append(context)
        for url in (self.base, self.url, self.base + "v1/me"):
            response = context.request.get(url)
            assert response.status == 401 and "curfew web" in response.text(), (url, response.status)
        assert context.request.get(self.base + "v1/me").json()["error"]["code"] == "session"
        cookies = [cookie for cookie in self.session["cookies"] if cookie["httpOnly"]]
        assert cookies and all(cookie["sameSite"] == "Strict" for cookie in cookies), self.session["cookies"]

    def check_restart(self):
        if not self.restart:
            raise Skipped("there is no --restart")
        page = self.page("requests?view=history")
        self.wait(page, "window.openStreams() === 1 && window.streams.at(-1).readyState === 1")
        before = self.get(page, "host")
        child = subprocess.Popen(self.restart, shell=True, stdout=subprocess.DEVNULL)
        try:
            if self.has_session:
                # The host may be back before the page has seen that it was away; the session is not.
                page.wait_for_selector("h1:has-text('You are signed out')", timeout=40000)
                self.forgive("ERR_", "401")
                return "the session ended with the host, and the page says so"
            page.wait_for_selector("#connection:not([hidden])", timeout=20000)
            assert "does not answer since" in page.locator("#connection").inner_text()
            page.wait_for_selector("#connection", state="hidden", timeout=30000)
        finally:
            assert child.wait(timeout=60) == 0, "the host is not started again"
        self.forgive("ERR_", "401")
        self.wait(page, "window.openStreams() === 1 && window.streams.at(-1).readyState === 1")
        after = self.get(page, "host")
        assert after["since"] != before["since"], "the host was not started again"
        # The page follows the new host.
        answer = self.submit(page)
        page.wait_for_selector(f"tr[data-key='{answer['id']}']", timeout=4000)

    def check_refused_parts_leave_the_rest(self):
        refuse = self.refusal(403)
        page = self.page(
            routes=[("**/v1/statistics?*", refuse), ("**/v1/misses?*", refuse), ("**/v1/plugins", refuse)]
        )
        assert page.locator("h1").inner_text() == "Overview"
        assert page.locator(".counts li").count() >= 5
        self.forgive("403")

    def check_without_javascript(self):
        page = self.page(java_script_enabled=False)
        text = page.locator("main").inner_text()
        for command in ("curfew ps", "curfew why", "curfew top"):
            assert command in text, text

    # How they are run

    def run(self, name):
        """Runs a check; returns whether it did not fail."""
        self.problems = []
        began = time.monotonic()
        words = name[6:].replace("_", " ")
        try:
            note = getattr(self, name)()
            assert not self.problems, f"the browser reports: {self.problems[:3]}"
            result = f"ok      {words}  {time.monotonic() - began:.1f} s{'  ' + note if note else ''}"
        except Skipped as reason:
            result = f"skipped {words}: {reason}"
        except Exception as error:
            text = str(error).strip() or traceback.format_exc().strip().splitlines()[-3].strip()
            result = f"FAILED  {words}: {text[:600]}"
        for context in self.contexts:
            context.close()
        self.contexts.clear()
        print(result, flush=True)
        return not result.startswith("FAILED")


class Runner:
    """Runs the checks, two at a time: most of them wait for the page."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.session = None
        names = [name for name in dir(Checks) if name.startswith("check_") and arguments.only in name]
        # The longest one begins first.
        self.names = sorted(names, key=lambda name: name != "check_layout")
        self.failed = 0

    def with_checks(self, action):
        """Calls with the checks in a browser of their own, as a thread has to have one."""
        arguments = self.arguments
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=arguments.browser,
                args=["--no-sandbox", "--headless=new", "--disable-dev-shm-usage", "--disable-gpu"],
            )
            checks = Checks(browser, arguments.url, arguments.restart, arguments.screenshots)
            checks.session = self.session
            action(checks)
            browser.close()

    def sign_in(self, checks):
        checks.sign_in()
        self.session = checks.session

    def work(self, checks, names):
        while names:
            if not checks.run(names.pop(0)):
                self.failed += 1

    def run(self):
        self.with_checks(self.sign_in)
        # A session ends with its host.
        last = [name for name in self.names if name == "check_restart"]
        names = [name for name in self.names if name not in last]
        threads = [
            threading.Thread(target=self.with_checks, args=[lambda checks: self.work(checks, names)])
            for _ in range(2)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.with_checks(lambda checks: self.work(checks, last))
        return self.failed


def main():
    parser = argparse.ArgumentParser(description="Checks the web page of a host in a browser.")
    parser.add_argument("url")
    parser.add_argument("--only", default="", help="only checks whose names contain this")
    parser.add_argument("--restart", metavar="COMMAND", help="kills the host and starts it again")
    parser.add_argument("--screenshots", metavar="DIR", help="saves pictures of the views there")
    parser.add_argument("--browser", default="/usr/bin/chromium")
    failed = Runner(parser.parse_args()).run()
    print("all checks passed" if failed == 0 else f"{failed} checks failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
