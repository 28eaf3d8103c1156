// SPDX-License-Identifier: Apache-2.0
// The handlers, and what each has done since its host began.

import { commandLine, line } from "./command.js";
import { empty, strong, table } from "./dom.js";
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
        ? empty("No handler is registered. Type `curfew plugins` to see which plugins are found.")
        : table(
          "The registered handlers; ends of tasks and lost workers are those since the host began",
          [
            ["Handler", (handler) => handlerLink(handler.identifier), "head wide"],
            ["State", (handler) => mark(handlerState(handler))],
            ["Run", (handler) => count(handler.active), "number"],
            ["Wait", (handler) => count(handler.queued), "number"],
            ["Succeeded", (handler) => count(handler.ended.succeeded ?? 0), "number"],
            ["Not succeeded", (handler) => bad(handler) > 0 ? strong(count(bad(handler))) : "0", "number"],
            ["Lost", (handler) => count(handler.lost), "number"],
            ["Budget", (handler) => span(handler.budget), "number"],
          ],
          handlers,
          { key: (handler) => handler.identifier, captionShown: true },
        ),
      commandLine(line(null, "plugins")),
    ];
  },
};
