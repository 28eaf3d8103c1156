// SPDX-License-Identifier: Apache-2.0
// The rule of a schedule in plain words: "cron 0 3 * * 1-5 (UTC)" is "at 03:00 on Monday to Friday (UTC)".

const weekdays = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(" ");
const months = (
  "January February March April May June July August September October November December"
).split(" ");
const aliases = {
  "@hourly": "0 * * * *",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@weekly": "0 0 * * 0",
  "@monthly": "0 0 1 * *",
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
};

/** Returns the words of a list such as 1-5,7, or null if a field says something else. */
function listed(field, name) {
  const parts = field.split(",").map((part) => {
    const match = /^(\w+)(?:-(\w+))?$/.exec(part);
    if (!match) return null;
    const [first, last] = [name(match[1]), match[2] === undefined ? null : name(match[2])];
    if (first === undefined || last === undefined) return null;
    return last === null ? first : `${first} to ${last}`;
  });
  if (parts.includes(null)) return null;
  return parts.length < 2 ? parts[0] : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
}

const named = (names, offset) => (word) =>
  /^\d+$/.test(word)
    ? names[Number(word) - offset]
    : names.find((name) => name.slice(0, 3).toLowerCase() === word.toLowerCase());
const number = (word) => /^\d+$/.test(word) ? word : undefined;
const two = (word) => word.padStart(2, "0");

function cronWords(fields) {
  const [minutes, hours, days, month, weekday] = fields;
  let time = null;
  const step = /^\*\/(\d+)$/.exec(minutes);
  const hourStep = /^\*\/(\d+)$/.exec(hours);
  if (/^\d+(,\d+)*$/.test(minutes) && /^\d+(,\d+)*$/.test(hours)) {
    const times = hours.split(",").flatMap((hour) =>
      minutes.split(",").map((minute) => `${two(hour)}:${two(minute)}`)
    );
    if (times.length <= 6) {
      time = "at " + listed(times.join(",").replaceAll(":", "_"), (word) => word).replaceAll("_", ":");
    }
  } else if (minutes === "*" && hours === "*") time = "every minute";
  else if (step && hours === "*") time = `every ${step[1]} minutes`;
  else if (/^\d+$/.test(minutes) && hours === "*") {
    time = minutes === "0" ? "every hour" : `every hour, ${minutes} min past`;
  } else if (/^\d+$/.test(minutes) && hourStep) time = `every ${hourStep[1]} hours, ${minutes} min past`;
  else if (step && listed(hours, number)) {
    time = `every ${step[1]} minutes in the hours ${listed(hours, number)}`;
  }
  if (time === null) return null;
  const inDays = days === "*" ? "" : listed(days, number);
  const onWeekdays = weekday === "*" ? "" : listed(weekday, named(weekdays, 0));
  const inMonths = month === "*" ? "" : listed(month, named(months, 1));
  if (inDays === null || onWeekdays === null || inMonths === null) return null;
  // As in crontab(5), one of both days is enough.
  const on = [inDays && `day ${inDays} of the month`, onWeekdays].filter(Boolean).join(" or on ");
  const each = on === "" && time.startsWith("at ") && inMonths === "" ? " every day" : "";
  return time + each + (on && ` on ${on}`) + (inMonths && ` in ${inMonths}`);
}

/** Returns a rule as the host words it in plain words, or as it is if it says something rare. */
export function ruleWords(rule) {
  if (!rule) return "–";
  const match = /^cron (.+?)(?: \((.+)\))?$/.exec(rule);
  if (!match) return rule;
  const fields = (aliases[match[1]] ?? match[1]).trim().split(/\s+/);
  const words = fields.length === 5 ? cronWords(fields) : null;
  return words === null ? rule : words + (match[2] ? ` (${match[2]})` : "");
}

/** Returns the words for the repetition of a request. */
export function repetitionWords(repetition, spanWords) {
  if (!repetition) return null;
  const rule = repetition.cron
    ? ruleWords(`cron ${repetition.cron} (${repetition.local ? "the machine's zone" : "UTC"})`)
    : `every ${spanWords(repetition.every)}`;
  return rule + (repetition.jitter > 0 ? `, each moved by up to ${spanWords(repetition.jitter)}` : "");
}
