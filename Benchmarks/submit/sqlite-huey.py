# SPDX-License-Identifier: Apache-2.0
"""Durable jobs a second in huey's SqliteHuey with fsync.

    sqlite-huey.py submit CALLERS COUNT DATABASE
    sqlite-huey.py life IN_FLIGHT COUNT DATABASE [WORKERS]

submit: each caller, a thread, has its job on disk before it submits the next.
life: from submission to the signal of its completion, with its result stored. The consumer's
threads (WORKERS, 1) are in this process, as huey_consumer.py has them in its own; a worker that
finds nothing sleeps for 1 ms to begin with, the shortest pause that is of use here.
"""

import logging
import os
import sys
import threading
import time

from huey import SqliteHuey

from callers import per_second

kind, callers, count, path = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
workers = int(sys.argv[5]) if len(sys.argv) > 5 else 1
if kind not in ("submit", "life"):
    sys.exit(__doc__)
logging.disable(logging.CRITICAL)
huey = SqliteHuey(filename=path, fsync=True, results=True)
room = threading.Semaphore(callers)
over = threading.Semaphore(0)
PAYLOAD = "x" * 100


@huey.task()
def job(payload):
    return True


@huey.signal("complete")
def complete(signal, task):
    room.release()
    over.release()


def submit():
    each = count // callers
    rate = per_second(callers, each, lambda: job(PAYLOAD))
    if huey.pending_count() != each * callers:
        sys.exit(f"{huey.pending_count()} jobs are pending instead of {each * callers}")
    return rate


def live():
    consumer = huey.create_consumer(
        workers=workers, worker_type="thread", initial_delay=0.001, max_delay=0.01,
        periodic=False)
    consumer.start()
    started = time.monotonic()
    for _ in range(count):
        room.acquire()
        job(PAYLOAD)
    for _ in range(count):
        over.acquire()
    seconds = time.monotonic() - started
    if huey.pending_count() != 0:
        sys.exit(f"{huey.pending_count()} jobs are left")
    return count / seconds


print(f"per_second {submit() if kind == 'submit' else live():.1f}")
sys.stdout.flush()
os._exit(0)  # the consumer's threads would be waited for
