# SPDX-License-Identifier: Apache-2.0
"""Whole lives of durable jobs a second in huey's SqliteHuey with fsync: submit, run, result.

    requests_huey.py WORKERS IN_FLIGHT COUNT DATABASE

The consumer's threads are in this process, as huey_consumer.py has them.
"""

import logging
import sys
import threading
import time

from huey import SqliteHuey

workers, in_flight, count, path = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
logging.disable(logging.CRITICAL)
huey = SqliteHuey(filename=path, fsync=True, results=True)
room = threading.Semaphore(in_flight)
over = threading.Semaphore(0)


@huey.task()
def job(payload):
    return True


@huey.signal("complete")
def complete(signal, task):
    room.release()
    over.release()


consumer = huey.create_consumer(
    workers=workers, worker_type="thread", initial_delay=0.001, max_delay=0.01, periodic=False)
consumer.start()
payload = "x" * 100
started = time.monotonic()
for _ in range(count):
    room.acquire()
    job(payload)
for _ in range(count):
    over.acquire()
print("per_second", count / (time.monotonic() - started))
sys.stdout.flush()
import os
os._exit(0)
