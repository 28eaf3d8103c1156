// SPDX-License-Identifier: Apache-2.0
// States and outcomes: a letter, a shape and a colour each.

import { h } from "./dom.js";

/** What a state or outcome looks like: its class in the style sheet with the words and their letters. */
const looks = {};
for (const [name, words] of Object.entries({
  good: "succeeded:S works:W ok:✓ ready:R met:✓ yes:✓",
  bad: "failed:F missed:M parked:K silent:N fail:X degraded:X quarantined:Q unmet:X no:X",
  late: "expired:E stopping:T drained:D leaving:L warn:! paused:P",
  off: "cancelled:C replaced:O finished:D retired:T shadowed:S off:O gone:G",
  odd: "interrupted:I abandoned:A host-gone:G unknown:?",
  crash: "crashed:X",
  wait: "pending:P queued:Q held:H validated:V",
  run: "running:R",
})) {
  for (const word of words.split(" ")) looks[word.slice(0, -2)] = [name, word.at(-1)];
}

export const outcomes = "succeeded failed expired cancelled interrupted abandoned crashed".split(" ");

export const look = (word) => looks[word]?.[0] ?? "off";
export const letter = (word) => looks[word]?.[1] ?? "·";

/** A word with its mark. */
export function mark(word, text = word) {
  if (!word) return "–";
  return h("span", { class: `mark ${look(word)}` },
    h("span.sign", { "aria-hidden": "true" }, letter(word)),
    " ",
    text,
  );
}

/** The word of `curfew ps` for a request: its outcome once it is finished. */
export const stateOf = (request) =>
  request.state === "finished" ? request.outcome ?? "finished" : request.state;

/** Whether nothing more becomes of a request by itself. */
export const isOver = (request) => ["finished", "cancelled", "replaced", "missed"].includes(request.state);
