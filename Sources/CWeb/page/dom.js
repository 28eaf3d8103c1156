// SPDX-License-Identifier: Apache-2.0
// Makes elements, and changes a tree that is shown into another one of the same shape.

import { cut, visible } from "./text.js";

const longestText = 4000;
const plain = new Set("href id class name value type for data-key d points viewBox".split(" "));

/**
 * Makes an element: "p.lead.quiet@key" is a `p` with classes and a key, "svg:rect" one of SVG. Its members, which
 * may be left out, are attributes; one that begins with `on` is a listener. A string is a text node whose characters
 * are all visible.
 */
export function h(name, members, ...children) {
  const [kind, key] = name.split("@");
  const [tag, ...classes] = kind.split(".");
  const element = tag.startsWith("svg:")
    ? document.createElementNS("http://www.w3.org/2000/svg", tag.slice(4))
    : document.createElement(tag);
  if (key) element.setAttribute("data-key", key);
  if (classes.length > 0) element.setAttribute("class", classes.join(" "));
  if (members && members.constructor !== Object) children.unshift(members);
  else {
    for (const [key, value] of Object.entries(members ?? {})) {
      if (value === undefined || value === null || value === false) continue;
      if (key.startsWith("on") || key === "checked" || key === "indeterminate") element[key] = value;
      else if (value === true) element.setAttribute(key, "");
      else element.setAttribute(key, plain.has(key) ? String(value) : visible(cut(value, longestText)));
    }
  }
  append(element, children);
  return element;
}

function append(element, children) {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) append(element, child);
    else if (child instanceof Node) element.append(child);
    else element.append(visible(cut(child, longestText)));
  }
}

// Shorter names for what is made often.
export const p = (...children) => h("p", ...children);
export const li = (...children) => h("li", ...children);
export const code = (text) => h("code", text);
export const strong = (...children) => h("strong", ...children);
export const quiet = (...children) => h("span.quiet", ...children);
export const empty = (text) => h("p.empty", prose(text));
export const link = (href, ...children) => h("a", { href }, ...children);

/** Text of the host, in which commands stand between backticks. */
export const prose = (text, most = 600) =>
  cut(text, most).split("`").map((part, index) => index % 2 === 1 ? code(part) : part);

/** A block of text with its own lines; hidden characters are visible, and it ends after `most` characters. */
export function block(text, most = 65536) {
  const element = h("pre", { tabindex: "0" });
  element.append(visible(cut(text, most), true));
  return element;
}

const listeners = "onclick onpointerdown onchange oninput onkeydown onblur onfocus".split(" ");

/** Gives `shown` the children of `wanted`, and keeps each node that fits, with its focus and selection. */
export function patch(shown, wanted) {
  const keyed = new Map();
  for (const child of shown.children) {
    const key = child.getAttribute("data-key");
    if (key !== null) keyed.set(key, child);
  }
  let place = shown.firstChild;
  for (const next of [...wanted.childNodes]) {
    const key = next.nodeType === 1 ? next.getAttribute("data-key") : null;
    let present = key !== null ? keyed.get(key) : place;
    if (key === null) {
      // A keyed node is not taken for one without a key.
      while (present && present.nodeType === 1 && present.hasAttribute("data-key")) {
        present = present.nextSibling;
      }
    }
    if (present && present.nodeName === next.nodeName && present.nodeType === next.nodeType) {
      keyed.delete(key);
      if (present !== place) shown.insertBefore(present, place);
      else place = place.nextSibling;
      if (present.nodeType === 1) patchElement(present, next);
      else if (present.nodeValue !== next.nodeValue) present.nodeValue = next.nodeValue;
    } else {
      shown.insertBefore(next, place);
    }
  }
  while (place) {
    const after = place.nextSibling;
    place.remove();
    place = after;
  }
}

function patchElement(shown, wanted) {
  // Whether a person has opened it stays.
  const kept = shown.nodeName === "DETAILS" ? "open" : null;
  for (const { name } of [...shown.attributes]) {
    if (name !== kept && name !== "style" && !wanted.hasAttribute(name)) shown.removeAttribute(name);
  }
  for (const { name, value } of wanted.attributes) {
    if (name !== kept && shown.getAttribute(name) !== value) shown.setAttribute(name, value);
  }
  for (const name of listeners) {
    if (shown[name] !== wanted[name]) shown[name] = wanted[name];
  }
  if (shown.nodeName === "INPUT") {
    if (shown.checked !== wanted.checked) shown.checked = wanted.checked;
    shown.indeterminate = wanted.indeterminate;
    if (shown !== document.activeElement && shown.value !== wanted.value) shown.value = wanted.value;
    return;
  }
  patch(shown, wanted);
}

/**
 * A table with a caption. Each column is [title, cell(row), flags, heading], with the flags head, number and wide.
 * Narrow screens show rows as blocks.
 */
export function table(caption, columns, rows, { key, marked, captionShown } = {}) {
  return h("table", { role: "table" },
    h("caption", { class: captionShown ? null : "unseen" }, caption),
    h("thead", { role: "rowgroup" },
      h("tr", { role: "row" },
        columns.map(([title, , flags, heading = title]) =>
          h("th", { scope: "col", role: "columnheader", class: flags }, heading)
        ),
      ),
    ),
    h("tbody", { role: "rowgroup" },
      rows.map((row) =>
        h("tr", { role: "row", "data-key": key?.(row), class: marked?.(row) && "marked" },
          columns.map(([title, cell, flags = ""]) => {
            const content = cell(row);
            const isHead = flags.includes("head");
            return h(isHead ? "th" : "td", {
              scope: isHead && "row",
              role: isHead ? "rowheader" : "cell",
              "data-title": title,
              class: content === "–" ? `${flags} none` : flags || null,
            }, h("div", content));
          }),
        )
      ),
    ),
  );
}

/** A list of terms and what they are. Pairs without a value are left out. */
export function facts(pairs) {
  return h("dl.facts",
    pairs.filter(([, value]) => value !== null && value !== undefined && value !== "")
      .map(([term, value]) => h("div", h("dt", term), h("dd", value))),
  );
}

/** Links to parts of a view, each [text, address, whether it is the present one]. */
export function tabs(label, items) {
  const item = ([text, href, isCurrent]) => li(h("a", { href, "aria-current": isCurrent && "true" }, text));
  return h("nav.tabs@tabs", { "aria-label": label }, h("ul", items.map(item)));
}

/** A section with a heading of the second rank. */
export function section(title, ...children) {
  const id = "s-" + title.toLowerCase().replace(/[^a-z]+/g, "-");
  return h("section", { "aria-labelledby": id, "data-key": id }, h("h2", { id }, title), ...children);
}
