// SPDX-License-Identifier: Apache-2.0
// The choices of a person that the browser keeps: light or dark, and whether single keys do something.

const defaults = { theme: "auto", keys: "on" };
const kept = {};

export function setting(name) {
  if (kept[name]) return kept[name];
  try {
    return localStorage.getItem(`curfew-${name}`) ?? defaults[name];
  } catch {
    return defaults[name];
  }
}

export function choose(name, value) {
  kept[name] = value;
  try {
    localStorage.setItem(`curfew-${name}`, value);
  } catch {
    // A browser that keeps nothing forgets it with the page.
  }
  if (name === "theme") applyTheme();
}

export function applyTheme() {
  const theme = setting("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}
