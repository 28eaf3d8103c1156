# SPDX-License-Identifier: Apache-2.0
"""Jobs a second in dramatiq with Redis, which answers before anything is on disk.

    dramatiq-redis.py submit CALLERS COUNT DIRECTORY
    dramatiq-redis.py life IN_FLIGHT COUNT DIRECTORY

A Redis server of this run's own, in DIRECTORY, with its usual persistence: a snapshot now and then.
What was taken in since the last one is gone when the machine or the server is: this is what speed
without the promise is, not a peer that keeps it.

submit: each caller, a thread, has the server's answer before it sends the next.
life: from sending to the end of the job in one of a worker's threads, in this process.
"""

import logging
import os
import subprocess
import sys
import threading
import time

import dramatiq
import redis
from dramatiq.brokers.redis import RedisBroker

from callers import per_second

kind, callers, count, path = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
if kind not in ("submit", "life"):
    sys.exit(__doc__)
logging.disable(logging.CRITICAL)
PAYLOAD = "x" * 100
os.makedirs(path)
socket = os.path.join(path, "redis.sock")
server = subprocess.Popen(
    ["redis-server", "--port", "0", "--unixsocket", socket, "--dir", path],
    stdout=subprocess.DEVNULL)
client = redis.Redis(unix_socket_path=socket)


def wait_for_server():
    until = time.monotonic() + 20
    while True:
        try:
            return client.ping()
        except redis.exceptions.ConnectionError:
            if server.poll() is not None or time.monotonic() > until:
                sys.exit("the Redis server does not answer")
            time.sleep(0.01)


wait_for_server()
broker = RedisBroker(url=f"unix://{socket}")
dramatiq.set_broker(broker)
room = threading.Semaphore(callers)
over = threading.Semaphore(0)


@dramatiq.actor(max_retries=0)
def job(payload):
    room.release()
    over.release()


def submit():
    each = count // callers
    rate = per_second(callers, each, lambda: job.send(PAYLOAD))
    pending = client.llen("dramatiq:default")
    if pending != each * callers:
        sys.exit(f"{pending} jobs are pending instead of {each * callers}")
    return rate


def live():
    worker = dramatiq.Worker(broker, worker_threads=4, worker_timeout=10)
    worker.start()
    started = time.monotonic()
    for _ in range(count):
        room.acquire()
        job.send(PAYLOAD)
    for _ in range(count):
        over.acquire()
    return count / (time.monotonic() - started)


try:
    print(f"per_second {submit() if kind == 'submit' else live():.1f}")
    sys.stdout.flush()
finally:
    server.terminate()
    server.wait()
os._exit(0)  # the worker's threads would be waited for
