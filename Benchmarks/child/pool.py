# SPDX-License-Identifier: Apache-2.0
"""Python's ProcessPoolExecutor with one process: jobs that do nothing, one at a time or in a row.

    child/pool.py busy | row
"""

import statistics
import sys
import time
from concurrent.futures import ProcessPoolExecutor

ONE_BY_ONE, ROW = 2_000, 10_000


def nothing():
    return None


def main():
    with ProcessPoolExecutor(max_workers=1) as pool:
        pool.submit(nothing).result()
        if sys.argv[1] == "row":
            started = time.monotonic_ns()
            for future in [pool.submit(nothing) for _ in range(ROW)]:
                future.result()
            print(f"us_per_task {(time.monotonic_ns() - started) / 1000 / ROW:.3f}")
            return
        spans = []
        for _ in range(ONE_BY_ONE):
            started = time.monotonic_ns()
            pool.submit(nothing).result()
            spans.append((time.monotonic_ns() - started) / 1000)
        print(f"p50_us {statistics.median(spans):.2f}")
        print(f"p99_us {statistics.quantiles(spans, n=100)[98]:.2f}")


if __name__ == "__main__":
    main()
