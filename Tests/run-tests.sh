#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs `swift test` with what it is given, and says at the end, below thousands of lines, what failed
# and where: who reads only the last lines of a log knows then.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# What happened, one JSON object a line; the runner's own lines go where they always go.
record=$(mktemp)
trap 'rm -f "$record"' EXIT
status=0
"${SWIFT:-swift}" test --event-stream-output-path "$record" "$@" || status=$?
[ "$status" = 0 ] && exit 0

"${PYTHON:-python3}" -B - "$record" >&2 <<'END' || true
import json, sys

# A message may hold a whole value.
longest = 600
faults, running = [], {}
for line in open(sys.argv[1], encoding="utf-8", errors="replace"):
    try:
        event = json.loads(line)
    except ValueError:
        continue  # cut off where the process died
    payload = event.get("payload", {})
    texts = [message["text"] for message in payload.get("messages", [])]
    match payload.get("kind"):
        case "testStarted":
            running[payload["testID"]] = texts
        case "testEnded":
            running.pop(payload["testID"], None)
        case "issueRecorded" if not payload.get("issue", {}).get("isKnown"):
            place = payload["issue"].get("sourceLocation") or {}
            where = "{}:{}".format(place.get("fileID", "?"), place.get("line", "?"))
            test = payload.get("testID", "").split("/")[-2:-1]
            faults.append("- " + ", in ".join([where] + test))
            faults += ["  " + text[:longest] for text in texts]
# Of those that did not end, one took the process with it; a suite is not over before its tests are.
for identifier in running:
    if "/" in identifier:
        faults.append("- did not end: " + identifier)
print("\ntests: what failed:")
print("\n".join(faults or ["- no test; what it was stands above"]))
END
exit "$status"
