#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the pictures of the web page that the README shows.

usage: pictures.py CURFEW PLUGIN DIR

Starts a host with a few schedules and a plugin that crashes, lets it work for a minute, and saves pictures of
its page in DIR. Needs Playwright and Debian's chromium.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time

from playwright.sync_api import sync_playwright

VIEWS = [("overview", ""), ("handler", "handlers/org.curfew.command")]


def main():
    program, plugin, target = sys.argv[1], os.path.abspath(sys.argv[2]), sys.argv[3]
    place = tempfile.mkdtemp(prefix="curfew-pictures-")
    store, file = place + "/store", place + "/curfew.json"
    with open(file, "w") as out:
        json.dump(
            {
                "store": store,
                "apps": {"enabled": False},
                "plugins": {"directories": [plugin]},
                "schedules": [
                    {"name": "mirror", "every": "4s", "command": ["/bin/sh", "-c", "sleep 0.$(date +%S)"]},
                    {"name": "index", "every": "7s", "budget": "3s", "grace": "1s",
                     "command": ["/bin/sh", "-c", "sleep 2.2"]},
                    {"name": "report", "every": "11s", "budget": "2s", "grace": "1s",
                     "command": ["/bin/sh", "-c", "echo 1 of 3; sleep 9"]},
                    {"name": "upload", "every": "9s",
                     "command": ["/bin/sh", "-c", "echo the server is busy >&2; exit 1"]},
                    {"name": "backup", "cron": "0 3 * * *", "command": ["/usr/bin/env"]},
                ],
            },
            out,
        )
    host = subprocess.Popen([program, "serve", "--config", file], stdout=subprocess.DEVNULL)
    try:
        until(lambda: subprocess.run([program, "health", "--store", store], capture_output=True).returncode < 2)
        for identifier in ("org.curfew.crashing", "org.example.absent"):
            subprocess.run([program, "submit", "--store", store, "--attempts", "5", "--back-off", "1s", identifier],
                           check=True, stdout=subprocess.DEVNULL)
        time.sleep(75)
        link = subprocess.run([program, "web", "--config", file, "--json"], check=True, capture_output=True)
        with sync_playwright() as engine:
            browser = engine.chromium.launch(
                executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-dev-shm-usage"])
            page = browser.new_page(viewport={"width": 1000, "height": 700}, color_scheme="light")
            page.goto(json.loads(link.stdout)["url"])
            root = page.url.split("#")[0]
            for name, view in VIEWS:
                page.goto(root + "#/" + view)
                page.wait_for_function("document.querySelector('h1') && !document.querySelector('[aria-busy=true]')")
                page.wait_for_timeout(1500)
                page.screenshot(path=f"{target}/page-{name}.png", clip={"x": 0, "y": 0, "width": 1000, "height": 700})
            browser.close()
    finally:
        host.send_signal(signal.SIGTERM)
        host.wait(30)


def until(what):
    end = time.monotonic() + 30
    while not what():
        if time.monotonic() > end:
            sys.exit("pictures: the host has not started within 30 s")
        time.sleep(0.1)


if __name__ == "__main__":
    main()
