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
        ? empty("No host uses the store. Type ", code("curfew serve"), " to start one.")
        : table(
          "The hosts that use the store",
          [
            {
              title: "Host",
              head: true,
              cell: (item) => item.host === null ? "–" : String(item.host),
            },
            { title: "State", cell: (item) => [mark(item.state), item.drained && [" ", when(item.drained)]] },
            {
              title: "Machine",
              wide: true,
              cell: (
                item,
              ) => [
                item.machine ?? "this one",
                item === mine && ", answers this page",
                h(
                  "span",
                  { class: "more" },
                  [
                    item.process !== null && `process ${item.process}`,
                    item.handlers && counted(item.handlers.length, "handler"),
                    (item.version ?? (item === mine && host.version)) &&
                    `version ${item.version ?? host.version}`,
                  ].filter(Boolean).join(", "),
                ),
              ],
            },
            { title: "Since", cell: (item) => when(item.since) },
            {
              title: "Last sign of life",
              cell: (item) =>
                item.silence === null ? "–" : [
                  `${span(item.silence)} ago`,
                  item.lease !== null && h("span", { class: "more" }, `lease ${span(item.lease)}`),
                ],
            },
            {
              title: "Runs",
              wide: true,
              cell: (
                item,
              ) => [
                `${count(item.requests.length)}${item.places === null ? "" : ` of ${count(item.places)}`}`,
                item.requests.slice(0, mostRequests).map((
                  id,
                  index,
                ) => [index > 0 ? ", " : ": request ", requestLink(id)]),
                item.requests.length > mostRequests && ", …",
              ],
            },
          ],
          hosts,
          { captionHidden: true, key: (item) => String(item.host ?? item.process) },
        ),
      h(
        "p",
        { class: "buttons", "data-key": "drain" },
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
      section(
        "Tasks that run",
        tasks.length === 0 ? empty("No task runs in this host. Type ", code("curfew ps"), " to see what waits.") : table(
          "The tasks that run in this host",
          [
            {
              title: "Request",
              head: true,
              cell: (task) => requestLink(task.request),
            },
            { title: "Handler", wide: true, cell: (task) => handlerLink(task.identifier) },
            { title: "Phase", cell: (task) => mark(task.phase) },
            { title: "Runs for", number: true, cell: (task) => when(task.started, "elapsed") },
            { title: "Budget", number: true, cell: (task) => span(task.budget) },
            { title: "Expires", cell: (task) => when(task.deadline) },
          ],
          tasks.slice(0, 200),
          { captionHidden: true, key: (task) => `${task.request}-${task.launch}` },
        ),
      ),
      section(
        "The host that answers",
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
