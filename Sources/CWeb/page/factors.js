// SPDX-License-Identifier: Apache-2.0
// The factors of the machine: how they stand, and how they stood over the day.

import { query } from "./api.js";
import { figure, intervals, week } from "./charts.js";
import { commandLine, line } from "./command.js";
import { code, empty, p, prose, section, table } from "./dom.js";
import { count, percent, span } from "./format.js";
import { mark } from "./marks.js";
import { heading } from "./parts.js";
import { dates, hour, minute } from "./series.js";
import { absolute, at, clock, when } from "./time.js";
import { cut } from "./text.js";

const mostIntervals = 500;

/** When the app of the store is used, and when its data were refreshed, as the scheduler has learnt it. */
function usage(context, { days, since }) {
  const hours = (key, words) =>
    days.map((day) => ({
      name: day.day,
      cells: day[key].map((value, hour) => ({ value, text: `${day.day} ${hour} h: ${words(value)}` })),
    }));
  const draw = (id, title, key, words, empty) =>
    figure(context, {
      id,
      title,
      legend: [["level-1", "less"], ["level-4", "more"]],
      draw: (width) => week(width, title, "One square for each hour of the week", hours(key, words)),
      columns: [
        ["Day", (day) => day.day, "head"],
        ["Hours", (day) => day[key].map((value, hour) => value > 0 && `${hour} h: ${words(value)}`).filter(Boolean).join(", ") || "none", "wide"],
      ],
      rows: days.some((day) => day[key].some((value) => value > 0)) ? days : [],
      empty,
    });
  return section("Over the week",
    draw("used", "When the app is used", "used", percent,
      "Nothing is known of its use: an app says it with `noteUsage()`, or `curfew_host_note_usage`."),
    draw("refreshed", `When its data were refreshed, since ${absolute(since)}`, "refreshed", count,
      "No request for a refresh was launched in this time."),
    p(prose("The hours are those of the host's time zone. `curfew usage` draws the same.")),
  );
}

export default {
  title: () => "Factors",
  every: 20,
  wants: (changes) => changes.all || changes.kinds.has("factor-changed"),

  async load(context) {
    const to = Math.ceil(Date.now() / minute) * minute;
    const from = to - 24 * hour;
    const [now, history, use] = await Promise.all([
      context.get("factors"),
      context.get("factors/history" + query(dates({ from, to })), { fresh: 5, or: null }),
      context.get("usage", { fresh: 60, or: null }),
    ]);
    return { from, to, now: now.factors, history: history?.factors ?? null, use };
  },

  render(context, { from, to, now, history, use }) {
    const rows = (history ?? []).map(({ name, intervals: list }) => ({
      name,
      items: list.slice(-mostIntervals).map((item) => {
        const [start, end] = [Date.parse(item.from), item.to === null ? Date.now() : Date.parse(item.to)];
        return {
          name,
          state: item.state,
          start,
          end,
          isNow: item.to === null,
          detail: item.detail,
          text: `${name} ${item.state}, ${clock(start)} to ${item.to === null ? "now" : clock(end)}${
            item.detail ? `: ${cut(item.detail, 200)}` : ""
          }`,
        };
      }),
    }));
    const ticks = [];
    const step = context.width < 500 ? 6 : 3;
    const first = new Date(from);
    first.setMinutes(0, 0, 0);
    for (let index = 0; index <= 25; index += 1) {
      const time = first.getTime() + index * hour;
      if (time > from && time < to && new Date(time).getHours() % step === 0) {
        ticks.push({ time, text: clock(time) });
      }
    }
    const title = "Factors over the last 24 hours";
    return [
      heading("Factors"),
      now.length === 0
        ? empty("No source knows a factor of this machine. Type `curfew doctor` to see why.")
        : table(
          "What the machine is like now",
          [
            ["Factor", (factor) => factor.name, "head"],
            ["State", (factor) => mark({ yes: "met", no: "unmet" }[factor.state] ?? "unknown")],
            ["Detail", (factor) => cut(factor.detail, 300), "wide"],
            ["Since", (factor) => when(factor.since)],
            ["Source", (factor) => code(cut(factor.source, 120)), "wide"],
          ],
          now,
          { key: (factor) => factor.name },
        ),
      section("Over the day",
        history === null
          ? empty("The host does not give the history. Type `curfew doctor` to see how they stand.")
          : figure(context, {
            id: "factors",
            title,
            legend: [["good", "met"], ["bad tall", "not met"], ["odd", "unknown"]],
            draw: (width) => intervals(width, title, rows, from, to, ticks),
            columns: [
              ["Factor", (item) => item.name, "head"],
              ["State", (item) => mark(item.state)],
              ["From", (item) => at(item.start)],
              ["To", (item) => item.isNow ? "now" : at(item.end)],
              ["For", (item) => span((item.end - item.start) / 1000), "number"],
              ["Detail", (item) => cut(item.detail ?? "", 200), "wide"],
            ],
            rows: context.switches.has("factors")
              ? rows.flatMap((row) => row.items).slice(0, mostIntervals)
              : rows,
            empty: "The history has just begun: a factor is here once the host has read it.",
          }),
      ),
      use && usage(context, use),
      commandLine(line(null, "doctor")),
    ];
  },
};
