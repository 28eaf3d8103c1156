// SPDX-License-Identifier: Apache-2.0
// Opens views and closes them: loads what a view shows, draws it, and draws again what has changed.

import { get, Refusal, Silence } from "./api.js";
import { h, link, p, patch, prose } from "./dom.js";
import { cut, visible } from "./text.js";

const main = document.getElementById("main");
/** At most two loads a second, however much happens. */
const shortestPause = 500;

let present = null;

/** What a view has: its address, its own state, and a way to load. It ends with the view. */
class Context {
  #abort = new AbortController();
  #answers = new Map();
  #timers = new Set();
  #loading = false;
  #again = false;
  #lastStart = -Infinity;
  #timer = null;
  state = {};
  switches = new Set();
  data = null;
  failure = null;

  constructor(view, route, host) {
    this.view = view;
    this.route = route;
    this.host = host;
  }

  get path() {
    return this.route.path;
  }
  get query() {
    return this.route.query;
  }
  get signal() {
    return this.#abort.signal;
  }
  get isOpen() {
    return !this.#abort.signal.aborted;
  }

  /** The width for charts, in pixels. */
  get width() {
    const style = getComputedStyle(main);
    return Math.max(
      250,
      Math.min(1100, main.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight)),
    );
  }

  /** Calls the host; an answer that is at most `fresh` seconds old is taken again. */
  async get(path, { fresh = 0, or } = {}) {
    const known = this.#answers.get(path);
    if (known && performance.now() - known.at < fresh * 1000) return known.answer;
    try {
      const answer = await get(path, { signal: this.signal });
      if (fresh > 0) {
        if (this.#answers.size >= 32) this.#answers.delete(this.#answers.keys().next().value);
        this.#answers.set(path, { at: performance.now(), answer });
      }
      return answer;
    } catch (error) {
      // A part that the host refuses leaves the rest of the view as it is.
      if (or !== undefined && error instanceof Refusal && error.status !== 401) return or;
      throw error;
    }
  }

  /** Loads and draws again: now, or half a second after the last time. */
  reload() {
    if (!this.isOpen) return;
    if (this.#loading) {
      this.#again = true;
      return;
    }
    if (this.#timer !== null) return;
    const pause = this.#lastStart + shortestPause - performance.now();
    if (pause <= 0) this.#load();
    else this.#timer = setTimeout(() => this.#load(), pause);
  }

  /** What was loaded does not count any more, after an action of the person. */
  forget() {
    this.#answers.clear();
    this.reload();
  }

  async #load() {
    this.#timer = null;
    // A page that nobody sees loads once it is shown.
    if (document.hidden) return;
    this.#loading = true;
    this.#lastStart = performance.now();
    try {
      const data = await this.view.load(this);
      if (!this.isOpen) return;
      this.data = data;
      this.failure = null;
    } catch (error) {
      if (!this.isOpen || error.name === "AbortError") return;
      this.failure = error;
      if (!(error instanceof Refusal || error instanceof Silence)) console.error(error);
    } finally {
      this.#loading = false;
    }
    this.draw();
    if (this.#again) {
      this.#again = false;
      this.reload();
    }
  }

  draw() {
    if (!this.isOpen) return;
    const wanted = h("div");
    // What was loaded before stays, where only the connection is lost.
    if (this.failure && !(this.failure instanceof Silence && this.data)) {
      wanted.append(...failed(this, this.failure));
    } else if (this.data) wanted.append(...this.#rendered());
    else {wanted.append(
        h("h1@heading", { tabindex: "-1" }, this.view.title(this)),
        h("p.quiet", "Loading…"),
      );}
    const focused = document.activeElement;
    patch(main, wanted);
    // A row that has moved lets go of the focus.
    if (focused !== document.activeElement && main.contains(focused)) focused.focus({ preventScroll: true });
    this.view.drawn?.(this);
    document.title = `${visible(cut(this.view.title(this), 200))} – Curfew`;
  }

  #rendered() {
    try {
      return this.view.render(this, this.data).flat(3).filter(Boolean);
    } catch (error) {
      console.error(error);
      return failed(this, new Error("the page cannot show what the host has answered"));
    }
  }

  /** Runs an action each `seconds` until the view closes. */
  every(seconds, action) {
    this.#timers.add(setInterval(() => {
      if (!document.hidden) action();
    }, seconds * 1000));
  }

  close() {
    this.#abort.abort();
    clearTimeout(this.#timer);
    for (const timer of this.#timers) clearInterval(timer);
  }
}

function failed(context, error) {
  return [
    h("h1@heading", { tabindex: "-1" }, context.view.title(context)),
    h("div.notice.bad", { role: "alert" }, told(error)),
    p(h("button", { onclick: () => context.reload() }, "Try again"), " ", link("#/", "Overview")),
  ];
}

/** Returns a message of the host as a sentence; a name or a path at its begin stays as it is. */
export function sentence(text) {
  text = String(text);
  const isWord = /^[a-z]+(?=[\s,:;]|$)/.test(text);
  return (isWord ? text[0].toUpperCase() + text.slice(1) : text) + (/[.!?]$/.test(text) ? "" : ".");
}

/** What the host has refused, and what it says about what to do. */
export const told = (error) => [error.message, ...error.help ?? []].map((text) => p(prose(sentence(text))));

/** Opens a view at an address. The focus goes to its heading if the path is another one than before. */
export function show(view, route, host, { focus }) {
  const isSame = present !== null && present.view === view && present.path.join("/") === route.path.join("/");
  if (isSame) {
    present.route = route;
    present.view.moved?.(present);
    present.draw();
    present.reload();
    return;
  }
  present?.close();
  present = new Context(view, route, host);
  present.draw();
  scrollTo(0, 0);
  if (focus) main.querySelector("h1")?.focus({ preventScroll: true });
  present.reload();
  if (view.every) {
    const context = present;
    context.every(view.every, () => context.reload());
  }
  view.opened?.(present);
}

/** Closes the view, and shows nodes in its place. */
export function end(...nodes) {
  present?.close();
  present = null;
  patch(main, h("div", ...nodes));
  main.querySelector("h1")?.focus();
}

export const current = () => present;

// Charts are drawn for the width that there is.
let drawnWidth = main.clientWidth;
new ResizeObserver(() => {
  if (main.clientWidth === drawnWidth) return;
  drawnWidth = main.clientWidth;
  requestAnimationFrame(() => {
    if (present?.data) present.draw();
  });
}).observe(main);
