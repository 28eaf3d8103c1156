// SPDX-License-Identifier: Apache-2.0
// Overview: what ran, what did not, and why.

import { query } from "./api.js";
import { figure, stack } from "./charts.js";
import { commandLine, line } from "./command.js";
import { code, empty, h, li, link, p, prose, section, strong } from "./dom.js";
import { count, counted, span } from "./format.js";
import { outcomes } from "./marks.js";
import { endTable, heading, missTable, promiseChart, purpose, requestLink } from "./parts.js";
import { address } from "./router.js";
import { dates, hour, range, slots, statisticsPath, sumOfEnds } from "./series.js";
import { sentence } from "./stage.js";
import { stamp, when } from "./time.js";

const slowCommit = 0.5;
const states = [
  ["Running", "running"],
  ["Waiting", "pending"],
  ["Parked", "parked"],
  ["Host gone", "host-gone"],
  ["Over, succeeded", "succeeded"],
  ["Over, not succeeded", "failed,expired,crashed,abandoned,missed"],
];

const inFull = ({ requests, more }) => requests.length + (more ?? 0);

async function lastEnds(context) {
  const answer = await context.get("ends?limit=10", { fresh: 1, or: null });
  if (answer) return answer.ends;
  const { requests } = await context.get("requests?view=history&limit=10", { or: { requests: [] } });
  return requests.map((request) => ({
    request: request.id,
    launch: request.launches,
    identifier: request.identifier,
    at: request.changed,
    outcome: request.outcome ?? request.state,
    duration: null,
  }));
}

function alertsOf({ host, health, hosts, counts }) {
  const alerts = [];
  const add = (...parts) => alerts.push(parts);
  for (const { state, part, text, mend } of health.findings.filter((finding) => finding.state !== "ok")) {
    // Plugins and handlers in quarantine are among these.
    const isTold = !mend || text.includes("`");
    add(strong(part), " – ", prose(sentence(text)), !isTold && prose(` Type \`${mend}\`.`), " ");
    alerts.at(-1).push(link("#/health", "Health"));
  }
  for (const other of hosts.hosts.filter((item) => item.state === "silent")) {
    add(
      `Host ${other.host ?? other.process} is silent${
        other.silence == null ? "" : ` for ${span(other.silence)}`
      }: another one takes its requests over. Look at its machine. `,
      link("#/hosts", "Hosts"),
    );
  }
  const stuck = host.statistics?.workers?.stuck ?? 0;
  if (stuck > 0) {
    add(
      `${counted(stuck, "worker")} ${stuck === 1 ? "does" : "do"} not return from a task. Mend the handler ` +
        "whose workers are lost, and start the host again. ",
      link("#/handlers", "Handlers"),
    );
  }
  const slow = host.statistics?.commits?.p99 ?? 0;
  if (slow > slowCommit) {
    add(`The store is slow: one commit in a hundred takes ${span(slow)} or longer. Type `, code("curfew doctor"), ".");
  }
  const parked = counts[2];
  if (parked > 0) {
    add(
      `${counted(parked, "request")} ${parked === 1 ? "is" : "are"} parked: the process ended again and again ` +
        "while they ran. Mend their handlers, then release them. ",
      link(address(["requests"], { state: "parked" }), "Parked requests"),
    );
  }
  return alerts;
}

function summary(list, counts) {
  const sum = (key) => list.reduce((total, slot) => total + slot[key], 0);
  const [promised, launched, missed] = [sum("promised"), sum("launched"), sum("missed")];
  if (promised + launched === 0 && counts.some((number) => number > 0)) {
    return prose("Nothing ran in the last 24 hours. Type `curfew ps` to see what waits.");
  }
  if (promised + launched === 0) {
    return prose(
      "Nothing ran in the last 24 hours. Type `curfew submit -- /bin/date` to submit a first request.",
    );
  }
  const ends = sumOfEnds(list);
  const parts = outcomes.filter((outcome) => ends[outcome] > 0).map((outcome) =>
    `${count(ends[outcome])} ${outcome}`
  );
  return [
    `In the last 24 hours ${counted(launched, "task")} ran`,
    parts.length > 0 && `: ${parts.join(", ")}`,
    ". ",
    promised === 0
      ? "No dates were due."
      : missed === 0
      ? `All ${count(promised)} launches that were promised happened in time.`
      : strong(`Of ${count(promised)} promised launches ${count(missed)} did not happen in time.`),
  ];
}

export default {
  title: () => "Overview",
  every: 5,
  wants: () => true,

  async load(context) {
    const minutes = range(3 * hour, "minute");
    const hours = range(24 * hour, "hour");
    const none = (key) => ({ or: { [key]: [] }, fresh: 4 });
    const [host, health, schedules, hosts, counts, fine, coarse, misses, ends, first] = await Promise
      .all([
        context.get("host", { fresh: 4 }),
        context.get("health", none("findings")),
        context.get("schedules", { ...none("schedules"), fresh: 15 }),
        context.get("hosts", none("hosts")),
        Promise.all(
          states.map(async ([, state]) =>
            inFull(await context.get("requests" + query({ state, limit: 1 }), { fresh: 1 }))
          ),
        ),
        context.get(statisticsPath(minutes), { fresh: 5, or: null }),
        context.get(statisticsPath(hours), { fresh: 15, or: null }),
        context.get("misses" + query({ ...dates(hours), limit: 6 }), { ...none("misses"), fresh: 15 }),
        lastEnds(context),
        context.get("requests?state=pending&limit=1", { fresh: 1 }),
      ]);
    const oldest = first.requests.find((request) => request.due && Date.parse(request.due) <= Date.now()) ??
      null;
    const why = oldest && await context.get(`requests/${oldest.id}/why`, { fresh: 2, or: null });
    return {
      host,
      health,
      names: new Map(schedules.schedules.map(({ request, name }) => [request, name])),
      hosts,
      counts,
      fine: slots(minutes, fine),
      coarse: slots(hours, coarse),
      hours,
      misses,
      ends,
      oldest,
      why,
    };
  },

  render(context, data) {
    const alerts = alertsOf(data);
    const all = { from: stamp(data.hours.from), to: stamp(data.hours.to) };
    const holding = data.why?.factors?.filter((factor) => factor.holds) ?? [];
    const minutes = data.fine.map((slot) => {
      const ended = Object.values(slot.ends).reduce((sum, value) => sum + value, 0);
      return {
        ...slot,
        good: slot.ends.succeeded ?? 0,
        bad: ended - (slot.ends.succeeded ?? 0),
        label: /:[03]0$/.test(slot.label) ? slot.label : null,
      };
    });
    const sum = (key) => minutes.reduce((total, slot) => total + slot[key], 0);
    return [
      heading("Overview"),
      h("p.lead@lead", summary(data.coarse, data.counts)),
      h("div@alerts", { "aria-live": "polite" },
        alerts.length > 0 &&
          h("ul.notice.bad.alerts",
            alerts.slice(0, 12).map((parts) => li(parts)),
            alerts.length > 12 && li(`… and ${alerts.length - 12} more. `, link("#/health", "Health")),
          ),
      ),
      h("ul.counts@counts",
        states.map(([title, state], index) =>
          (state !== "host-gone" || data.counts[index] > 0) &&
          h("li", { "data-key": state },
            h("a", { href: address(["requests"], { state }) },
              h("span.value", { "data-count": state }, count(data.counts[index])),
              h("span", title),
            ),
          )
        ),
      ),
      data.oldest &&
      h("p@oldest",
        "Due for the longest time: request ",
        requestLink(data.oldest.id),
        " (",
        data.names.get(data.oldest.id) ?? purpose(data.oldest, 60),
        "), for ",
        when(data.oldest.due, "elapsed"),
        ". ",
        holding.length > 0
          ? [
            "It waits for ",
            holding.map((factor, index) => [index > 0 && ", ", strong(factor.factor), `: ${factor.detail}`]),
            ".",
          ]
          : "Nothing holds it back.",
      ),
      section("Promised and launched",
        promiseChart(context, data.coarse, hour, "Launches in each hour of the last 24 hours"),
      ),
      data.misses.misses.length > 0 &&
      section("What did not run in time, and why",
        missTable("Promised launches that were missed", data.misses.misses),
        data.misses.more && p(link(address(["schedules"], all), "All that were missed in 24 hours")),
      ),
      section("Throughput",
        figure(context, {
          id: "throughput",
          title: "Ends in each minute of the last 3 hours",
          legend: [["launched", "succeeded"], ["missed", "not succeeded"]],
          draw: (width) =>
            stack(
              width,
              "Ends in each minute of the last 3 hours",
              `${count(sum("good"))} succeeded, ${count(sum("bad"))} did not`,
              minutes,
            ),
          columns: [
            ["Minute", (slot) => slot.name, "head"],
            ["Succeeded", (slot) => count(slot.good), "number"],
            ["Not succeeded", (slot) => count(slot.bad), "number"],
          ],
          rows: sum("good") + sum("bad") > 0 ? minutes : [],
          empty: "No task has ended in the last 3 hours. Type `curfew ps` to see what waits.",
        }),
      ),
      section("Last ends",
        data.ends.length > 0
          ? endTable("The last tasks that ended", data.ends, data.names)
          : empty("No task has ended yet. Type `curfew ps` to see what waits."),
      ),
      commandLine(line(context.host, "ps", "--all")),
    ];
  },
};
