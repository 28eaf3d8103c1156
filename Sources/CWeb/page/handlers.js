// SPDX-License-Identifier: Apache-2.0
// The handlers, and what each has done since its host began.

import { commandLine, line } from "./command.js";
import { code, empty, strong, table } from "./dom.js";
import { count, span } from "./format.js";
import { mark, outcomes } from "./marks.js";
import { handlerLink, heading } from "./parts.js";

/** The word for the state of a handler. */
export const handlerState = (handler) =>
  handler.quarantined ? "quarantined" : handler.paused ? "paused" : "ready";

export default {
  title: () => "Handlers",
  every: 10,
  wants: (changes) => changes.all || changes.requests.size > 0,
  load: (context) => context.get("handlers"),
  render(_, { handlers }) {
    const bad = (handler) =>
      outcomes.slice(1).reduce((sum, outcome) => sum + (handler.ended[outcome] ?? 0), 0);
    return [
      heading("Handlers"),
      handlers.length === 0
        ? empty("No handler is registered. Type ", code("curfew plugins"), " to see which plugins are found.")
        : table(
          "The registered handlers; ends of tasks and lost workers are those since the host began",
          [
            { title: "Handler", head: true, wide: true, cell: (handler) => handlerLink(handler.identifier) },
            { title: "State", cell: (handler) => mark(handlerState(handler)) },
            { title: "Run", number: true, cell: (handler) => count(handler.active) },
            { title: "Wait", number: true, cell: (handler) => count(handler.queued) },
            { title: "Succeeded", number: true, cell: (handler) => count(handler.ended.succeeded ?? 0) },
            {
              title: "Did not",
              number: true,
              cell: (handler) => bad(handler) > 0 ? strong(count(bad(handler))) : "0",
            },
            { title: "Lost", number: true, cell: (handler) => count(handler.lost) },
            { title: "Budget", number: true, cell: (handler) => span(handler.budget) },
          ],
          handlers,
          { key: (handler) => handler.identifier },
        ),
      commandLine(line(null, "plugins")),
    ];
  },
};
