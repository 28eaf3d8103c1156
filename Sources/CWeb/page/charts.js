// SPDX-License-Identifier: Apache-2.0
// Charts as SVG, drawn for the width that there is.
// Each has a title, a description, and its numbers as a table.

import { h, prose, quiet, table } from "./dom.js";
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
    isEmpty ? h("p.empty", prose(empty)) : isTable
      ? h("div.scroll", { tabindex: "0", role: "region", "aria-label": title },
        table(title, columns, rows),
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

const round = (members) =>
  Object.fromEntries(
    Object.entries(members).map(([key, value]) => [key, typeof value === "number" ? value.toFixed(1) : value]),
  );

const rect = (name, x, y, width, height, data = {}) =>
  h("svg:rect", {
    class: name,
    ...round({ x, y, width: Math.max(0, width), height: Math.max(0, height) }),
    "data-series": data.series,
    "data-value": data.value,
    "data-at": data.at,
  });

const rule = (name, x1, y1, x2, y2, members) =>
  h("svg:line", { class: name, ...round({ x1, y1, x2, y2 }), ...members });

const label = (x, y, text, anchor = "middle", name = "label") =>
  h("svg:text", { ...round({ x, y }), "text-anchor": anchor, class: name }, text);

/** The next number above that is easy to read, as its half mostly is: 1, 2, 4, 6, 8, 10, 20, … */
function ceiling(values) {
  const number = Math.max(1, ...values);
  const power = 10 ** Math.floor(Math.log10(number));
  return [1, 2, 4, 6, 8, 10].find((factor) => factor * power >= number) * power;
}

function scale(width, top, bottom, most) {
  const lines = most >= 2 && most % 2 === 0 ? [0, most / 2, most] : [0, most];
  return lines.map((value) => {
    const y = bottom - (bottom - top) * value / most;
    return [
      rule(value === 0 ? "axis" : "grid", left, y, width - right, y),
      label(left - 5, y + 4, count(value), "end"),
    ];
  });
}

/** The line where a budget ends, with its name on the side that has room. */
function budgetLine(x, top, bottom, budget, text, isRight) {
  return [
    rule("budget", x, top - 8, x, bottom, { "data-budget": budget }),
    label(isRight ? x - 5 : x + 5, top - 8, text, isRight ? "end" : "start", "label strong"),
  ];
}

/**
 * Pairs of bars in a row of hours: what was promised and what was launched; below the axis what was missed.
 * Each slot is {label, name, promised, launched, missed, href}.
 */
export function pairs(width, title, slots) {
  const [top, bottom, height] = [10, 122, 186];
  const most = ceiling(slots.flatMap((slot) => [slot.promised, slot.launched]));
  const mostMissed = Math.max(1, ...slots.map((slot) => slot.missed));
  const step = (width - left - right) / slots.length;
  const bar = Math.max(2, Math.min(14, step / 2 - 1.5));
  // As many labels as have room.
  const every = Math.ceil(44 / step);
  const sum = (key) => count(slots.reduce((total, slot) => total + slot[key], 0));
  const words = `${sum("promised")} launches promised, ${sum("launched")} launched, ${sum("missed")} missed`;
  return canvas(width, height, title, words, true,
    scale(width, top, bottom, most),
    slots.map((slot, index) => {
      const x = left + step * index + step / 2;
      const data = (series) => ({ series, value: slot[series], at: slot.at });
      const [promised, launched] = [slot.promised, slot.launched].map((value) => (bottom - top) * value / most);
      const drop = Math.max(4, 22 * slot.missed / mostMissed);
      const text = `${slot.name}: ${slot.missed} missed; show which`;
      return [
        rect("promised", x - bar - 0.5, bottom - promised, bar, promised, data("promised")),
        rect("launched", x + 0.5, bottom - launched, bar, launched, data("launched")),
        index % every === 0 && label(x, height - 6, slot.label),
        slot.missed > 0 &&
        h("svg:a.missed-link", { href: slot.href, "aria-label": text },
          rect("hit", x - step / 2, bottom + 1, step, 36),
          rect("missed", x - bar - 0.5, bottom + 3, bar * 2 + 1, drop, data("missed")),
          step >= 18 && label(x, bottom + drop + 15, slot.missed, "middle", "label strong"),
          h("svg:title", text),
        ),
      ];
    }),
  );
}

/** Stacked bars close to each other, for a series of minutes: {label, good, bad}. */
export function stack(width, title, description, slots) {
  const [top, bottom, height] = [8, 74, 94];
  const most = ceiling(slots.map((slot) => slot.good + slot.bad));
  const step = (width - left - right) / slots.length;
  const bar = Math.max(1, step - (step > 4 ? 1 : 0.4));
  return canvas(width, height, title, description, false,
    scale(width, top, bottom, most),
    slots.map((slot, index) => {
      const x = left + step * index;
      const [good, bad] = [slot.good, slot.bad].map((value) => (bottom - top) * value / most);
      const data = (series) => ({ series, value: slot[series], at: slot.at });
      return [
        good > 0 && rect("launched", x, bottom - bad - good, bar, good, data("good")),
        bad > 0 && rect("missed", x, bottom - bad, bar, bad, data("bad")),
        slot.label && x > left + 14 && x < width - right - 14 && label(x, height - 5, slot.label),
      ];
    }),
  );
}

/** Bars over buckets of spans on a logarithmic axis; the last one is open. A line shows the budget. */
export function histogram(width, title, bounds, counts, budget) {
  const [top, bottom, height] = [22, 128, 150];
  const edges = [bounds[0] / 4, ...bounds, bounds.at(-1) * 3];
  const [low, high] = [Math.log(edges[0]), Math.log(edges.at(-1))];
  const place = (seconds) => {
    const within = Math.min(Math.max(seconds, edges[0]), edges.at(-1));
    return left + (width - left - right) * (Math.log(within) - low) / (high - low);
  };
  const most = ceiling(counts);
  const total = counts.reduce((sum, value) => sum + value, 0);
  const words = `${count(total)} in ${counts.length} buckets${budget ? `; the budget is ${span(budget)}` : ""}`;
  let lastEnd = -Infinity;
  return canvas(width, height, title, words, false,
    scale(width, top, bottom, most),
    counts.map((value, index) => {
      const x = place(edges[index]);
      const size = (bottom - top) * value / most;
      const name = budget && edges[index] >= budget ? "missed" : "launched";
      const data = { series: "counts", value, at: bounds[index] ?? "more" };
      return rect(name, x + 0.5, bottom - size, place(edges[index + 1]) - x - 1, size, data);
    }),
    bounds.map((bound) => {
      const x = place(bound);
      const text = span(bound).replace(/ 0 .*/, "");
      const half = text.length * 3.4;
      if (x - half < lastEnd + 5 || x + half > width) return null;
      lastEnd = x + half;
      return [rule("axis", x, bottom, x, bottom + 4), label(x, height - 6, text)];
    }),
    budget &&
      budgetLine(place(budget), top, bottom, budget, `budget ${span(budget)}`, place(budget) > width / 2),
  );
}

/**
 * Bars for shares of the budget; a line stands where the budget ends.
 * Each slot is {label, short, value, isOver}.
 */
export function shares(width, title, slots) {
  const [top, bottom, height] = [22, 128, 150];
  const most = ceiling(slots.map((slot) => slot.value));
  const step = (width - left - right) / slots.length;
  const words = slots.map((slot) => `${slot.label}: ${count(slot.value)}`).join(", ");
  return canvas(width, height, title, words, false,
    scale(width, top, bottom, most),
    slots.map(({ value, isOver, label: name, short }, index) => {
      const x = left + step * index;
      const size = (bottom - top) * value / most;
      const data = { series: "counts", value, at: name };
      return [
        rect(isOver ? "missed" : "launched", x + 3, bottom - size, step - 6, size, data),
        label(x + step / 2, height - 6, step < 52 ? short : name),
      ];
    }),
    budgetLine(left + step * slots.findIndex((slot) => slot.isOver), top, bottom, 1, "budget", true),
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
  const hatch = { width: 5, height: 5, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" };
  return canvas(width, height, title, `${count(rows.length)} factors`, false,
    h("svg:defs", h("svg:pattern", { id: "hatch", ...hatch }, h("svg:rect.hatch", { width: 2, height: 5 }))),
    ticks.map(({ time, text }) => [
      rule("grid", place(time), 2, place(time), height - 20),
      label(Math.min(Math.max(place(time), 16), width - 18), height - 6, text),
    ]),
    rows.map(({ name, items }, index) => {
      const middle = row * index + (isNarrow ? 30 : 15);
      return [
        label(0, isNarrow ? middle - 13 : middle + 4, name, "start", "label strong"),
        items.map((item) => {
          const [look, size] = looks[item.state] ?? looks.unknown;
          const x = place(item.start);
          const length = Math.max(1.5, place(item.end) - x - 0.5);
          const data = { series: name, value: item.state };
          const bar = rect(`interval ${look}`, x, middle - size / 2, length, size, data);
          bar.append(h("svg:title", item.text));
          return bar;
        }),
      ];
    }),
  );
}

/**
 * A square for each hour of a week, larger and darker the larger its value is.
 * Each day is {name, cells}, each cell {value, text}.
 */
export function week(width, title, description, days) {
  const step = Math.min(24, (width - left - right) / 24);
  const row = Math.max(14, step);
  const most = Math.max(...days.flatMap((day) => day.cells.map((cell) => cell.value)));
  const top = 4;
  const height = top + row * days.length + 20;
  return canvas(width, height, title, description, false,
    days.map(({ name, cells }, line) => [
      label(0, top + row * (line + 0.5) + 4, name, "start", "label strong"),
      cells.map(({ value, text }, hour) => {
        const level = value > 0 ? Math.ceil(4 * value / most) : 0;
        const size = step * (0.36 + 0.14 * level);
        const [x, y] = [left + step * (hour + 0.5) - size / 2, top + row * (line + 0.5) - size / 2];
        const square = rect(`level-${level}`, x, y, size, size, { series: name, value, at: hour });
        square.append(h("svg:title", text));
        return square;
      }),
    ]),
    [0, 6, 12, 18].map((hour) => label(left + step * hour, height - 5, hour === 0 ? "0 h" : hour, "start")),
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
