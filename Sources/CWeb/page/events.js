// SPDX-License-Identifier: Apache-2.0
// The journal as a stream of events, from the newest entry on; closed while nobody sees the page.

import { get, Refusal } from "./api.js";

const kinds = (
  "host-started host-stopped submitted replaced cancelled launched ended backed-off " +
  "snoozed repeated dates-skipped missed parked released finished fenced gap " +
  "factor-changed retried triggered edited held audited host-lost"
).split(" ");
const mostRequests = 256;
const longestPause = 60_000;

/** What has changed since it was taken last. It is bounded: beyond some hundred requests it says "all". */
class Changes {
  all = false;
  requests = new Set();
  kinds = new Set();

  add(entry) {
    this.kinds.add(entry.what);
    if (entry.what === "gap") this.all = true;
    if (typeof entry.request === "number" && !this.all) this.requests.add(entry.request);
    if (this.requests.size > mostRequests) {
      this.all = true;
      this.requests.clear();
    }
  }
}

export class Events {
  #source = null;
  #last = null;
  #changes = null;
  #generation = 0;
  /** How often in a row the host has refused the stream: there may be too many followers. */
  #refusals = 0;
  #on;

  /**
   * `changed` is called at most once a frame; `begun` when the stream has begun at the newest entry,
   * `broken` when it ends.
   */
  constructor(on) {
    this.#on = on;
  }

  async open() {
    this.close();
    const generation = ++this.#generation;
    if (this.#refusals > 0) {
      const pause = Math.min(longestPause, 1000 * 2 ** this.#refusals);
      await new Promise((resolve) => setTimeout(resolve, pause));
      if (generation !== this.#generation) return;
    }
    const isNew = this.#last === null;
    try {
      this.#last ??= (await get("host")).newest;
    } catch (error) {
      if (generation === this.#generation && !(error instanceof Refusal)) this.#on.broken();
      return;
    }
    // Without the right to follow the journal, views load again after some seconds only.
    if (generation !== this.#generation || this.#last === null) return;
    let hasOpened = false;
    const source = new EventSource(`/v1/journal?after=${this.#last}`);
    this.#source = source;
    source.onopen = () => {
      hasOpened = true;
      this.#refusals = 0;
      if (isNew) this.#on.begun();
    };
    source.onerror = () => {
      if (!hasOpened) this.#refusals += 1;
      this.#break(source);
    };
    source.addEventListener("bye", () => this.#break(source));
    for (const kind of kinds) source.addEventListener(kind, (event) => this.#receive(event));
  }

  close() {
    this.#generation += 1;
    this.#source?.close();
    this.#source = null;
  }

  /** Begins at the newest entry when it opens next: the journal is another one, or too much was missed. */
  forget() {
    this.#last = null;
  }

  #break(source) {
    if (this.#source !== source) return;
    this.close();
    this.#on.broken();
  }

  #receive(event) {
    let entry;
    try {
      entry = JSON.parse(event.data);
    } catch {
      return;
    }
    if (Number.isSafeInteger(entry.sequence)) this.#last = entry.sequence;
    if (this.#changes === null) {
      this.#changes = new Changes();
      requestAnimationFrame(() => {
        const changes = this.#changes;
        this.#changes = null;
        this.#on.changed(changes);
      });
    }
    this.#changes.add(entry);
  }
}
