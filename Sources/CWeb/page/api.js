// SPDX-License-Identifier: Apache-2.0
// Calls of the host, in JSON, and the rights of the person who looks.

/** What the host answers in place of what was asked for. */
export class Refusal extends Error {
  constructor(status, error) {
    super(error?.message ?? `the host answers with status ${status}`);
    this.status = status;
    this.code = error?.code ?? "";
    this.help = Array.isArray(error?.help) ? error.help : [];
  }
}

/** No answer came: the host ends, or cannot be reached. */
export class Silence extends Error {}

/** The roles of which one has to be there for an action. */
const needed = {
  cancel: ["operate", "submit"],
  retry: ["operate", "submit"],
  launch: ["operate"],
  release: ["operate"],
  payload: ["operate", "submit"],
  pause: ["operate"],
  resume: ["operate"],
  bulk: ["operate"],
  plugin: ["admin"],
  drain: ["admin"],
  reload: ["admin"],
};

export const me = { user: null, rights: [] };

export const may = (action) => needed[action].some((right) => me.rights.includes(right));

/** Whether the person may change anything at all. */
export const mayOnlyLook = () => !["operate", "admin", "submit"].some((right) => me.rights.includes(right));

const observers = { signedOut: () => {}, silent: () => {} };

/** Sets who is told of an answer 401, and of no answer. */
export function observe(handlers) {
  Object.assign(observers, handlers);
}

async function call(method, path, { body, signal, bytes } = {}) {
  let response;
  try {
    response = await fetch("/v1/" + path, {
      method,
      signal,
      cache: "no-store",
      credentials: "same-origin",
      redirect: "error",
      headers: body === undefined
        ? { Accept: "application/json" }
        : { Accept: "application/json", "Content-Type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    if (response.status === 401) {
      observers.signedOut();
      throw new Refusal(401, await response.json().then((answer) => answer.error, () => null));
    }
    if (bytes && response.ok) return new Uint8Array(await response.arrayBuffer());
    const text = await response.text();
    let answer = null;
    try {
      answer = JSON.parse(text);
    } catch {
      throw new Refusal(response.status, {
        message: `the host answers with status ${response.status}, and not in JSON`,
      });
    }
    // The health of a host that is degraded is an answer with 503.
    if (!response.ok && (answer?.error || answer?.findings === undefined)) {
      throw new Refusal(response.status, answer?.error);
    }
    return answer;
  } catch (error) {
    if (error instanceof Refusal || error.name === "AbortError") throw error;
    observers.silent();
    throw new Silence("the host does not answer");
  }
}

export const get = (path, options) => call("GET", path, options);
/** Posts; a call that takes nothing is sent without a body, as the host wants it. */
export const post = (path, body, options) => call("POST", path, { ...options, body });
export const remove = (path, options) => call("DELETE", path, options);
export const getBytes = (path, options) => call("GET", path, { ...options, bytes: true });

/** Returns the members that have a value as a query: ?a=b&c=d. */
export function query(members) {
  const pairs = Object.entries(members).filter(([, value]) =>
    value !== undefined && value !== null && value !== ""
  );
  return pairs.length === 0 ? "" : "?" + new URLSearchParams(pairs);
}
