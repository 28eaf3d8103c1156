// SPDX-License-Identifier: Apache-2.0
// The filter of the list of requests: words such as state:failed, and text that is searched.

export const keys = ["state", "identifier", "host", "schedule"];

export const states = (
  "pending running parked host-gone succeeded failed expired crashed cancelled missed " +
  "interrupted abandoned replaced finished"
).split(" ");

/** Returns the members of a query for what is in the box. */
export function parseFilter(text) {
  const found = {};
  const rest = [];
  for (const word of text.trim().split(/\s+/)) {
    const match = /^(state|identifier|host|schedule):(.+)$/.exec(word);
    if (match) {
      found[match[1]] = match[1] === "state" && found.state ? `${found.state},${match[2]}` : match[2];
    } else if (word !== "") rest.push(word);
  }
  if (rest.length > 0) found.text = rest.join(" ");
  return found;
}

/** Returns what is in the box for a query. */
export function filterText(query) {
  return [...keys.filter((key) => query[key]).map((key) => `${key}:${query[key]}`), query.text].filter(
    Boolean,
  ).join(" ");
}

/** Returns where the word before the cursor begins, and what could stand in its place. */
export function completions(text, cursor, values) {
  const start = text.slice(0, cursor).search(/\S*$/);
  const word = text.slice(start, cursor);
  const colon = word.indexOf(":");
  let items;
  if (colon < 0) items = keys.filter((key) => key.startsWith(word)).map((key) => key + ":");
  else {
    const key = word.slice(0, colon);
    const typed = word.slice(colon + 1);
    const comma = key === "state" ? typed.lastIndexOf(",") + 1 : 0;
    items = (values[key] ?? []).filter((value) =>
      value.startsWith(typed.slice(comma)) && value !== typed.slice(comma)
    )
      .map((value) => `${key}:${typed.slice(0, comma)}${value}`);
  }
  return { start, items: items.slice(0, 8) };
}
