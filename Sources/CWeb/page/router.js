// SPDX-License-Identifier: Apache-2.0
// Addresses of views: #/requests?state=pending, #/requests/17, #/handlers/org.example.mirror.

function decoded(word) {
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}

/** Returns the words of a hash's path, and its query. */
export function parse(hash) {
  const text = hash.replace(/^#\/?/, "");
  const mark = text.indexOf("?");
  const path = mark < 0 ? text : text.slice(0, mark);
  return {
    path: path.split("/").filter((word) => word !== "").map(decoded),
    query: Object.fromEntries(new URLSearchParams(mark < 0 ? "" : text.slice(mark + 1))),
  };
}

/** Returns a text as a word of a path; half of a surrogate pair becomes U+FFFD. */
export const encoded = (word) => encodeURIComponent(String(word).toWellFormed());

/** Returns the hash of a view. */
export function address(path, query = {}) {
  const words = path.map((word) => encoded(word)).join("/");
  const pairs = Object.entries(query).filter(([, value]) =>
    value !== undefined && value !== null && value !== ""
  );
  return `#/${words}${pairs.length > 0 ? "?" + new URLSearchParams(pairs) : ""}`;
}
