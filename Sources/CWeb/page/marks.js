// SPDX-License-Identifier: Apache-2.0
// States and outcomes: a letter, a shape and a colour each.

import { h } from "./dom.js";

/** What a state or outcome looks like: its class in the style sheet, and its letter. */
const looks = {
  succeeded: ["good", "S"],
  failed: ["bad", "F"],
  expired: ["late", "E"],
  cancelled: ["off", "C"],
  interrupted: ["odd", "I"],
  abandoned: ["odd", "A"],
  crashed: ["crash", "X"],
  missed: ["bad", "M"],
  pending: ["wait", "P"],
  running: ["run", "R"],
  parked: ["bad", "K"],
  replaced: ["off", "O"],
  "host-gone": ["odd", "G"],
  finished: ["off", "D"],
  queued: ["wait", "Q"],
  held: ["wait", "H"],
  stopping: ["late", "T"],
  works: ["good", "W"],
  drained: ["late", "D"],
  leaving: ["late", "L"],
  silent: ["bad", "N"],
  ok: ["good", "✓"],
  warn: ["late", "!"],
  fail: ["bad", "X"],
  degraded: ["bad", "X"],
  ready: ["good", "R"],
  validated: ["wait", "V"],
  retired: ["off", "T"],
  shadowed: ["off", "S"],
  quarantined: ["bad", "Q"],
  paused: ["late", "P"],
  off: ["off", "O"],
  gone: ["off", "G"],
  met: ["good", "✓"],
  unmet: ["bad", "X"],
  unknown: ["odd", "?"],
  yes: ["good", "✓"],
  no: ["bad", "X"],
};

export const outcomes = [
  "succeeded",
  "failed",
  "expired",
  "cancelled",
  "interrupted",
  "abandoned",
  "crashed",
];

export const look = (word) => looks[word]?.[0] ?? "off";
export const letter = (word) => looks[word]?.[1] ?? "·";

/** A word with its mark. */
export function mark(word, text = word) {
  if (!word) return "–";
  return h(
    "span",
    { class: `mark ${look(word)}` },
    h("span", { class: "sign", "aria-hidden": "true" }, letter(word)),
    " ",
    text,
  );
}

/** The word of `curfew ps` for a request: its outcome once it is finished. */
export const stateOf = (request) =>
  request.state === "finished" ? request.outcome ?? "finished" : request.state;

/** Whether nothing more becomes of a request by itself. */
export const isOver = (request) => ["finished", "cancelled", "replaced", "missed"].includes(request.state);
