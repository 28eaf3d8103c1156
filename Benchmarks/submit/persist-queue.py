# SPDX-License-Identifier: Apache-2.0
"""Durable jobs a second in persist-queue's queues over SQLite.

    persist-queue.py submit CALLERS COUNT DIRECTORY
    persist-queue.py life IN_FLIGHT COUNT DIRECTORY

Both queues keep their database in WAL mode with SQLite's default of synchronous=FULL, which is
checked; with auto_commit every put, get and ack is one commit.

submit: SQLiteQueue; each caller, a thread, has its job on disk before it puts the next.
life: SQLiteAckQueue, whose jobs survive a worker that dies: put, then in one worker thread get and
ack, three commits; acknowledged ones are cleared away at the end, in what is timed. The worker is
told of each put by a semaphore: the queue's own blocking get may overlook one for ten seconds.
"""

import sys
import threading
import time

import persistqueue

from callers import per_second

kind, callers, count, path = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
PAYLOAD = "x" * 100


def check_durable(queue):
    for connection in {queue._putter, queue._getter}:
        if connection.execute("PRAGMA synchronous").fetchone()[0] < 2:
            sys.exit("commits are not on disk when they return")


def submit():
    queue = persistqueue.SQLiteQueue(path, auto_commit=True, multithreading=True)
    check_durable(queue)
    each = count // callers
    rate = per_second(callers, each, lambda: queue.put(PAYLOAD))
    if queue.qsize() != each * callers:
        sys.exit(f"{queue.qsize()} jobs are queued instead of {each * callers}")
    return rate


def live():
    queue = persistqueue.SQLiteAckQueue(path, auto_commit=True, multithreading=True)
    check_durable(queue)
    room = threading.Semaphore(callers)
    queued = threading.Semaphore(0)

    def work():
        for _ in range(count):
            queued.acquire()
            item = queue.get(block=False, raw=True)
            if item["data"] != PAYLOAD:
                sys.exit("another payload came")
            queue.ack(id=item["pqid"])
            room.release()

    worker = threading.Thread(target=work)
    started = time.monotonic()
    worker.start()
    for _ in range(count):
        room.acquire()
        queue.put(PAYLOAD)
        queued.release()
    worker.join()
    acked = queue.acked_count()
    queue.clear_acked_data(keep_latest=0, max_delete=count)
    seconds = time.monotonic() - started
    if acked != count or queue.size != 0:
        sys.exit(f"{acked} jobs are done instead of {count}")
    return count / seconds


if kind not in ("submit", "life"):
    sys.exit(__doc__)
print(f"per_second {submit() if kind == 'submit' else live():.1f}")
