// SPDX-License-Identifier: Apache-2.0
// Shows text of others as it is: no character of it hides, reorders or floods what is around it.

const plain = /^[ -~]*$/;
const named = { 0x7f: "\u2421" };

/** Returns the visible form of a control, bidirectional or invisible character. */
function visibleCharacter(character) {
  const code = character.codePointAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return named[code] ?? "\\u" + code.toString(16).padStart(4, "0");
}

// C0, DEL and C1; soft hyphen; marks and overrides of direction; zero-width space, separators of lines
// and paragraphs; invisible operators; byte-order mark; halves of surrogate pairs; tags.
export const hidden = new RegExp(
  "[\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e" +
    "\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb]|[\\u{e0000}-\\u{e007f}]|\\p{Cs}",
  "gu",
);

/** Returns the text with each hidden character made visible. */
export function visible(text, keepLines = false) {
  text = String(text);
  // Nearly every text is plain: the test is much quicker than the search.
  if (plain.test(text)) return text;
  return text.replace(
    hidden,
    (character) =>
      keepLines && (character === "\n" || character === "\t") ? character : visibleCharacter(character),
  );
}

/** Returns the text, or its beginning and its size, if it is large, where it is longer than `most` characters. */
export function cut(text, most) {
  text = String(text);
  if (text.length <= most) return text;
  const end = /[\ud800-\udbff]/.test(text[most - 1]) ? most - 1 : most;
  return `${text.slice(0, end)}…${text.length < 1000 ? "" : " " + bytes(text.length)}`;
}

/** Returns a number of bytes in words: 1 MB. */
export function bytes(count) {
  if (count == null) return "–";
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  while (count >= 1000 && unit < units.length - 1) {
    count /= 1000;
    unit += 1;
  }
  return `${unit === 0 || count >= 10 ? Math.round(count) : Math.round(count * 10) / 10} ${units[unit]}`;
}
