# SPDX-License-Identifier: Apache-2.0
"""Embeds Curfew in Python: two hosts at once, the one with a thread of Curfew's for its events, the
other with a loop of this program's own.

    embedder.py PLUGINS TEST_PLUGINS SCRATCH

What it does, and what it prints, is told in ../README.md."""
import json
import sys

import curfew


class Embedder:
    """A host, and what was heard of its tasks."""

    def __init__(self, name, **options):
        self.name = name
        self.host = curfew.Host(**options)
        self.events = self.host.events()
        self.done = 0
        self.heard = []

    def load(self, plugins, test_plugins):
        for directory in (f"{plugins}/sqlite-care", f"{plugins}/mirror", f"{test_plugins}/patient"):
            self.host.load(directory)
        print(f"{self.name}: loaded sqlite-care, mirror, patient")
        self.refuses("nobody", "org.example.nobody")

    def refuses(self, name, identifier):
        try:
            self.host.launch(identifier)
        except curfew.CurfewError as error:
            text = curfew.ffi.string(curfew.lib.curfew_status_text(error.status)).decode()
            print(f"{self.name}: {name}: {text}")

    def mirror(self, scratch):
        place = f"{scratch}/{self.name}"
        payload = json.dumps({"from": f"{place}/from", "to": f"{place}/to"}).encode()
        return "mirror", self.host.launch("org.curfew.mirror", payload)

    def launch(self, scratch):
        database = json.dumps({"database": f"{scratch}/{self.name}/notes.db"}).encode()
        wrong = json.dumps({"from": "here", "to": "/there"}).encode()
        return [
            ("sqlite-care", self.host.launch("org.curfew.sqlite-care", database)),
            self.mirror(scratch),
            ("mirror", self.host.launch("org.curfew.mirror", wrong)),
            ("patient", self.host.launch("org.curfew.test.patient")),
        ]

    def story(self, task):
        """The events about a task, up to its last one."""
        told = []
        while True:
            told += [event for event in self.heard if event.task == task.id]
            self.heard = [event for event in self.heard if event.task != task.id]
            if told and told[-1].selector.endswith("_done::"):
                return told
            self.heard.append(self.events.get(timeout=60))

    def tell(self, name, task):
        words = []
        told = self.story(task)
        progress = [e.values[0] for e in told if e.selector.endswith("_progress::")]
        if progress:
            words.append(f"progress to {max(progress):g}")
        if any(event.selector.endswith("_expired") for event in told):
            words.append("expired")
        success, text = told[-1].values
        words.append(f'done({"true" if success else "false"}, "{text}")')
        assert task.wait(60) == task.outcome and task.error == text
        assert (task.outcome is curfew.Outcome.SUCCEEDED) == success
        if b"copied" in task.result:
            words.append(task.result.decode())
        self.done += 1
        print(f"{self.name}: {name}: {', '.join(words)}")

    def close(self):
        self.host.close()
        self.done += sum(e.selector.endswith("_done::") and e.task != 0 for e in self.events)
        print(f"{self.name}: shut down after {self.done} done events")


def main(plugins, test_plugins, scratch):
    one, two = Embedder("one"), Embedder("two", manual_dispatch=True)
    for embedder in (one, two):
        embedder.load(plugins, test_plugins)
    tasks = [(embedder, embedder.launch(scratch)) for embedder in (one, two)]
    for embedder, launched in tasks:
        for name, task in launched:
            embedder.tell(name, task)
    two.close()
    two.refuses("mirror", "org.curfew.mirror")
    one.tell(*one.mirror(scratch))
    one.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
