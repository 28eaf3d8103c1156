// SPDX-License-Identifier: Apache-2.0
// Charts as SVG, drawn for the width that there is.
// Each has a title, a description, and its numbers as a table.

import { h, quiet, table } from "./dom.js";
import { count, span } from "./format.js";

const left = 36;
const right = 8;

/** A chart with its title, its legend, and a switch that shows its numbers as a table. */
export function figure(context, { id, title, note, legend, draw, columns, rows, empty }) {
  const isTable = context.switches.has(id);
  const isEmpty = rows.length === 0;
  return h("figure", { "data-key": id, "data-chart": id },
    h("figcaption",
      h("span.title", title),
      note && !isEmpty && quiet(note),
      !isEmpty && h("button", {
        class: "switch",
        "aria-pressed": String(isTable),
        onclick: () => {
          if (!context.switches.delete(id)) context.switches.add(id);
          context.draw();
        },
      }, "Show as table"),
    ),
    isEmpty ? h("p.empty", empty) : isTable
      ? h("div.scroll", { tabindex: "0", role: "region", "aria-label": title },
        table(title, columns, rows, { captionHidden: true }),
      )
      : [
        legend && h("p.legend", { "aria-hidden": "true" },
          legend.map(([name, text]) => h("span", h("span", { class: `swatch ${name}` }), text)),
        ),
        draw(context.width),
      ],
  );
}

function canvas(width, height, title, description, hasLinks, ...children) {
  return h(
    "svg:svg",
    {
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      role: hasLinks ? "group" : "img",
      class: "chart",
      "aria-label": `${title}. ${description}`,
    },
    h("svg:title", title),
    h("svg:desc", description),
    ...children,
  );
}

const rect = (name, x, y, width, height, members = {}) =>
  h("svg:rect", {
    class: name,
    x: x.toFixed(1),
    y: y.toFixed(1),
    width: Math.max(0, width).toFixed(1),
    height: Math.max(0, height).toFixed(1),
    ...members,
  });

const label = (x, y, text, anchor = "middle", name = "label") =>
  h("svg:text", { x: x.toFixed(1), y: y.toFixed(1), "text-anchor": anchor, class: name }, text);

/** The next number above that is easy to read, as its half mostly is: 1, 2, 4, 6, 8, 10, 20, … */
function ceiling(number) {
  if (number <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(number));
  return [1, 2, 4, 6, 8, 10].find((factor) => factor * power >= number) * power;
}

function scale(width, top, bottom, most) {
  const lines = most >= 2 && most % 2 === 0 ? [0, most / 2, most] : [0, most];
  return lines.map((value) => {
    const y = bottom - (bottom - top) * value / most;
    return [
      h("svg:line", {
        x1: left,
        x2: width - right,
        y1: y.toFixed(1),
        y2: y.toFixed(1),
        class: value === 0 ? "axis" : "grid",
      }),
      label(left - 5, y + 4, count(value), "end"),
    ];
  });
}

/** Shows at most as many labels below an axis as have room. */
function thinned(slots, width, room) {
  return Math.max(1, Math.ceil(slots * room / width));
}

/**
 * Pairs of bars in a row of hours: what was promised and what was launched; below the axis what was missed.
 * Each slot is {label, name, promised, launched, missed, href}.
 */
export function pairs(width, title, slots) {
  const [top, bottom, height] = [10, 122, 186];
  const most = ceiling(Math.max(1, ...slots.map((slot) => Math.max(slot.promised, slot.launched))));
  const mostMissed = Math.max(1, ...slots.map((slot) => slot.missed));
  const step = (width - left - right) / slots.length;
  const bar = Math.max(2, Math.min(14, step / 2 - 1.5));
  const every = thinned(slots.length, width - left - right, 44);
  const sum = (key) => slots.reduce((total, slot) => total + slot[key], 0);
  const words = `${count(sum("promised"))} launches promised, ${count(sum("launched"))} launched, ${
    count(sum("missed"))
  } missed`;
  return canvas(
    width,
    height,
    title,
    words,
    true,
    scale(width, top, bottom, most),
    slots.map((slot, index) => {
      const x = left + step * index + step / 2;
      const size = (value) => (bottom - top) * value / most;
      const data = (series) => ({ "data-series": series, "data-value": slot[series], "data-at": slot.at });
      const drop = slot.missed > 0 ? Math.max(4, 22 * slot.missed / mostMissed) : 0;
      return [
        rect(
          "promised",
          x - bar - 0.5,
          bottom - size(slot.promised),
          bar,
          size(slot.promised),
          data("promised"),
        ),
        rect("launched", x + 0.5, bottom - size(slot.launched), bar, size(slot.launched), data("launched")),
        index % every === 0 && label(x, height - 6, slot.label),
        slot.missed > 0 && missedBar(slot, x, bottom, step, bar, drop),
      ];
    }),
  );
}

function missedBar(slot, x, bottom, step, bar, drop) {
  const text = `${slot.name}: ${slot.missed} missed; show which`;
  return h("svg:a.missed-link", { href: slot.href, "aria-label": text },
    rect("hit", x - step / 2, bottom + 1, step, 36),
    rect("missed", x - bar - 0.5, bottom + 3, bar * 2 + 1, drop, {
      "data-series": "missed",
      "data-value": slot.missed,
      "data-at": slot.at,
    }),
    step >= 18 && label(x, bottom + drop + 15, slot.missed, "middle", "label strong"),
    h("svg:title", text),
  );
}

/** Stacked bars close to each other, for a series of minutes: {label, good, bad}. */
export function stack(width, title, description, slots) {
  const [top, bottom, height] = [8, 74, 94];
  const most = ceiling(Math.max(1, ...slots.map((slot) => slot.good + slot.bad)));
  const step = (width - left - right) / slots.length;
  return canvas(
    width,
    height,
    title,
    description,
    false,
    scale(width, top, bottom, most),
    slots.map((slot, index) => {
      const x = left + step * index;
      const bad = (bottom - top) * slot.bad / most;
      const good = (bottom - top) * slot.good / most;
      const bar = Math.max(1, step - (step > 4 ? 1 : 0.4));
      return [
        slot.good > 0 &&
        rect("launched", x, bottom - bad - good, bar, good, {
          "data-series": "good",
          "data-value": slot.good,
          "data-at": slot.at,
        }),
        slot.bad > 0 &&
        rect("missed", x, bottom - bad, bar, bad, {
          "data-series": "bad",
          "data-value": slot.bad,
          "data-at": slot.at,
        }),
        slot.label && x > left + 14 && x < width - right - 14 && label(x, height - 5, slot.label),
      ];
    }),
  );
}

/** Bars over buckets of spans on a logarithmic axis; the last one is open. A line shows the budget. */
export function histogram(width, title, bounds, counts, budget) {
  const [top, bottom, height] = [22, 128, 150];
  const edges = [bounds[0] / 4, ...bounds, bounds[bounds.length - 1] * 3];
  const low = Math.log(edges[0]);
  const high = Math.log(edges[edges.length - 1]);
  const place = (seconds) =>
    left +
    (width - left - right) *
      (Math.log(Math.min(Math.max(seconds, edges[0]), edges[edges.length - 1])) - low) / (high - low);
  const most = ceiling(Math.max(1, ...counts));
  const total = counts.reduce((sum, value) => sum + value, 0);
  const description = `${count(total)} in ${counts.length} buckets` +
    (budget ? `; the budget is ${span(budget)}` : "");
  let lastEnd = -Infinity;
  const line = budget ? place(budget) : null;
  return canvas(
    width,
    height,
    title,
    description,
    false,
    scale(width, top, bottom, most),
    counts.map((value, index) => {
      const x = place(edges[index]);
      const size = (bottom - top) * value / most;
      return rect(
        budget && edges[index] >= budget ? "missed" : "launched",
        x + 0.5,
        bottom - size,
        place(edges[index + 1]) - x - 1,
        size,
        {
          "data-series": "counts",
          "data-value": value,
          "data-at": index < bounds.length ? bounds[index] : "more",
        },
      );
    }),
    bounds.map((bound) => {
      const x = place(bound);
      const text = span(bound).replace(/ 0 .*/, "");
      const half = text.length * 3.4;
      if (x - half < lastEnd + 5 || x + half > width) return null;
      lastEnd = x + half;
      return [
        h("svg:line.axis", { x1: x.toFixed(1), x2: x.toFixed(1), y1: bottom, y2: bottom + 4 }),
        label(x, height - 6, text),
      ];
    }),
    line !== null &&
      [
        h("svg:line", {
          x1: line.toFixed(1),
          x2: line.toFixed(1),
          y1: top - 8,
          y2: bottom,
          class: "budget",
          "data-budget": budget,
        }),
        label(
          line > width / 2 ? line - 5 : line + 5,
          top - 8,
          `budget ${span(budget)}`,
          line > width / 2 ? "end" : "start",
          "label strong",
        ),
      ],
  );
}

/**
 * Bars for shares of the budget; a line stands where the budget ends.
 * Each slot is {label, short, value, isOver}.
 */
export function shares(width, title, slots) {
  const [top, bottom, height] = [22, 128, 150];
  const most = ceiling(Math.max(1, ...slots.map((slot) => slot.value)));
  const step = (width - left - right) / slots.length;
  const over = slots.findIndex((slot) => slot.isOver);
  const line = left + step * over;
  return canvas(
    width,
    height,
    title,
    slots.map((slot) => `${slot.label}: ${count(slot.value)}`).join(", "),
    false,
    scale(width, top, bottom, most),
    slots.map((slot, index) => {
      const size = (bottom - top) * slot.value / most;
      return [
        rect(slot.isOver ? "missed" : "launched", left + step * index + 3, bottom - size, step - 6, size, {
          "data-series": "counts",
          "data-value": slot.value,
          "data-at": slot.label,
        }),
        label(left + step * (index + 0.5), height - 6, step < 52 ? slot.short : slot.label),
      ];
    }),
    h("svg:line", {
      x1: line.toFixed(1),
      x2: line.toFixed(1),
      y1: top - 8,
      y2: bottom,
      class: "budget",
      "data-budget": "1",
    }),
    label(line - 5, top - 8, "budget", "end", "label strong"),
  );
}

/** One row a factor, with a bar for each interval; what is not met is tall, unknown is low and hatched. */
export function intervals(width, title, rows, from, to, ticks) {
  const isNarrow = width < 560;
  const start = isNarrow ? 0 : 130;
  const row = isNarrow ? 42 : 28;
  const height = rows.length * row + 26;
  const place = (time) =>
    start + (width - start - right) * (Math.min(Math.max(time, from), to) - from) / (to - from);
  const looks = { met: ["good", 8], unmet: ["bad", 16], unknown: ["odd", 8] };
  return canvas(
    width,
    height,
    title,
    `${count(rows.length)} factors`,
    false,
    h("svg:defs",
      h("svg:pattern", {
        id: "hatch",
        width: "5",
        height: "5",
        patternUnits: "userSpaceOnUse",
        patternTransform: "rotate(45)",
      }, h("svg:rect.hatch", { width: "2", height: "5" })),
    ),
    ticks.map(({ time, text }) => [
      h("svg:line", {
        x1: place(time).toFixed(1),
        x2: place(time).toFixed(1),
        y1: 2,
        y2: height - 20,
        class: "grid",
      }),
      label(Math.min(Math.max(place(time), 16), width - 18), height - 6, text),
    ]),
    rows.map(({ name, items }, index) => {
      const middle = row * index + (isNarrow ? 30 : 15);
      return [
        label(0, isNarrow ? middle - 13 : middle + 4, name, "start", "label strong"),
        items.map((item) => {
          const [look, size] = looks[item.state] ?? looks.unknown;
          const x = place(item.start);
          const bar = rect(
            `interval ${look}`,
            x,
            middle - size / 2,
            Math.max(1.5, place(item.end) - x - 0.5),
            size,
            { "data-series": name, "data-value": item.state },
          );
          bar.append(h("svg:title", item.text));
          return bar;
        }),
      ];
    }),
  );
}

/** The last ends, the newest last: a link each, whose letter, height and colour say the outcome. */
export function strip(cells, letter, look) {
  return h("ol.strip",
    cells.map((cell) =>
      h("li", { "data-key": cell.key },
        h("a", { href: cell.href, class: look(cell.outcome), title: cell.text, "data-value": cell.outcome },
          h("span", { "aria-hidden": "true" }, letter(cell.outcome)),
          h("span.unseen", cell.text),
        ),
      )
    ),
  );
}
