// SPDX-License-Identifier: Apache-2.0
// Numbers and spans in words.

/** Returns a span of seconds in words: 3 ms, 1.2 s, 3 min 10 s, 2 h 5 min. */
export function span(seconds) {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return "–";
  if (seconds < 0) return "-" + span(-seconds);
  if (seconds === 0) return "0 s";
  if (seconds < 0.0005) return "< 1 ms";
  if (seconds < 0.9995) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 9.95 && !Number.isInteger(seconds)) return `${Math.round(seconds * 10) / 10} s`;
  let rest = Math.round(seconds);
  const parts = [];
  for (const [unit, size] of [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]]) {
    const count = Math.floor(rest / size);
    if (count > 0) parts.push(`${count} ${unit}`);
    else if (parts.length > 0) break;
    rest -= count * size;
    if (parts.length === 2) break;
  }
  return parts.join(" ");
}

/** Returns a count with thin spaces between thousands. */
export function count(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/** Returns "1 request" or "2 requests". */
export function counted(number, noun, plural = noun + "s") {
  return `${count(number)} ${number === 1 ? noun : plural}`;
}

/** Returns a share in whole per cent. */
export function percent(share) {
  return `${Math.round(share * 100)} %`;
}
