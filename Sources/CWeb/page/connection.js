// SPDX-License-Identifier: Apache-2.0
// Whether the host answers: the bar that says since when it does not, and the attempts to reach it again.

import { get, Refusal } from "./api.js";
import { clock } from "./time.js";

const bar = document.getElementById("connection");
const pauses = [1000, 2000, 4000, 8000, 10000];

let since = null;
let timer = null;
let attempt = 0;
let onReturn = () => {};

/** Sets what is done once the host answers again. */
export function whenBack(action) {
  onReturn = action;
}

export const isDown = () => since !== null;

/** Says that the host does not answer, and tries it again until it does. */
export function lost() {
  if (since !== null) return;
  since = new Date();
  attempt = 0;
  schedule();
}

/** Stops trying, for a page that nobody sees or whose person is signed out. */
export function rest() {
  clearTimeout(timer);
  timer = null;
  since = null;
  bar.hidden = true;
}

function schedule() {
  clearTimeout(timer);
  timer = setTimeout(probe, pauses[Math.min(attempt, pauses.length - 1)]);
  attempt += 1;
  // A stream that is cut and taken up again at once is no news.
  if (attempt > 1) {
    bar.hidden = false;
    bar.textContent = `The host does not answer since ${
      clock(since)
    }, trying again. What you see is from before.`;
  }
}

async function probe() {
  try {
    await get("host");
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) return;
    if (since !== null) schedule();
    return;
  }
  if (since === null) return;
  rest();
  onReturn();
}
