// SPDX-License-Identifier: Apache-2.0
// The plugins: which build is in use, who signed it, what confines it, and how its process ended.

import { button, perform } from "./actions.js";
import { post } from "./api.js";
import { commandLine, line } from "./command.js";
import { code, empty, facts, h, li, p, prose, quiet, table } from "./dom.js";
import { counted } from "./format.js";
import { mark } from "./marks.js";
import { heading } from "./parts.js";
import { encoded } from "./router.js";
import { sentence } from "./stage.js";
import { at, when } from "./time.js";
import { cut } from "./text.js";

function quarantine(context, plugin) {
  const state = plugin.quarantine;
  if (!state) return null;
  return h("div.notice.bad",
    p(
      "Quarantined since ",
      at(state.since),
      `: ${state.reason}. Its requests wait until it is released. Release it, or type `,
      code(line(context.host, "release", plugin.id)),
      ".",
    ),
    button("plugin", "Release it", () =>
      perform(context, {
        title: `Release ${plugin.id}?`,
        text: "The host starts its process again, and launches the requests that wait.",
        yes: "Release",
        command: line(context.host, "release", plugin.id),
        call: () => post(`plugins/${encoded(plugin.id)}/release`),
        done: `${plugin.id} is run again`,
      })),
  );
}

export default {
  title: () => "Plugins",
  every: 10,
  wants: (changes) =>
    changes.all || changes.kinds.has("ended") || changes.kinds.has("host-started") ||
    changes.kinds.has("released"),
  load: (context) => context.get("plugins"),
  render(context, { plugins }) {
    const isBad = (plugin) => plugin.quarantine || plugin.status === "failed";
    return [
      heading("Plugins"),
      plugins.length === 0 &&
      empty(
        "No plugin is found. Type `curfew new example` to make one, or `curfew paths` to see where they are searched.",
      ),
      [...plugins].sort((a, b) => (isBad(b) ? 1 : 0) - (isBad(a) ? 1 : 0)).map((plugin) =>
        h("section.item", { "data-key": plugin.id + plugin.directory, "aria-label": plugin.id },
          h("h2",
            cut(plugin.id || plugin.directory, 120),
            " ",
            quiet(plugin.version),
            " ",
            mark(plugin.quarantine ? "quarantined" : plugin.status),
          ),
          quarantine(context, plugin),
          plugin.reason && !plugin.quarantine && h("p.notice.bad", prose(sentence(plugin.reason))),
          facts([
            ["Directory", code(plugin.directory)],
            [
              "Runs in",
              {
                thread: "the host",
                process: "a process of its own",
                fresh: "a process for each task",
              }[plugin.isolation],
            ],
            [
              "Process",
              plugin.process &&
              `${plugin.process}${plugin.starts > 1 ? `, started ${counted(plugin.starts, "time")}` : ""}`,
            ],
            ["Last end", plugin.lastEnd],
            ["SHA-256", plugin.sha256 && h("code.hash", plugin.sha256)],
            ["Signer", plugin.signer ?? "not signed"],
          ]),
          plugin.crashes?.length > 0 &&
            h("details", { open: isBad(plugin) },
              h("summary", counted(plugin.crashes.length, "crash", "crashes")),
              table(
                `Crashes of ${plugin.id}`,
                [
                  ["When", (crash) => [at(crash.at), " (", when(crash.at), ")"], "head"],
                  ["What", (crash) => cut(crash.text, 300), "wide"],
                ],
                plugin.crashes.slice(-50).reverse(),
              ),
            ),
          plugin.notInForce.length > 0 &&
            h("details",
              h("summary", `${counted(plugin.notInForce.length, "limit")} not in force`),
              h("ul", plugin.notInForce.map((text) => li(text))),
            ),
        )
      ),
      commandLine(line(null, "plugins")),
    ];
  },
};
