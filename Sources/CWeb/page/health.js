// SPDX-License-Identifier: Apache-2.0
// Health: what the host finds about itself, and how to mend it.

import { commandLine, line } from "./command.js";
import { code, h, prose, table } from "./dom.js";
import { mark } from "./marks.js";
import { heading } from "./parts.js";
import { sentence } from "./stage.js";

const words = {
  ok: "The host does all its work.",
  drained: "The host launches nothing: it is drained.",
  degraded: "Some work waits until what is listed first is mended.",
};
const rank = { fail: 0, warn: 1, ok: 2 };

export default {
  title: () => "Health",
  every: 10,
  wants: (changes) => changes.all || changes.kinds.size > 0,
  load: (context) => context.get("health"),
  render(context, health) {
    return [
      heading("Health"),
      h("p.lead@lead", { role: "status" },
        mark(health.status),
        " ",
        words[health.status] ?? "",
      ),
      table(
        "What the host finds",
        [
          ["Part", (finding) => finding.part, "head"],
          ["State", (finding) => mark(finding.state)],
          ["Finding", (finding) => prose(sentence(finding.text)), "wide"],
          ["Type", (finding) => finding.mend ? code(finding.mend) : "–", "wide"],
        ],
        [...health.findings].sort((a, b) => rank[a.state] - rank[b.state]),
        { key: (finding) => finding.part },
      ),
      commandLine(line(context.host, "health")),
    ];
  },
};
