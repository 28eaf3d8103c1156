# SPDX-License-Identifier: Apache-2.0
"""Jobs a second in Procrastinate, and how soon a worker picks one up.

    procrastinate-jobs.py submit 1|64 COUNT CONNINFO
    procrastinate-jobs.py tasks 1|64 COUNT CONNINFO
    procrastinate-jobs.py pickup COUNT PAUSE_MS CONNINFO

submit: `defer` of one job after the other, or `batch_defer` of 64.
tasks: a worker of that concurrency runs jobs that are there; from the end of the first one to that of
the last, in the worker.
pickup: a worker in another process listens; from the call of `defer` until the job begins.

psycopg is the one in C. The database is empty before.
"""

import asyncio
import logging
import multiprocessing
import sys
import time

import procrastinate

kind, first, second, address = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
logging.disable(logging.CRITICAL)
PAYLOAD = "x" * 100
app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=address))
begun = multiprocessing.SimpleQueue()
ends = []


@app.task(name="job")
async def job(payload):
    ends.append(time.monotonic())


@app.task(name="mark")
async def mark():
    begun.put(time.monotonic())


async def count_jobs(state):
    rows = await app.connector.execute_query_all_async(
        f"SELECT count(*) FROM procrastinate_jobs WHERE status = '{state}'")
    return rows[0]["count"]


def defer_batches(count):
    for _ in range(0, count, 64):
        job.batch_defer(*[{"payload": PAYLOAD}] * 64)


def submit(batch, count):
    started = time.monotonic()
    if batch == 1:
        for _ in range(count):
            job.defer(payload=PAYLOAD)
    else:
        defer_batches(count)
    return count / (time.monotonic() - started)


async def work(concurrency, count):
    async with app.open_async():
        await app.run_worker_async(
            concurrency=concurrency, wait=False, install_signal_handlers=False,
            delete_jobs="never")
        done = await count_jobs("succeeded")
        if done < count:
            sys.exit(f"{done} jobs are done instead of {count}")
    return (len(ends) - 1) / (ends[-1] - ends[0])


async def listen():
    async with app.open_async():
        await app.run_worker_async(
            concurrency=64, install_signal_handlers=False, delete_jobs="never")


def pick_up(count, pause_ms):
    worker = multiprocessing.get_context("fork").Process(
        target=lambda: asyncio.run(listen()), daemon=True)
    worker.start()
    times = []
    with app.open():
        mark.defer()
        begun.get()  # it listens
        for _ in range(count):
            time.sleep(pause_ms / 1000)
            asked = time.monotonic()
            mark.defer()
            times.append((begun.get() - asked) * 1000)
    worker.kill()
    times.sort()
    print(f"p50_ms {times[count // 2]:.3f}\np99_ms {times[count * 99 // 100]:.3f}")


if kind not in ("submit", "tasks", "pickup"):
    sys.exit(__doc__)
with app.open():
    app.schema_manager.apply_schema()
    if kind == "submit":
        print(f"per_second {submit(first, second):.1f}")
    elif kind == "tasks":
        defer_batches(second)
if kind == "tasks":
    print(f"per_second {asyncio.run(work(first, second)):.1f}")
elif kind == "pickup":
    pick_up(first, second)
