# SPDX-License-Identifier: Apache-2.0
"""What an idle consumer of huey takes of memory: one worker thread, one task known, nothing due.

    sqlite-huey.py DATABASE
"""

import logging
import os
import re
import sys
import time

from huey import SqliteHuey

logging.disable(logging.CRITICAL)
huey = SqliteHuey(filename=sys.argv[1], fsync=True)


@huey.task()
def job(payload):
    return True


huey.create_consumer(workers=1, worker_type="thread", periodic=False).start()
time.sleep(0.1)
with open("/proc/self/smaps_rollup") as file:
    sizes = dict(re.findall(r"^(Rss|Pss|Anonymous): +(\d+) kB$", file.read(), re.M))
print(f"idle_kib {sizes['Rss']}\npss_kib {sizes['Pss']}\nanonymous_kib {sizes['Anonymous']}")
sys.stdout.flush()
os._exit(0)  # the consumer's threads would be waited for
