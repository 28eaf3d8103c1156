// SPDX-License-Identifier: Apache-2.0
// Says for a moment what an action has done, also to those who listen.

const place = document.getElementById("announcement");
let timer = null;

export function announce(text, isLong = false) {
  clearTimeout(timer);
  place.className = "announced";
  place.textContent = text;
  timer = setTimeout(() => {
    place.className = "unseen";
    place.textContent = "";
  }, isLong ? 12000 : 5000);
}
