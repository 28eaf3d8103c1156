// SPDX-License-Identifier: Apache-2.0
// Keys: g and a letter opens a view, / goes to the filter, ? lists them.

import { dialog } from "./dialog.js";
import { h, p } from "./dom.js";
import { choose, setting } from "./settings.js";

const longestPause = 1500;
let first = 0;

function list(views) {
  const row = (keys, text) =>
    h("div", h("dt", keys.map((key) => h("kbd", key))), h("dd", text));
  dialog("Keys", [
    h("dl.keys",
      views.map((view) => row(["g", view.key], view.title)),
      row(["/"], "go to the filter of requests"),
      row(["c"], "copy the command of the view"),
      row(["?"], "this list"),
    ),
    p(h("label",
      h("input", {
        type: "checkbox",
        checked: setting("keys") === "on",
        onchange: (event) => choose("keys", event.currentTarget.checked ? "on" : "off"),
      }),
      " Use these keys",
    )),
  ], [{ text: "Close", value: "" }]);
}

/** Shows the list of keys. */
export { list as showKeys };

/** The view is there once it has loaded. */
function focusFilter(tries = 50) {
  const input = document.getElementById("filter");
  if (input) input.focus();
  else if (tries > 0) setTimeout(focusFilter, 100, tries - 1);
}

export function listen(views) {
  document.addEventListener("keydown", (event) => {
    const { target, key } = event;
    if (
      event.ctrlKey || event.altKey || event.metaKey || event.isComposing ||
      document.querySelector("dialog[open]")
    ) return;
    if (target.closest?.("input, textarea, select")) return;
    if (key === "?") return list(views);
    if (setting("keys") !== "on") return;
    const isSecond = performance.now() - first < longestPause;
    first = key === "g" ? performance.now() : 0;
    if (isSecond) {
      const view = views.find((item) => item.key === key);
      if (view) location.hash = view.href;
    } else if (key === "/") {
      event.preventDefault();
      if (!location.hash.startsWith("#/requests") || !document.getElementById("filter")) {
        location.hash = "#/requests";
      }
      setTimeout(focusFilter, 50);
    } else if (key === "c") document.querySelector("[data-copy]")?.click();
  });
}
