// SPDX-License-Identifier: Apache-2.0
// A question before an action, and other small windows. The browser keeps the focus in them and brings it back.

import { h } from "./dom.js";

/** Shows a window until it is closed; it leaves nothing behind. Returns how it was closed. */
export function dialog(title, content, buttons) {
  return new Promise((resolve) => {
    const close = (value) => {
      element.returnValue = value;
      element.close();
    };
    const element = h("dialog", { "aria-labelledby": "dialog-title" },
      h("h2", { id: "dialog-title" }, title),
      content,
      h("p.buttons",
        buttons.map(({ text, value, main }) =>
          h("button", { class: main ? "main" : undefined, onclick: () => close(value), value }, text)
        ),
      ),
    );
    element.addEventListener("close", () => {
      element.remove();
      resolve(element.returnValue);
    });
    document.body.append(element);
    element.showModal();
  });
}

/** Asks; returns whether the answer is yes. "No" has the focus. */
export async function confirmed(title, content, yes) {
  return await dialog(title, content, [{ text: "Leave it", value: "no" }, {
    text: yes,
    value: "yes",
    main: true,
  }]) === "yes";
}
