// SPDX-License-Identifier: Apache-2.0
// Changes that a person asks for. Each says what it will do, does it, and says what it has done.

import { may, post } from "./api.js";
import { announce } from "./announce.js";
import { line, numbers } from "./command.js";
import { confirmed, dialog } from "./dialog.js";
import { h, li, p } from "./dom.js";
import { count, counted } from "./format.js";
import { sentence, told } from "./stage.js";

const busy = new WeakSet();

/** A button that does something once at a time. It is not there without the right. */
export function button(action, text, run, members = {}) {
  if (!may(action)) return null;
  return h("button", {
    ...members,
    onclick: async (event) => {
      const element = event.currentTarget;
      // Not `disabled`: the focus comes back to it after a question.
      if (busy.has(element)) return;
      busy.add(element);
      try {
        await run();
      } catch (error) {
        if (error.name !== "AbortError") await refused(error);
      } finally {
        busy.delete(element);
      }
    },
  }, text);
}

/** Asks with the matching command, calls, says what became of it, and loads the view again. */
export async function perform(context, { title, text, yes, command, call, done }) {
  const content = [p(text), command && h("pre", command)];
  if (title && !await confirmed(title, content, yes)) return;
  try {
    const answer = await call();
    announce(typeof done === "function" ? done(answer) : done);
  } catch (error) {
    await refused(error);
  }
  context.forget();
}

async function refused(error) {
  await dialog("Nothing was changed", told(error), [{ text: "Close", value: "" }]);
}

const verbs = {
  cancel: {
    text: "Cancel",
    past: "cancelled",
    one: "It is not launched any more. If it runs, its host stops its task.",
    many: "They are not launched any more. Tasks that run are stopped.",
  },
  retry: {
    text: "Retry",
    past: "pending again",
    one: "It keeps its number, payload and key, and has all its attempts again.",
    many: "They keep their numbers, payloads and keys, and have all their attempts again.",
  },
  launch: {
    text: "Launch now",
    past: "due now",
    one: "It is due at once. What it needs still holds.",
    many: "They are due at once. What they need still holds.",
  },
  release: {
    text: "Release",
    past: "released",
    one:
      "It is parked because the process ended several times in a row while it ran. It becomes pending again.",
    many: "They are parked because the process ended each time they ran. They become pending again.",
  },
};

/** Returns what an action does with a number of requests: Cancel 12, Launch 12 now. */
export const withNumber = (action, number) => verbs[action].text.replace(/^\w+/, (verb) => `${verb} ${number}`);

/** The buttons for one request, by its state. */
export function requestButtons(context, request, isFinal) {
  const actions = isFinal ? ["retry"] : {
    pending: ["launch", "cancel"],
    running: ["cancel"],
    parked: ["release", "cancel"],
    "host-gone": ["cancel"],
  }[request.state] ?? [];
  return actions.map((action) =>
    button(action, verbs[action].text, () =>
      perform(context, {
        title: `${verbs[action].text}: request ${request.id}?`,
        text: verbs[action].one,
        yes: verbs[action].text,
        command: line(context.host, action, request.id),
        call: () => post(`requests/${request.id}/${action}`),
        done: `Request ${request.id} is ${verbs[action].past}`,
      }), { "data-key": action })
  );
}

/** Changes the requests with these numbers, or all `total` that a filter names. */
export async function bulk(context, action, { ids, filter, total, words }) {
  const number = ids ? ids.length : total;
  const verb = verbs[action];
  const text = ids
    ? `${counted(number, "selected request")}: ${numbers(ids).join(", ")}`
    : `All ${count(number)} requests that match “${words}”, also those on other pages.`;
  const content = [p(text), p(verb.many), ids && h("pre", line(context.host, action, ...numbers(ids)))];
  if (
    !await confirmed(`${withNumber(action, counted(number, "request"))}?`, content, withNumber(action, count(number)))
  ) return false;
  let done = 0;
  const refused = [];
  try {
    if (ids) {
      for (let start = 0; start < ids.length; start += 1000) {
        const answer = await post(`requests:${action}`, { ids: ids.slice(start, start + 1000) });
        done += answer.done;
        refused.push(...answer.refused);
      }
    } else {
      // The host works in portions. Never more than the number that was confirmed.
      for (;;) {
        const answer = await post(`requests:${action}`, { filter });
        done += answer.done;
        if (refused.length < 1000) refused.push(...answer.refused);
        if (!answer.more || answer.done === 0 || done + refused.length >= number) break;
        announce(`${count(done)} of ${count(number)} are ${verb.past}`);
      }
    }
    announce(`${counted(done, "request")} ${done === 1 ? "is" : "are"} ${verb.past}`);
    if (refused.length > 0) {
      await dialog(
        `${counted(done, "request")} ${verb.past}, ${count(refused.length)} refused`,
        h("ul",
          refused.slice(0, 20).map(({ id, message }) =>
            h("li",
              h("a", { href: `#/requests/${Number(id)}` }, `Request ${id}`),
              `: ${sentence(message)}`,
            )
          ),
          refused.length > 20 && li(`… and ${count(refused.length - 20)} more`),
        ),
        [{ text: "Close", value: "" }],
      );
    }
  } catch (error) {
    await dialog(
      done > 0 ? `Stopped after ${counted(done, "request")}` : "Nothing was changed",
      told(error),
      [{ text: "Close", value: "" }],
    );
  }
  context.forget();
  return true;
}
