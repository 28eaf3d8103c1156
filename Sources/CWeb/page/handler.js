// SPDX-License-Identifier: Apache-2.0
// One handler: how its last tasks ended, how long they took, and how much of their budget they used.

import { button, perform } from "./actions.js";
import { post, Refusal } from "./api.js";
import { figure, histogram, shares, strip } from "./charts.js";
import { commandLine, line } from "./command.js";
import { code, empty, facts, h, link, prose, section, tabs } from "./dom.js";
import { count, counted, percent, span } from "./format.js";
import { handlerState } from "./handlers.js";
import { letter, look, mark, outcomes } from "./marks.js";
import { heading } from "./parts.js";
import { address, encoded } from "./router.js";
import { range, spans, statisticsPath, sumOfCounts } from "./series.js";
import { absolute } from "./time.js";

const noEnds =
  "No task ended in this time. Choose a longer one, or type `curfew ps` to see what waits.";

const spanOf = (context) => Object.hasOwn(spans, context.query.span) ? context.query.span : "24h";

function bucketRows(bounds, counts, format) {
  return counts.map((value, index) => ({
    value,
    name: index === 0
      ? `up to ${format(bounds[0])}`
      : index < bounds.length
      ? `${format(bounds[index - 1])} to ${format(bounds[index])}`
      : `more than ${format(bounds.at(-1))}`,
  }));
}

const bucketColumns = (title) => [
  [title, (row) => row.name, "head"],
  ["Tasks", (row) => count(row.value), "number"],
];

function spanChart(context, id, title, bounds, counts, budget, note) {
  return figure(context, {
    id,
    title,
    note,
    draw: (width) => histogram(width, title, bounds, counts, budget),
    columns: bucketColumns("Span"),
    rows: counts.some((value) => value > 0) ? bucketRows(bounds, counts, span) : [],
    empty: noEnds,
  });
}

function budgetChart(context, bounds, counts) {
  const slots = counts.map((value, index) => ({
    value,
    isOver: index === bounds.length,
    label: index === bounds.length ? "expired" : `≤ ${percent(bounds[index])}`,
    short: index === bounds.length ? "exp." : `≤${Math.round(bounds[index] * 100)}`,
  }));
  const title = "Share of the budget that tasks used";
  return figure(context, {
    id: "budget",
    title,
    draw: (width) => shares(width, title, slots),
    columns: bucketColumns("Share of the budget"),
    rows: counts.some((value) => value > 0)
      ? slots.map((slot) => ({ name: slot.label, value: slot.value }))
      : [],
    empty: noEnds,
  });
}

export default {
  title: (context) => context.path[1],
  every: 15,
  wants: (changes) => changes.all || changes.requests.size > 0,

  async load(context) {
    const identifier = context.path[1];
    const chosen = spans[spanOf(context)];
    const [handlers, ends, statistics] = await Promise.all([
      context.get("handlers"),
      context.get(`ends?identifier=${encoded(identifier)}&limit=100`, { or: { ends: [] } }),
      context.get(statisticsPath(range(chosen.length, chosen.step), { identifier }), { fresh: 5, or: null }),
    ]);
    const handler = handlers.handlers.find((item) => item.identifier === identifier) ?? null;
    if (!handler && ends.ends.length === 0) {
      throw new Refusal(404, {
        message: `no handler is registered for ${identifier}`,
        help: ["type `curfew plugins` to see which plugins are found"],
      });
    }
    return { handler, ends: ends.ends, statistics };
  },

  render(context, { handler, ends, statistics }) {
    const identifier = context.path[1];
    const part = `handlers/${encoded(identifier)}`;
    const cells = [...ends].reverse().map((end) => ({
      key: `${end.request}-${end.launch}`,
      href: address(["requests", String(end.request)]),
      outcome: end.outcome,
      text: `Request ${end.request}, ${absolute(end.at)}: ${end.outcome} after ${span(end.duration)}`,
    }));
    const sums = outcomes.map((outcome) => [outcome, ends.filter((end) => end.outcome === outcome).length])
      .filter(([, value]) => value > 0);
    // Each program has a budget of its own.
    const isProgram = identifier === "org.curfew.command";
    const { delayBounds = [], durationBounds = [], budgetBounds = [] } = statistics ?? {};
    return [
      heading(identifier),
      handler &&
      h("p.lead@lead", { role: "status" },
        mark(handlerState(handler)),
        " ",
        handler.quarantined
          ? [
            `It is quarantined: ${handler.quarantined}. Its requests wait. Type `,
            code(line(context.host, "release", handler.plugin ?? identifier)),
            ".",
          ]
          : handler.paused
          ? "It is paused: its requests wait."
          : `${counted(handler.active, "task runs", "tasks run")}, ${count(handler.queued)} wait.`,
      ),
      !handler && h("p.notice.bad",
        prose(
          "No handler is registered for it now. Its requests wait. Type `curfew plugins` to see which are found.",
        ),
      ),
      handler &&
      h("p.buttons@buttons",
        handler.paused
          ? button(
            "resume",
            "Resume",
            () =>
              perform(context, {
                call: () => post(`${part}/resume`),
                done: `${identifier} is launched again`,
              }),
          )
          : button("pause", "Pause", () =>
            perform(context, {
              title: `Pause ${identifier}?`,
              text: "Its requests are kept and wait. Tasks that run go on.",
              yes: "Pause",
              command: line(context.host, "settings", "enablement=suspended", "--identifier", identifier),
              call: () => post(`${part}/pause`),
              done: `${identifier} is paused`,
            })),
        " ",
        h("a", { href: address(["requests"], { identifier }) }, "Its requests"),
      ),
      section("The last ends",
        cells.length === 0 ? empty(
          `No task of it has ended. Type \`${
            isProgram ? "curfew submit -- /bin/date" : line(context.host, "submit", identifier)
          }\` to submit a request.`,
        ) : [
          h("p.quiet",
            `${counted(cells.length, "task")}, the newest last: ${
              sums.map(([outcome, value]) => `${count(value)} ${outcome}`).join(", ")
            }. A cell leads to its request.`,
          ),
          strip(cells, letter, look),
          h("p.legend", { "aria-hidden": "true" }, sums.map(([outcome]) => mark(outcome))),
        ],
      ),
      section("How long it takes",
        tabs(
          "Span of the charts",
          Object.entries(spans).map(([name, { text }]) => [
            text,
            address(["handlers", identifier], { span: name }),
            name === spanOf(context),
          ]),
        ),
        statistics === null
          ? empty("The host does not give its statistics. Type `curfew health` to see why.")
          : [
            budgetChart(context, budgetBounds, sumOfCounts(statistics, "budget", budgetBounds.length + 1)),
            spanChart(
              context,
              "duration",
              "Run time of tasks",
              durationBounds,
              sumOfCounts(statistics, "duration", durationBounds.length + 1),
              isProgram ? null : handler?.budget ?? ends[0]?.budget,
              isProgram && "each program has a budget of its own",
            ),
            spanChart(
              context,
              "delay",
              "Delay between the date and the launch",
              delayBounds,
              sumOfCounts(statistics, "delay", delayBounds.length + 1),
            ),
          ],
      ),
      handler && section("Facts",
        facts([
          ["Plugin", handler.plugin ? link("#/plugins", handler.plugin) : "the host itself"],
          ["Kind", handler.kind],
          ["Budget", isProgram ? `${span(handler.budget)} unless a program has its own` : span(handler.budget)],
          ["Grace", span(handler.grace)],
          ["Lost workers", handler.lost || null],
        ]),
      ),
      commandLine(line(context.host, "ps", "--all", "--identifier", identifier)),
    ];
  },
};
