// SPDX-License-Identifier: Apache-2.0
// One request: what becomes of it, what it waits for, and what each attempt left.

import { requestButtons } from "./actions.js";
import { getBytes, may } from "./api.js";
import { announce } from "./announce.js";
import { gauge } from "./gauge.js";
import { commandLine, line } from "./command.js";
import { block, code, facts, h, p, prose, quiet, section, strong, table } from "./dom.js";
import { counted, span } from "./format.js";
import { isOver, letter, look, mark, stateOf } from "./marks.js";
import { handlerLink, heading, purpose, reasons } from "./parts.js";
import { encoded } from "./router.js";
import { repetitionWords } from "./rule.js";
import { sentence } from "./stage.js";
import { bytes, cut } from "./text.js";
import { at, when } from "./time.js";

const happened = {
  submitted: "Submitted",
  launched: "Launched",
  ended: "Task ended",
  "backed-off": "Pauses before the next attempt",
  snoozed: "Postponed by its handler",
  repeated: "Waits for its next date",
  "dates-skipped": "Dates were skipped",
  missed: "Dropped: not launched by its latest date",
  parked: "Parked",
  released: "Released",
  finished: "Over",
  fenced: "End not counted: its host was taken for dead",
  "factor-changed": "A condition changed",
  retried: "Pending again, by a person",
  triggered: "Made due by a person",
  edited: "Changed by a person",
  held: "Held back",
  audited: "Asked for by a person",
  "host-lost": "Its host was lost",
  cancelled: "Cancelled",
  replaced: "Replaced by a newer request",
};
const markOf = {
  submitted: "pending",
  launched: "running",
  "backed-off": "pending",
  snoozed: "pending",
  repeated: "pending",
  missed: "missed",
  parked: "parked",
  released: "pending",
  retried: "pending",
  triggered: "pending",
  held: "held",
  "host-lost": "host-gone",
  cancelled: "cancelled",
  replaced: "replaced",
};
/** Factors that are words of everyday language, as what a request waits for. */
const waitsFor = {
  date: "its date",
  handler: "its handler",
  host: "a host",
  network: "the network",
  place: "a place",
  store: "the store",
};
const mostEntries = 15;
const mostEarlier = 200;
const mostAttempts = 20;
const mostShown = 65536;

function entryMark(entry) {
  if (entry.what === "ended" || entry.what === "finished") {
    return /^[a-z-]+/.exec(entry.detail)?.[0] ?? "finished";
  }
  return markOf[entry.what] ?? "off";
}

function entries(list) {
  return h("ol.timeline",
    list.map((entry) => {
      const kind = entryMark(entry);
      return h("li", { "data-key": String(entry.sequence) },
        at(entry.at),
        h("span", { class: `mark ${look(kind)}` },
          h("span.sign", { "aria-hidden": "true" }, letter(kind)),
        ),
        h("span",
          strong(happened[entry.what] ?? entry.what),
          entry.detail && [" – ", prose(entry.detail)],
        ),
      );
    }),
  );
}

function timeline(context, journal) {
  const earlier = journal.slice(0, -mostEntries);
  return section("Timeline",
    earlier.length > 0 &&
      h("details",
        h("summary", counted(earlier.length, "earlier entry", "earlier entries")),
        earlier.length > mostEarlier &&
          h("p.quiet",
            "Those before are printed by ",
            code(line(context.host, "log", context.path[1])),
          ),
        entries(earlier.slice(-mostEarlier)),
      ),
    entries(journal.slice(-mostEntries)),
  );
}

function budgetBar(context, data) {
  const { request, task } = data;
  const last = request.attemptList.at(-1);
  if (!last) return null;
  // Each program has a budget of its own, which the host tells while it runs.
  const budget = task?.budget ?? (request.argv ? null : data.handler?.budget);
  const started = Date.parse(task?.started ?? last.started);
  const used = ((last.ended ? Date.parse(last.ended) : Date.now()) - started) / 1000;
  if (!budget) return h("p@budget", `The last attempt took ${span(used)}.`);
  const text = `${span(used)} of ${span(budget)}`;
  return h("div.budget-bar@budget",
    h("span", "Budget"),
    gauge(Math.min(context.width, 420), used / budget, `Budget used: ${text}`, last.outcome === "expired"),
    h("span", text),
    task?.deadline && quiet("expires ", when(task.deadline)),
  );
}

function progressBar(context, data) {
  const last = data.request.attemptList.at(-1);
  const share = data.task?.progress ?? (data.request.state === "running" ? last?.progress : null);
  if (share === null || share === undefined) return null;
  return h("div.budget-bar@progress",
    h("span", "Progress"),
    gauge(Math.min(context.width, 420), share, `Progress: ${Math.round(share * 100)} %`, false),
    h("span", `${Math.round(share * 100)} %`),
    last?.progressText && quiet(cut(last.progressText, 200)),
  );
}

function lead(data) {
  const { request, why, task } = data;
  const last = request.attemptList.at(-1);
  switch (request.state) {
    case "running":
      return [
        task?.stopping ? `It was told to stop: ${task.stopping}. ` : "",
        "It has run for ",
        when(task?.started ?? request.changed, "elapsed"),
        ".",
      ];
    case "pending": {
      const holding = why?.factors?.filter((factor) => factor.holds) ?? [];
      if (holding.length === 0) return ["It is about to be launched: nothing holds it back."];
      return [
        `It waits for ${holding.map(({ factor }) => waitsFor[factor] ?? factor).join(", ")}`,
        why.earliest
          ? [". The earliest launch is ", when(why.earliest), "."]
          : ". When it can be launched is unknown.",
        why.ahead > 0 &&
        ` ${counted(why.ahead, "request")} of the same handler ${why.ahead === 1 ? "goes" : "go"} first.`,
      ];
    }
    case "parked":
      return [
        "It is not launched any more: the process ended each time it ran. " +
        "Mend its handler, then release it, or cancel it.",
      ];
    case "host-gone":
      return ["It ran when its host ended. The next host launches it again."];
    case "finished":
      return ["It ended ", when(request.changed), last?.error ? ` – ${cut(last.error, 400)}.` : "."];
    case "missed":
      return ["It was dropped ", when(request.changed), ": it could not be launched by its latest date."];
    case "replaced":
      return ["A newer request took its place ", when(request.changed), "."];
    default:
      return [`It was ${request.state} `, when(request.changed), "."];
  }
}

function whySection(why) {
  if (!why) return null;
  const row = (factor) =>
    h("li", { "data-key": factor.factor },
      mark(factor.factor === "date" && factor.holds ? "pending" : factor.state, factor.factor),
      " – ",
      prose(factor.detail, 300),
      factor.since && [", since ", at(factor.since)],
      factor.until && [", until ", at(factor.until), " (", when(factor.until), ")"],
      factor.holds && factor.change && h("span.change", "What would change it: ", prose(factor.change)),
    );
  const holding = why.factors.filter((factor) => factor.holds);
  const allowing = why.factors.filter((factor) => !factor.holds);
  return section("Why it has not run",
    holding.length === 0 ? p("No factor holds it back.") : h("ul.factors", holding.map(row)),
    allowing.length > 0 &&
      h("details",
        h("summary",
          `${counted(allowing.length, "factor")} ${allowing.length === 1 ? "allows" : "allow"} the launch`,
        ),
        h("ul.factors", allowing.map(row)),
      ),
    why.hosts?.length > 1 &&
      h("p.quiet",
        `The answer for ${counted(why.hosts.length, "host")}: `,
        why.hosts.map((host, index) => [
          index > 0 && ", ",
          `host ${host.host ?? host.process} ${host.held ? "holds it back" : "would launch it"}`,
        ]),
        ".",
      ),
    why.seen && h("p.quiet", "The host read these ", when(why.seen), "."),
  );
}

function historySection(history) {
  if (!history || !(history.turns.length > 1 || history.turns[0]?.holds.length > 0)) return null;
  return section("Its dates",
    history.held.length > 0 &&
      p(
        "What held it in all of them: ",
        history.held.map((held, index) => [index > 0 && ", ", strong(held.factor), ` ${span(held.seconds)}`]),
        ".",
      ),
    h("details",
      h("summary", counted(history.turns.length, "date"), history.cut && ", the last ones"),
      table(
        "The dates on which it was to be launched, the last first",
        [
          ["Due", (turn) => at(turn.due), "head"],
          ["Launched", (turn) =>
            turn.launched
              ? [at(turn.launched), turn.late > 1 && quiet(` ${span(turn.late)} late`)]
              : turn.end],
          ["Outcome", (turn) => mark(turn.outcome)],
          ["Held by", (turn) =>
            turn.holds.length === 0 ? turn.skipped ?? "–" : reasons(turn.holds.map((hold) => ({
              factor: hold.factors.join(", "),
              detail: hold.detail,
              seconds: ((hold.until ? Date.parse(hold.until) : Date.now()) - Date.parse(hold.since)) / 1000,
            }))), "wide"],
        ],
        [...history.turns].reverse(),
      ),
    ),
  );
}

function attemptsSection(request) {
  const list = request.attemptList.slice(-mostAttempts).reverse();
  if (list.length === 0) return null;
  const left = list.filter((attempt) => attempt.log.length > 0 || attempt.resultBytes > 0);
  return section("Attempts",
    table(
      `${list.length < request.launches ? `The last ${list.length} of ` : ""}${
        counted(request.launches, "launch", "launches")
      }${list.length > 1 ? ", the last first" : ""}`,
      [
        ["Launch", (attempt) => String(attempt.launch), "head"],
        ["Began", (attempt) => at(attempt.started)],
        ["Took", (attempt) =>
          attempt.ended
            ? span((Date.parse(attempt.ended) - Date.parse(attempt.started)) / 1000)
            : when(attempt.started, "elapsed"), "number"],
        ["Outcome", (attempt) => attempt.ended ? mark(attempt.outcome) : mark("running")],
        ["Reason", (attempt) =>
          [attempt.reason, attempt.error && cut(attempt.error, 400)].filter(Boolean).join(": ") || "–", "wide"],
        ["Processor", (attempt) => attempt.cpu === null ? "–" : span(attempt.cpu), "number"],
        ["Memory", (attempt) => attempt.usage ? bytes(attempt.usage.memory) : "–", "number"],
      ],
      list,
      { key: (attempt) => String(attempt.launch), captionShown: true },
    ),
    left.map((attempt) =>
      h("details", { "data-key": `left-${attempt.launch}`, open: attempt === left[0] },
        h("summary", `What launch ${attempt.launch} left`),
        attempt.logDropped > 0 &&
          h("p.quiet",
            `${counted(attempt.logDropped, "earlier line")} ${
              attempt.logDropped === 1 ? "is" : "are"
            } not kept.`,
          ),
        attempt.log.length > 0 && block(attempt.log.map((text) => cut(text, 8192)).join("\n")),
        attempt.resultBytes > 0 &&
          [h("p.quiet", `Result, ${bytes(attempt.resultBytes)}`), block(attempt.result, 4096)],
      )
    ),
  );
}

/** Returns bytes as text, or in hexadecimal digits where they are none. */
function payloadText(data) {
  try {
    return cut(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(data), mostShown);
  } catch {
    const rows = [];
    for (let start = 0; start < Math.min(data.length, 4096); start += 16) {
      rows.push(
        `${start.toString(16).padStart(6, "0")}  ${
          [...data.slice(start, start + 16)].map((byte) => byte.toString(16).padStart(2, "0")).join(" ")
        }`,
      );
    }
    return rows.join("\n") + (data.length > 4096 ? `\n… ${bytes(data.length)}` : "");
  }
}

function payload(context, request) {
  if (request.payloadBytes === 0) return "none";
  const { payload: shown } = context.state;
  const toggle = async () => {
    if (context.state.payload !== undefined) delete context.state.payload;
    else {
      try {
        context.state.payload = payloadText(
          await getBytes(`requests/${request.id}/payload`, { signal: context.signal }),
        );
      } catch (error) {
        if (error.name !== "AbortError") announce(sentence(error.message), true);
      }
    }
    context.draw();
  };
  return [
    bytes(request.payloadBytes),
    " ",
    may("payload") &&
    h("button", { onclick: toggle, "aria-expanded": String(shown !== undefined) },
      shown === undefined ? "Show the payload" : "Hide it",
    ),
    shown !== undefined && block(shown),
  ];
}

export default {
  title: (context) => `Request ${context.path[1]}`,
  every: 20,
  wants: (changes, context) =>
    changes.all || changes.requests.has(Number(context.path[1])) || changes.kinds.has("factor-changed"),

  opened(context) {
    context.every(1, () => {
      if (context.data?.request.state === "running") context.reload();
    });
  },

  async load(context) {
    const id = encoded(context.path[1]);
    const request = await context.get(`requests/${id}`);
    const [why, history, tasks, handlers] = await Promise.all([
      isOver(request) || request.state === "running" ? null : context.get(`requests/${id}/why`, { or: null }),
      context.get(`requests/${id}/history`, { fresh: 5, or: null }),
      request.state === "running" ? context.get("tasks", { or: { tasks: [] } }) : { tasks: [] },
      context.get("handlers", { fresh: 60, or: { handlers: [] } }),
    ]);
    return {
      request,
      why,
      history,
      task: tasks.tasks.find((task) => task.request === request.id) ?? null,
      handler: handlers.handlers.find((handler) => handler.identifier === request.identifier) ?? null,
    };
  },

  render(context, data) {
    const { request } = data;
    const buttons = requestButtons(context, request, isOver(request)).filter(Boolean);
    return [
      heading(`Request ${request.id}`),
      h("p.subject@subject", code(purpose(request, 400))),
      h("p.lead@lead", { role: "status" }, mark(stateOf(request)), " ", lead(data)),
      buttons.length > 0 && h("p.buttons@buttons", buttons),
      budgetBar(context, data),
      progressBar(context, data),
      whySection(data.why),
      timeline(context, request.journal),
      attemptsSection(request),
      historySection(data.history),
      section("As it was submitted",
        facts([
          ["Handler", handlerLink(request.identifier)],
          ["Kind", request.kind],
          ["Submitted", when(request.submitted)],
          ["Due", request.due && when(request.due)],
          ["Not before", request.earliest && at(request.earliest)],
          ["Not after", request.latest && at(request.latest)],
          ["Repeated", repetitionWords(request.repetition, span)],
          ["Needs", request.needs.join(", ")],
          [
            "When",
            request.opportunistic === "no"
              ? null
              : `${request.opportunistic}, after ${span(request.atMost)} anyway`,
          ],
          ["Priority", request.priority],
          [
            "Attempts",
            (isOver(request)
              ? `${request.retry.attempts} at most`
              : `${request.attempts} of ${request.retry.attempts} used`) +
            (request.retry.attempts > 1 ? `, with pauses from ${span(request.retry.backOff)}` : ""),
          ],
          ["Crashes in a row", request.crashes || null],
          ["Key", request.key === null ? null : cut(request.key, 400)],
          ["User", request.owner],
          ["Payload", payload(context, request)],
        ]),
      ),
      commandLine(line(context.host, request.state === "pending" ? "why" : "show", request.id)),
    ];
  },
};
