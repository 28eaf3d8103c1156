# SPDX-License-Identifier: Apache-2.0
"""An idle consumer of huey as huey_consumer.py makes it, with 1,000 jobs that are due in an hour,
for count.py to look at.

    sqlite-huey.py DATABASE
"""

import logging
import sys

from huey import SqliteHuey

logging.disable(logging.CRITICAL)
huey = SqliteHuey(filename=sys.argv[1])


@huey.task()
def job(payload):
    return True


for _ in range(1000):
    job.schedule(("x",), delay=3600)
consumer = huey.create_consumer(workers=1, worker_type="thread")
print("ready", flush=True)
consumer.run()
