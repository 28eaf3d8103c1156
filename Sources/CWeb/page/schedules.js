// SPDX-License-Identifier: Apache-2.0
// Schedules: when each runs next, how it ended last, and which promised launches were missed.

import { post, query } from "./api.js";
import { button, perform } from "./actions.js";
import { commandLine, line } from "./command.js";
import { h, link, prose, section, table } from "./dom.js";
import { counted } from "./format.js";
import { mark } from "./marks.js";
import { heading, missTable, promiseChart, requestLink } from "./parts.js";
import { ruleWords } from "./rule.js";
import { dates, hour, range, slots, statisticsPath } from "./series.js";
import { clock, day, when } from "./time.js";

const mostMisses = 100;

/** The range whose misses are listed, from the address. */
function chosen(context) {
  const [from, to] = [Date.parse(context.query.from), Date.parse(context.query.to)];
  return Number.isFinite(from) && Number.isFinite(to) && from < to ? { from, to } : null;
}

function missesSection(data, range) {
  const { misses } = data;
  const name = `${day(range.from)}, ${clock(range.from)} to ${
    range.to - range.from > 20 * hour ? day(range.to) + ", " : ""
  }${clock(range.to)}`;
  return section("Missed launches",
    h("p", { role: "status" },
      misses.misses.length === 0
        ? `Nothing was missed on ${name}. `
        : `${misses.more ? "The last " : ""}${counted(misses.misses.length, "launch", "launches")} ${
          misses.misses.length === 1 ? "was" : "were"
        } late or not made on ${name}; a launch can stand for several dates. `,
      link("#/schedules", "Close the list"),
    ),
    misses.misses.length > 0 && missTable(`Missed on ${name}`, misses.misses),
  );
}

export default {
  title: () => "Schedules",
  every: 15,
  wants: (changes) => changes.all || changes.requests.size > 0,

  // The list of misses is seen once a bar was chosen.
  moved(context) {
    context.state.seek = chosen(context) !== null;
  },

  drawn(context) {
    if (!context.state.seek || !context.data?.misses) return;
    context.state.seek = false;
    document.getElementById("s-missed-launches")?.scrollIntoView({ block: "nearest" });
  },

  async load(context) {
    const hours = range(24 * hour, "hour");
    const misses = chosen(context);
    const [schedules, statistics, missed] = await Promise.all([
      context.get("schedules"),
      context.get(statisticsPath(hours), { fresh: 10, or: null }),
      misses &&
      context.get("misses" + query({ ...dates(misses), limit: mostMisses }), {
        fresh: 10,
        or: { misses: [], more: false },
      }),
    ]);
    return { schedules: schedules.schedules, slots: slots(hours, statistics), misses: missed, shown: misses };
  },

  render(context, data) {
    return [
      heading("Schedules"),
      data.schedules.length === 0
        ? h("p.empty@empty",
          prose(
            "The configuration has no schedules. Write one into `~/.config/curfew/curfew.json`, " +
              "then type `curfew reload`.",
          ),
        )
        : table(
          "The schedules of the configuration",
          [
            ["Schedule", (item) => item.request ? requestLink(item.request, item.name) : item.name, "head"],
            ["Rule", (item) => h("span", { title: item.rule ?? undefined }, ruleWords(item.rule)), "wide"],
            ["State", (item) => mark(item.state)],
            ["Next", (item) => when(item.next)],
            ["Last outcome", (item) => item.last ? mark(item.last) : "–"],
          ],
          data.schedules,
          { key: (item) => item.name },
        ),
      section("Promised and launched",
        promiseChart(context, data.slots, hour, "Launches in each hour of the last 24 hours"),
      ),
      data.misses && missesSection(data, data.shown),
      h("p.buttons@reload",
        button("reload", "Read the configuration again", () =>
          perform(context, {
            title: "Read the configuration again?",
            text: "Schedules that differ are changed. Tasks that run are not stopped.",
            yes: "Read it",
            command: line(context.host, "reload"),
            call: () => post("reload"),
            done: (answer) =>
              [answer.text, ...(answer.notes ?? [])].filter(Boolean).join("; ") ||
              "The configuration is read",
          })),
      ),
      commandLine(line(context.host, "schedules")),
    ];
  },
};
