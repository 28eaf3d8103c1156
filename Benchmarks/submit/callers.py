# SPDX-License-Identifier: Apache-2.0
"""Callers of a queue in Python: threads that call something again and again, and the time it takes."""

import threading
import time


def per_second(callers, each, call):
    """How many calls a second `callers` threads make, `each` one after the other."""
    threads = [threading.Thread(target=lambda: [call() for _ in range(each)])
               for _ in range(callers)]
    started = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return each * callers / (time.monotonic() - started)
