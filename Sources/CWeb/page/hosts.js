// SPDX-License-Identifier: Apache-2.0
// The hosts that use the store, and what runs in them.

import { button, perform } from "./actions.js";
import { post, remove } from "./api.js";
import { commandLine, line } from "./command.js";
import { code, empty, facts, h, section, table } from "./dom.js";
import { count, counted, span } from "./format.js";
import { mark } from "./marks.js";
import { handlerLink, heading, requestLink } from "./parts.js";
import { when } from "./time.js";

const mostRequests = 20;

export default {
  title: () => "Hosts",
  every: 5,
  wants: (changes) =>
    changes.all ||
    ["launched", "ended", "host-started", "host-stopped", "host-lost"].some((kind) =>
      changes.kinds.has(kind)
    ),

  async load(context) {
    const [hosts, host, tasks] = await Promise.all([
      context.get("hosts"),
      context.get("host"),
      context.get("tasks", { or: { tasks: [] } }),
    ]);
    return { hosts: hosts.hosts, host, tasks: tasks.tasks };
  },

  render(context, { hosts, host, tasks }) {
    const mine = hosts.find((item) => item.process === host.process) ?? null;
    const isDrained = mine?.state === "drained";
    const { commits, workers } = host.statistics ?? {};
    return [
      heading("Hosts"),
      hosts.length === 0
        ? empty("No host uses the store. Type `curfew serve` to start one.")
        : table(
          "The hosts that use the store",
          [
            ["Host", (item) => item.host === null ? "–" : String(item.host), "head"],
            ["State", (item) => [mark(item.state), item.drained && [" ", when(item.drained)]]],
            ["Machine", (item) => [
              item.machine ?? "this one",
              item === mine && ", answers this page",
              h("span.more",
                [
                  item.process !== null && `process ${item.process}`,
                  item.handlers && counted(item.handlers.length, "handler"),
                  (item.version ?? (item === mine && host.version)) &&
                  `version ${item.version ?? host.version}`,
                ].filter(Boolean).join(", "),
              ),
            ], "wide"],
            ["Since", (item) => when(item.since)],
            ["Last sign of life", (item) =>
              item.silence === null ? "–" : [
                `${span(item.silence)} ago`,
                item.lease !== null && h("span.more", `lease ${span(item.lease)}`),
              ]],
            ["Runs", (item) => [
              `${count(item.requests.length)}${item.places === null ? "" : ` of ${count(item.places)}`}`,
              item.requests.slice(0, mostRequests).map((
                id,
                index,
              ) => [index > 0 ? ", " : ": request ", requestLink(id)]),
              item.requests.length > mostRequests && ", …",
            ], "wide"],
          ],
          hosts,
          { key: (item) => String(item.host ?? item.process) },
        ),
      h("p.buttons@drain",
        isDrained
          ? button(
            "drain",
            "Launch again",
            () => perform(context, { call: () => remove("drain"), done: "Requests are launched again" }),
          )
          : button("drain", "Drain this host", () =>
            perform(context, {
              title: "Drain this host?",
              text:
                "It launches nothing more, and what runs ends by itself. Requests wait. Other hosts go on.",
              yes: "Drain",
              command: line(context.host, "drain"),
              call: () => post("drain"),
              done: (answer) =>
                answer.tasks.length === 0
                  ? "The host is drained"
                  : `The host launches nothing more; ${
                    counted(answer.tasks.length, "task still runs", "tasks still run")
                  }`,
            })),
      ),
      section("Tasks that run",
        tasks.length === 0
          ? empty("No task runs in this host. Type `curfew ps` to see what waits.")
          : table(
            "The tasks that run in this host",
            [
              ["Request", (task) => requestLink(task.request), "head"],
              ["Handler", (task) => handlerLink(task.identifier), "wide"],
              ["Phase", (task) => mark(task.phase)],
              ["Runs for", (task) => when(task.started, "elapsed"), "number"],
              ["Budget", (task) => span(task.budget), "number"],
              ["Expires", (task) => when(task.deadline)],
            ],
            tasks.slice(0, 200),
            { key: (task) => `${task.request}-${task.launch}` },
          ),
      ),
      section("The host that answers",
        facts([
          ["Version", host.version],
          ["Store", code(host.store)],
          ["Process", host.process],
          ["Since", when(host.since)],
          [
            "Workers",
            workers &&
            `${count(workers.busy)} busy, ${count(workers.idle)} idle, ${count(workers.stuck)} stuck`,
          ],
          [
            "Commits",
            commits && `half take at most ${span(commits.p50)}, 99 of 100 at most ${span(commits.p99)}`,
          ],
        ]),
      ),
      commandLine(line(context.host, "hosts")),
    ];
  },
};
