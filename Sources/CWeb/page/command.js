// SPDX-License-Identifier: Apache-2.0
// The line for the shell that does or shows the same as the page.

import { h } from "./dom.js";
import { announce } from "./announce.js";
import { hidden } from "./text.js";

/** Returns a word as a shell takes it. */
export function quoted(word) {
  word = String(word);
  if (/^[A-Za-z0-9_@%+=:,./-]+$/.test(word)) return word;
  // A line that is pasted has no character that does something to the terminal, or cannot be seen.
  if (word.search(hidden) >= 0) {
    return "$'" +
      word.toWellFormed().replace(/\0/g, "").replace(/[\\']/g, "\\$&").replace(hidden, (character) => {
        const code = character.codePointAt(0);
        return code < 0x80
          ? "\\x" + code.toString(16).padStart(2, "0")
          : "\\U" + code.toString(16).padStart(8, "0");
      }) + "'";
  }
  return "'" + word.replace(/'/g, "'\\''") + "'";
}

/** Returns `curfew …` for a host's store, from its words. Words with a null are left out. */
export function line(host, ...words) {
  const store = host?.store ? ["--store", host.store] : [];
  return ["curfew", ...words, ...store].filter((word) => word !== null && word !== undefined).map(quoted)
    .join(" ");
}

/** Numbers of requests, as the command takes them; ranges for neighbours. */
export function numbers(ids) {
  const sorted = [...ids].sort((a, b) => a - b);
  const words = [];
  for (let index = 0; index < sorted.length; index += 1) {
    const first = sorted[index];
    while (sorted[index + 1] === sorted[index] + 1) index += 1;
    words.push(sorted[index] === first ? String(first) : `${first}-${sorted[index]}`);
  }
  return words;
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    announce("The command is copied");
  } catch {
    announce("The browser does not let the page copy; the command is shown for you to select", true);
  }
}

/** The command, which can be selected, and a button that copies it. */
export function commandLine(text) {
  return h("div.command@command",
    h("code", { tabindex: "0", "aria-label": "The same on the command line" }, text),
    h("button", { onclick: () => copy(text), "data-copy": "" }, "Copy as command"),
  );
}
