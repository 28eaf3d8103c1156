// SPDX-License-Identifier: Apache-2.0
// A bar for a share of a whole.

import { h } from "./dom.js";

/** A share from 0 to 1; what is beyond 1 fills the bar in another colour. */
export function gauge(width, share, text, isBad) {
  const filled = Math.max(0, Math.min(1, share)) * width;
  const size = { viewBox: `0 0 ${width} 12`, width, height: 12 };
  return h("svg:svg.chart.gauge", { ...size, role: "img", "aria-label": text },
    h("svg:title", text),
    h("svg:rect.gauge-back", { x: 0, y: 0, width, height: 12 }),
    h("svg:rect", {
      class: isBad || share > 1 ? "missed" : "launched",
      x: 0,
      y: 0,
      width: filled.toFixed(1),
      height: 12,
      "data-value": share.toFixed(3),
    }),
  );
}
