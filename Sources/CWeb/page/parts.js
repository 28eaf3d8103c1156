// SPDX-License-Identifier: Apache-2.0
// What several views show: the name of a request, misses with their reasons, the chart of promises.

import { figure, pairs } from "./charts.js";
import { quoted } from "./command.js";
import { code, h, li, link, quiet, strong, table } from "./dom.js";
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
  return h(
    "ul",
    { class: "reasons" },
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
      { title: "Promised for", head: true, cell: (miss) => at(miss.due) },
      {
        title: "What",
        wide: true,
        cell: (
          miss,
        ) => [
          requestLink(miss.request, miss.schedule ?? miss.identifier),
          " ",
          quiet(`request ${miss.request}`),
        ],
      },
      { title: "Held by", wide: true, cell: (miss) => reasons(miss.reasons) },
      {
        title: "Launched",
        cell: (miss) => [
          miss.launched
            ? [
              at(miss.launched),
              quiet(` ${span((Date.parse(miss.launched) - Date.parse(miss.due)) / 1000)} late`),
            ]
            : mark("missed", "not launched"),
          miss.skipped && h("span", { class: "more" }, cut(miss.skipped, 200)),
        ],
      },
    ],
    misses,
    { captionHidden: true },
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
      { title: "Hour", head: true, cell: (slot) => slot.name },
      { title: "Promised", number: true, cell: (slot) => count(slot.promised) },
      { title: "Launched", number: true, cell: (slot) => count(slot.launched) },
      {
        title: "Missed",
        number: true,
        cell: (slot) => slot.missed > 0 ? link(slot.href, count(slot.missed)) : "0",
      },
    ],
    rows: linked.some((slot) => slot.promised + slot.launched + slot.missed > 0) ? linked : [],
    empty: ["Nothing was promised or launched in this time. Type ", code("curfew schedules"), " to see what is."],
  });
}

/** The last ends, newest first. */
export function endTable(caption, ends, names = new Map()) {
  return table(
    caption,
    [
      { title: "When", head: true, cell: (end) => when(end.at) },
      {
        title: "Request",
        wide: true,
        cell: (end) => [
          requestLink(end.request),
          " ",
          names.get(end.request) ?? (end.identifier && handlerLink(end.identifier)),
        ],
      },
      { title: "Outcome", cell: (end) => mark(end.outcome) },
      { title: "Took", number: true, cell: (end) => span(end.duration) },
    ],
    ends,
    { captionHidden: true, key: (end) => `${end.request}-${end.launch}` },
  );
}

/** The heading of a view, on which the focus is set when the view opens. */
export const heading = (...children) => h("h1", { tabindex: "-1", "data-key": "heading" }, ...children);
