// SPDX-License-Identifier: Apache-2.0
// Puts the page together: views by their addresses, live changes, and what is around the views.

import { get, mayOnlyLook, me, observe, Refusal } from "./api.js";
import { isDown, lost, rest, whenBack } from "./connection.js";
import { h, li, link, p, patch, prose } from "./dom.js";
import { Events } from "./events.js";
import factors from "./factors.js";
import handler from "./handler.js";
import handlers from "./handlers.js";
import health from "./health.js";
import hosts from "./hosts.js";
import { listen, showKeys } from "./keys.js";
import overview from "./overview.js";
import plugins from "./plugins.js";
import request from "./request.js";
import requests from "./requests.js";
import { parse } from "./router.js";
import schedules from "./schedules.js";
import { applyTheme, choose, setting } from "./settings.js";
import { current, end, show } from "./stage.js";
import { tick, zone } from "./time.js";

const views = [
  { key: "o", href: "#/", title: "Overview", view: overview },
  { key: "r", href: "#/requests", title: "Requests", view: requests, one: request },
  { key: "h", href: "#/handlers", title: "Handlers", view: handlers, one: handler },
  { key: "s", href: "#/schedules", title: "Schedules", view: schedules },
  { key: "p", href: "#/plugins", title: "Plugins", view: plugins },
  { key: "m", href: "#/hosts", title: "Hosts", view: hosts },
  { key: "f", href: "#/factors", title: "Factors", view: factors },
  { key: "e", href: "#/health", title: "Health", view: health },
];

let host = null;
let isSignedOut = false;

function viewOf({ path }) {
  if (path.length === 0) return views[0].view;
  const found = views.find((item) => item.href === `#/${path[0]}`);
  if (!found || path.length > (found.one ? 2 : 1)) return null;
  return path.length === 2 ? found.one : found.view;
}

function drawAround() {
  const first = parse(location.hash).path[0] ?? "";
  patch(
    document.getElementById("views"),
    h("div",
      h("ul",
        views.map(({ href, title, key }) =>
          li(
            h("a", { href, title: `g ${key}`, "aria-current": href === `#/${first}` ? "page" : undefined },
              title,
            ),
          )
        ),
      ),
    ),
  );
  const themes = h("select", { id: "theme", onchange: (event) => choose("theme", event.currentTarget.value) },
    ["auto", "light", "dark"].map((value) =>
      h("option", { value, selected: setting("theme") === value },
        { auto: "System", light: "Light", dark: "Dark" }[value],
      )
    ),
  );
  document.getElementById("rights").hidden = me.user === null || !mayOnlyLook();
  document.getElementById("foot").replaceChildren(
    h("span", host ? `Curfew ${host.version}, ${host.store}` : "Curfew"),
    h("span", me.user ? `User ${me.user}.` : ""),
    h("span", `Times are those of ${zone}.`),
    h("span", h("label", { for: "theme" }, "Colours "), themes),
    h("button.link", { onclick: () => showKeys(views) }, "Keys"),
  );
}

function route(focus) {
  if (isSignedOut) return;
  const address = parse(location.hash);
  const view = viewOf(address);
  if (view) show(view, address, host, { focus });
  else end(h("h1", { tabindex: "-1" }, "There is no such view"), p(link("#/", "Overview")));
  drawAround();
}

// Live changes

const events = new Events({
  // What has changed between the first load and the begin of the stream.
  begun: () => current()?.reload(),
  broken: () => {
    if (!document.hidden) lost();
  },
  changed(changes) {
    const context = current();
    if (!context || !context.view.wants(changes, context)) return;
    // What is about one request is told at once; a series may be some seconds old.
    if (changes.all || context.view === request) context.forget();
    else context.reload();
  },
});

whenBack(() => {
  begin().then(() => current()?.forget());
});

const longestGap = 60_000;
let ticker = null;
let hiddenSince = 0;

function wake() {
  clearInterval(ticker);
  ticker = setInterval(tick, 1000);
  tick();
  if (Date.now() - hiddenSince > longestGap) events.forget();
  events.open();
  current()?.forget();
}

document.addEventListener("visibilitychange", () => {
  if (isSignedOut) return;
  if (document.hidden) {
    clearInterval(ticker);
    hiddenSince = Date.now();
    events.close();
    rest();
  } else wake();
});

// Who looks

function signedOut() {
  if (isSignedOut) return;
  isSignedOut = true;
  clearInterval(ticker);
  events.close();
  rest();
  Object.assign(me, { user: null, rights: [] });
  document.title = "Signed out – Curfew";
  document.getElementById("views").hidden = true;
  document.getElementById("rights").hidden = true;
  document.getElementById("foot").replaceChildren();
  end(
    h("h1", { tabindex: "-1" }, "You are signed out"),
    p(prose("Type `curfew web` again in a terminal, and open the address that it prints.")),
  );
}

observe({
  signedOut,
  silent: () => {
    if (!document.hidden) lost();
  },
});

/** Asks who looks, and which host answers; then follows its journal. */
async function begin() {
  try {
    const [person, answer] = await Promise.all([get("me"), get("host")]);
    Object.assign(me, {
      user: String(person.user),
      rights: Array.isArray(person.rights) ? person.rights : [],
    });
    // Another host may have another journal; what it did meanwhile is loaded in any case.
    if (host && (host.process !== answer.process || host.since !== answer.since)) events.forget();
    host = answer;
    const context = current();
    if (context) context.host = host;
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) return;
  }
  if (isSignedOut) return;
  drawAround();
  if (!document.hidden && !isDown()) events.open();
}

document.getElementById("skip").onclick = (event) => {
  event.preventDefault();
  document.getElementById("main").focus();
};
addEventListener("hashchange", () => route(true));
listen(views);
applyTheme();
drawAround();
await begin();
route(false);
ticker = setInterval(tick, 1000);
