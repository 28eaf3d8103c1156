// SPDX-License-Identifier: Apache-2.0
// What several views show: the name of a request, misses with their reasons, the chart of promises.

import { figure, pairs } from "./charts.js";
import { quoted } from "./command.js";
import { h, li, link, quiet, strong, table } from "./dom.js";
import { count, span } from "./format.js";
import { cut } from "./text.js";
import { address } from "./router.js";
import { withLinks } from "./series.js";
import { mark } from "./marks.js";
import { at, when } from "./time.js";

/** What a request is for, in one line: its program, or the identifier of its handler. */
export const purpose = (request, most = 120) =>
  cut(request.argv ? request.argv.map(quoted).join(" ") : request.identifier, most);

export const requestLink = (id, text = String(id)) => link(address(["requests", String(id)]), text);
export const handlerLink = (identifier) => link(address(["handlers", identifier]), cut(identifier, 120));

/** The factors that held a launch back, the longest first. */
export function reasons(list) {
  if (!list || list.length === 0) return quiet("no reason is recorded");
  return h("ul.reasons",
    [...list].sort((a, b) => b.seconds - a.seconds).map((reason) =>
      li(
        strong(reason.factor),
        ` for ${span(reason.seconds)}`,
        reason.detail && `: ${cut(reason.detail, 160)}`,
      )
    ),
  );
}

/** A table of promised launches that did not happen in time, and why. */
export function missTable(caption, misses) {
  return table(
    caption,
    [
      ["Promised for", (miss) => at(miss.due), "head"],
      ["What", (miss) => [
        requestLink(miss.request, miss.schedule ?? miss.identifier),
        " ",
        quiet(`request ${miss.request}`),
      ], "wide"],
      ["Held by", (miss) => reasons(miss.reasons), "wide"],
      ["Launched", (miss) => [
        miss.launched
          ? [
            at(miss.launched),
            quiet(` ${span((Date.parse(miss.launched) - Date.parse(miss.due)) / 1000)} late`),
          ]
          : mark("missed", "not launched"),
        miss.skipped && h("span.more", cut(miss.skipped, 200)),
      ]],
    ],
    misses,
  );
}

/** The chart of what was promised, launched and missed in each hour. */
export function promiseChart(context, list, size, title, query) {
  const linked = withLinks(list, size, query);
  return figure(context, {
    id: "promises",
    title,
    note: "a missed bar leads to its reasons",
    legend: [["promised", "promised"], ["launched", "launched"], ["missed", "missed, below the axis"]],
    draw: (width) => pairs(width, title, linked),
    columns: [
      ["Hour", (slot) => slot.name, "head"],
      ["Promised", (slot) => count(slot.promised), "number"],
      ["Launched", (slot) => count(slot.launched), "number"],
      ["Missed", (slot) => slot.missed > 0 ? link(slot.href, count(slot.missed)) : "0", "number"],
    ],
    rows: linked.some((slot) => slot.promised + slot.launched + slot.missed > 0) ? linked : [],
    empty: "Nothing was promised or launched in this time. Type `curfew schedules` to see what is.",
  });
}

/** The last ends, newest first. */
export function endTable(caption, ends, names = new Map()) {
  return table(
    caption,
    [
      ["When", (end) => when(end.at), "head"],
      ["Request", (end) => [
        requestLink(end.request),
        " ",
        names.get(end.request) ?? (end.argv ? purpose(end) : end.identifier && handlerLink(end.identifier)),
      ], "wide"],
      ["Outcome", (end) => mark(end.outcome)],
      ["Took", (end) => span(end.duration), "number"],
    ],
    ends,
    { key: (end) => `${end.request}-${end.launch}` },
  );
}

/** The heading of a view, on which the focus is set when the view opens. */
export const heading = (...children) => h("h1@heading", { tabindex: "-1" }, ...children);
