// SPDX-License-Identifier: Apache-2.0
// The list of requests: a filter, a selection, and changes of many at once.

import { bulk, button, withNumber } from "./actions.js";
import { may, query, Refusal } from "./api.js";
import { commandLine, line, quoted } from "./command.js";
import { code, h, link, p, prose, quiet, table, tabs } from "./dom.js";
import { completions, filterText, keys, parseFilter, states } from "./filter.js";
import { count, counted } from "./format.js";
import { isOver, mark, stateOf } from "./marks.js";
import { handlerLink, heading, purpose, requestLink } from "./parts.js";
import { address } from "./router.js";
import { told } from "./stage.js";
import { cut } from "./text.js";
import { when } from "./time.js";

const views = [
  ["All", {}],
  ["Not over", { view: "live" }],
  ["Over", { view: "history" }],
  ["Running", { state: "running" }],
  ["Not succeeded", { state: "failed,expired,crashed,abandoned,missed" }],
  ["Parked", { state: "parked" }],
];

const filterOf = (query) =>
  Object.fromEntries([...keys, "text", "view"].filter((key) => query[key]).map((key) => [key, query[key]]));

function go(members) {
  const next = address(["requests"], members);
  if (location.hash !== next) location.hash = next;
}

// The box

async function loadValues(context) {
  if (context.state.values) return;
  context.state.values = { state: states };
  const [handlers, hosts, schedules] = await Promise.all([
    context.get("handlers", { or: { handlers: [] } }),
    context.get("hosts", { or: { hosts: [] } }),
    context.get("schedules", { or: { schedules: [] } }),
  ]).catch(() => [{ handlers: [] }, { hosts: [] }, { schedules: [] }]);
  context.state.values = {
    state: states,
    identifier: handlers.handlers.map((item) => item.identifier),
    host: hosts.hosts.filter((item) => item.host !== null).map((item) => String(item.host)),
    schedule: schedules.schedules.map((item) => item.name),
  };
  if (context.isOpen && context.state.offers?.active === -1) {
    offer(context, document.getElementById("filter"));
  }
}

function offer(context, input) {
  if (!input) return;
  const { start, items } = completions(input.value, input.selectionStart, context.state.values ?? {});
  context.state.offers = { start, items, active: -1 };
  context.draw();
}

function closeOffers(context) {
  if (!context.state.offers) return;
  context.state.offers = null;
  context.draw();
}

function take(context, input, item) {
  const { start } = context.state.offers;
  const rest = input.value.slice(input.selectionStart);
  const isWhole = !item.endsWith(":");
  input.value = input.value.slice(0, start) + item + (isWhole && !rest.startsWith(" ") ? " " : "") + rest;
  const place = start + item.length + (isWhole ? 1 : 0);
  context.state.draft = input.value;
  input.setSelectionRange(place, place);
  input.focus();
  offer(context, input);
}

function filterBox(context) {
  const offers = context.state.offers;
  const isOpen = offers !== null && offers !== undefined && offers.items.length > 0;
  // What is typed stays in the box until it is applied, also when the box has not the focus.
  const typed = (event) => {
    context.state.draft = event.currentTarget.value;
    offer(context, event.currentTarget);
  };
  const pressed = (event) => {
    const input = event.currentTarget;
    if (event.key === "Escape" && isOpen) {
      event.preventDefault();
      closeOffers(context);
    } else if (isOpen && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      const size = offers.items.length + 1;
      offers.active = (offers.active + 1 + (event.key === "ArrowDown" ? 1 : size - 1)) % size - 1;
      context.draw();
    } else if (isOpen && event.key === "Enter" && offers.active >= 0) {
      event.preventDefault();
      take(context, input, offers.items[offers.active]);
    } else if (event.key === "Enter") {
      event.preventDefault();
      apply(context, input);
    }
  };
  return h("div.filter@filter", { role: "search" },
    h("label", { for: "filter" }, "Filter"),
    h("div.box",
      h("input", {
        id: "filter",
        type: "text",
        value: context.state.draft ?? filterText(context.query),
        role: "combobox",
        "aria-expanded": String(isOpen),
        "aria-controls": "offers",
        "aria-autocomplete": "list",
        "aria-activedescendant": isOpen && offers.active >= 0 ? `offer-${offers.active}` : undefined,
        placeholder: "state:failed identifier:org.example.mirror or a part of a key",
        spellcheck: "false",
        autocomplete: "off",
        autocapitalize: "off",
        maxlength: "500",
        onfocus: () => loadValues(context),
        oninput: typed,
        onkeydown: pressed,
        onblur: () => closeOffers(context),
      }),
      h("ul", { id: "offers", role: "listbox", "aria-label": "Completions", class: isOpen ? undefined : "unseen" },
        (isOpen ? offers.items : []).map((item, index) =>
          h("li", {
            id: `offer-${index}`,
            role: "option",
            "aria-selected": String(index === offers.active),
            // Pressed, not clicked: the box keeps the focus.
            onpointerdown: (event) => {
              event.preventDefault();
              take(context, document.getElementById("filter"), item);
            },
          }, item)
        ),
      ),
    ),
    h("button", { onclick: () => apply(context, document.getElementById("filter")) }, "Apply"),
  );
}

function apply(context, input) {
  context.state.offers = null;
  context.state.draft = null;
  go(parseFilter(input.value));
  context.draw();
}

// Changes of many

/** Which states an action changes. */
const isLive = (state) => ["pending", "running", "parked", "host-gone"].includes(state);
const bulkActions = {
  launch: (state) => state === "pending",
  cancel: isLive,
  retry: (state) => !isLive(state),
  release: (state) => state === "parked",
};
const words = {
  live: ["pending", "running", "parked"],
  history: ["finished", "cancelled", "replaced", "missed"],
};

/** Returns the filter of the requests that match and that an action changes; null if there are none. */
function filterFor(action, { view, state, ...filter }) {
  const all = state?.split(",") ?? words[view] ?? [...words.live, ...words.history];
  const fitting = all.filter(bulkActions[action]);
  return fitting.length > 0 ? { ...filter, state: fitting.join(",") } : null;
}

async function totalOf(context, filter) {
  const answer = await context.get("requests" + query({ ...filter, limit: 1 }));
  return answer.requests.length + (answer.more ?? 0);
}

const wordsOf = (query) =>
  [{ live: "not over", history: "over" }[query.view], filterText(query)].filter(Boolean).join(", ") || "all";

/** Counts for each action how many of all that match it changes. */
async function selectAll(context) {
  const totals = {};
  await Promise.all(Object.keys(bulkActions).map(async (action) => {
    const filter = filterFor(action, filterOf(context.query));
    totals[action] = filter ? await totalOf(context, filter).catch(() => 0) : 0;
  }));
  context.state.all = totals;
  context.draw();
}

async function change(context, action, ids) {
  const filter = filterFor(action, filterOf(context.query));
  const what = ids
    ? { ids }
    : { filter, total: await totalOf(context, filter), words: wordsOf(context.query) };
  if (!await bulk(context, action, what)) return;
  context.state.selected.clear();
  context.state.all = null;
  context.draw();
}

function bulkBar(context, data) {
  if (!may("bulk") || data.requests.length === 0) return null;
  const { all, selected } = context.state;
  const chosen = data.requests.filter((request) => selected.has(request.id));
  // All requests are not what an empty filter means.
  const isFiltered = Object.keys(filterOf(context.query)).length > 0;
  const isOffered = isFiltered && data.more > 0 && chosen.length === data.requests.length && chosen.length > 0;
  const buttons = Object.entries(bulkActions).map(([action, fits]) => {
    const ids = chosen.filter((request) => fits(request.state)).map((request) => request.id);
    const number = all ? all[action] : ids.length;
    return number > 0 &&
      button("bulk", withNumber(action, count(number)), () => change(context, action, all ? null : ids), {
        "data-key": action,
      });
  });
  return h("div.bulk@bulk", { "aria-live": "polite" },
    all
      ? h("span", `All ${count(data.total)} that match`)
      : chosen.length > 0
      ? h("span", `${count(chosen.length)} selected`)
      : quiet("Select requests to change them together."),
    (isOffered || all) && h("button", {
      class: "link",
      onclick: () => {
        if (!all) return selectAll(context);
        context.state.all = null;
        context.draw();
      },
    }, all ? "Only those on this page" : `Select all ${count(data.total)} that match`),
    buttons,
  );
}

function columns(context, data) {
  const { selected } = context.state;
  const isAll = data.requests.length > 0 && data.requests.every((request) => selected.has(request.id));
  const select = (ids, isOn) => {
    for (const id of ids) isOn ? selected.add(id) : selected.delete(id);
    context.state.all = null;
    context.draw();
  };
  return [
    may("bulk") && ["Select", (request) =>
      h("input", {
        type: "checkbox",
        "aria-label": `Select request ${request.id}`,
        checked: selected.has(request.id),
        onchange: (event) => select([request.id], event.currentTarget.checked),
      }), "",
      h("input", {
        type: "checkbox",
        "aria-label": "Select all on this page",
        checked: isAll,
        indeterminate: !isAll && selected.size > 0,
        onchange: (event) => select(data.requests.map((request) => request.id), event.currentTarget.checked),
      })
    ],
    ["Request", (request) => requestLink(request.id), "head"],
    ["State", (request) => mark(stateOf(request))],
    ["What", (request) => [
      request.argv ? code(purpose(request)) : handlerLink(request.identifier),
      request.needs.length > 0 && h("span.more", `needs ${request.needs.join(", ")}`),
      request.key !== null && h("span.more", "key ", h("bdi", cut(request.key, 60))),
    ], "wide"],
    ["Due", (request) =>
      request.state === "pending"
        ? [
          when(request.due),
          request.reason && !["submitted", "repetition"].includes(request.reason) &&
          quiet(` ${request.reason}`),
        ]
        : "–"],
    ["Changed", (request) => when(request.changed)],
    ["Tries", (request) =>
      isOver(request) ? count(request.launches) : `${request.attempts}/${request.retry.attempts}`, "number"],
  ].filter(Boolean);
}

function commandFor(context) {
  const { state, identifier, text, schedule, view } = context.query;
  if (schedule && !state && !identifier && !text) return line(context.host, "schedules", schedule);
  const isAll = !state && view === undefined;
  const shown = line(
    context.host,
    "ps",
    isAll ? "--all" : null,
    view === "history" ? "--history" : null,
    ...(state ? ["--state", state] : []),
    ...(identifier ? ["--identifier", identifier] : []),
  );
  return text ? `${shown} | grep -F -e ${quoted(text)}` : shown;
}

export default {
  title: () => "Requests",
  every: 15,
  wants: (changes) => changes.all || changes.requests.size > 0,

  // Another filter or page: what was selected before is not seen any more.
  moved(context) {
    context.state.selected?.clear();
    context.state.all = null;
    context.state.draft = null;
    if (context.query.after !== context.state.page) {
      context.state.page = context.query.after;
      scrollTo(0, 0);
      document.querySelector("h1").focus({ preventScroll: true });
    }
    const input = document.getElementById("filter");
    if (input) input.value = filterText(context.query);
  },

  async load(context) {
    context.state.selected ??= new Set();
    context.state.page = context.query.after;
    const filter = filterOf(context.query);
    let answer;
    try {
      const { limit, after } = context.query;
      answer = await context.get("requests" + query({ ...filter, limit, after }));
    } catch (error) {
      // The box stays, so that a filter with a fault can be mended.
      if (!(error instanceof Refusal) || error.status !== 400) throw error;
      return { requests: [], more: 0, next: null, total: 0, fault: error };
    }
    const onPage = answer.requests.length + (answer.more ?? 0);
    const total = context.query.after ? await totalOf(context, filter) : onPage;
    return { requests: answer.requests, more: answer.more ?? 0, next: answer.next ?? null, total };
  },

  render(context, data) {
    const ids = new Set(data.requests.map((request) => request.id));
    for (const id of context.state.selected) if (!ids.has(id)) context.state.selected.delete(id);
    const { after, ...rest } = context.query;
    const filter = filterOf(context.query);
    const isFiltered = Object.keys(filter).length > 0;
    const shown = JSON.stringify(filter);
    return [
      heading("Requests"),
      filterBox(context),
      tabs(
        "Usual filters",
        views.map(([title, members]) => [
          title,
          address(["requests"], members),
          JSON.stringify(members) === shown,
        ]),
      ),
      bulkBar(context, data),
      data.fault
        ? h("div.notice.bad@fault", { role: "alert" }, told(data.fault), p(link("#/requests", "Show all")))
        : data.requests.length === 0
        ? h("p.empty@empty",
          isFiltered
            ? ["No request matches. ", link("#/requests", "Show all")]
            : prose("There are no requests. Type `curfew submit -- /bin/date` to submit one."),
        )
        : table(
          `Requests, the soonest first: ${wordsOf(context.query)}`,
          columns(context, data),
          data.requests,
          {
            key: (request) => String(request.id),
            marked: (request) => context.state.selected.has(request.id),
          },
        ),
      h("nav.pages@pages", { "aria-label": "Pages" },
        data.total > 0 && quiet(
          data.total > data.requests.length
            ? `${count(data.requests.length)} of ${counted(data.total, "request")}`
            : counted(data.total, "request"),
        ),
        after && h("a@first", { href: address(["requests"], rest) }, "First page"),
        data.next &&
          h("a", { "data-key": "next", href: address(["requests"], { ...rest, after: data.next }) },
            "Next page",
          ),
      ),
      commandLine(commandFor(context)),
    ];
  },
};
