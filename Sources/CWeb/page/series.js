// SPDX-License-Identifier: Apache-2.0
// Series of the statistics: ranges of time, slots without gaps, and sums.

import { query } from "./api.js";
import { outcomes } from "./marks.js";
import { address } from "./router.js";
import { clock, day, stamp } from "./time.js";

export const hour = 3600_000;
export const minute = 60_000;

/** The spans that a person can choose, with the step of their series. */
export const spans = {
  "3h": { text: "3 hours", length: 3 * hour, step: "minute" },
  "24h": { text: "24 hours", length: 24 * hour, step: "hour" },
  "7d": { text: "7 days", length: 168 * hour, step: "hour" },
};

/** Returns the range that ends with the present minute or hour, so that its address changes seldom. */
export function range(length, step) {
  const size = step === "minute" ? minute : hour;
  const to = Math.ceil((Date.now() + 1) / size) * size;
  return { from: to - length, to, size, step };
}

export const dates = ({ from, to }) => ({ from: stamp(from), to: stamp(to) });

export const statisticsPath = (range, members = {}) =>
  "statistics" + query({ step: range.step, ...dates(range), ...members });

/** Returns a slot for each step of a range; steps of which the host has nothing have zeros. */
export function slots(range, answer) {
  const points = new Map((answer?.series?.[0]?.points ?? []).map((point) => [Date.parse(point.at), point]));
  const list = [];
  for (let time = range.from; time < range.to && list.length < 500; time += range.size) {
    const point = points.get(time);
    list.push({
      time,
      at: stamp(time),
      label: clock(time),
      name: `${day(time)}, ${clock(time)} to ${clock(time + range.size)}`,
      promised: point?.promised ?? 0,
      launched: point?.launched ?? 0,
      missed: point?.missed ?? 0,
      ends: point?.ends ?? {},
    });
  }
  return list;
}

/** Returns what promised and launched are in hours, for the chart of pairs. */
export const withLinks = (list, size, query = {}) =>
  list.map((slot) => ({
    ...slot,
    href: address(["schedules"], { ...query, from: slot.at, to: stamp(slot.time + size) }),
  }));

/** Returns the sum of the ends of some slots, by outcome. */
export function sumOfEnds(list) {
  return Object.fromEntries(
    outcomes.map((outcome) => [outcome, list.reduce((sum, slot) => sum + (slot.ends[outcome] ?? 0), 0)]),
  );
}

/** Returns the counts of a histogram, bucket by bucket, over all points. */
export function sumOfCounts(answer, key, length) {
  const counts = new Array(length).fill(0);
  for (const point of answer?.series?.[0]?.points ?? []) {
    for (let index = 0; index < length; index += 1) counts[index] += point[key]?.counts?.[index] ?? 0;
  }
  return counts;
}
