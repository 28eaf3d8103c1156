// SPDX-License-Identifier: Apache-2.0
// Dates, relative to now, with the date itself in the title. One timer updates all that are shown.

import { h } from "./dom.js";
import { span } from "./format.js";

const dated = new Intl.DateTimeFormat("en-GB", {
  year: "numeric",
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});
const hours = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const days = new Intl.DateTimeFormat("en-GB", { month: "short", day: "numeric" });

/** The name of the machine's zone. */
export const zone = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

/** Returns a date with its seconds: 29 Nov 2026, 12:03:05. */
export const absolute = (date) => dated.format(new Date(date));

/** Returns the time of a day: 12:03. */
export const clock = (date) => hours.format(new Date(date));

/** Returns the day: 29 Nov. */
export const day = (date) => days.format(new Date(date));

/** Returns a date as the API takes it. */
export const stamp = (milliseconds) => new Date(milliseconds).toISOString().replace(/\.\d+Z$/, "Z");

/** Returns how long ago a date was, or how long it is to come. */
function relative(date, now = Date.now()) {
  const seconds = (new Date(date).getTime() - now) / 1000;
  if (Math.abs(seconds) < 1) return "now";
  const words = coarse(Math.abs(seconds));
  return seconds < 0 ? `${words} ago` : `in ${words}`;
}

function coarse(seconds) {
  return span(seconds < 600 ? Math.floor(seconds) : Math.floor(seconds / 60) * 60);
}

const modes = {
  relative: (date) => relative(date),
  elapsed: (date) => coarse(Math.max(0, (Date.now() - date) / 1000)),
};

/** A date, relative to now; or with the mode `elapsed` how long it is past. */
export function when(date, mode = "relative") {
  if (!date) return "–";
  const value = new Date(date);
  if (Number.isNaN(value.getTime())) return String(date);
  return h("time", { datetime: value.toISOString(), title: `${absolute(value)} ${zone}`, "data-mode": mode },
    modes[mode](value),
  );
}

/** A date as it stands, for lists in the order of time. */
export function at(date) {
  if (!date) return "–";
  const value = new Date(date);
  const today = value.toDateString() === new Date().toDateString();
  const seconds = String(value.getSeconds()).padStart(2, "0");
  return h("time", { datetime: value.toISOString(), title: `${absolute(value)} ${zone}` },
    `${today ? "" : day(value) + ", "}${clock(value)}:${seconds}`,
  );
}

/** Brings every relative date on the page up to now. */
export function tick() {
  for (const element of document.querySelectorAll("time[data-mode]")) {
    const text = modes[element.dataset.mode]?.(new Date(element.dateTime));
    if (text !== undefined && element.textContent !== text) element.textContent = text;
  }
}
