# SPDX-License-Identifier: Apache-2.0
"""The paths that are measured: which programs, which rows of which tables, which targets."""

import dataclasses
import shutil
import subprocess
import sys
from pathlib import Path

from postgres.server import Server
from programs import HERE, Missing

LIMIT, OURS, PEER = "limit", "ours", "peer"


@dataclasses.dataclass
class Program:
    """One process of a round. In `command` {} stands for a directory of its own for that run. `before`
    is called before each run."""

    key: str
    role: str
    name: str
    command: list
    environment: dict = dataclasses.field(default_factory=dict)
    before: object = None


@dataclasses.dataclass
class Row:
    """One line of a table: `value` takes a round, {program: {what it printed: number}}."""

    role: str
    name: str
    value: object


@dataclasses.dataclass
class Target:
    """What ours has to reach: `bound` makes it of {row's name: median}."""

    text: str
    ours: str
    bound: object
    is_ceiling: bool = True

    def judge(self, medians):
        """The value in words, and whether it is enough."""
        bound, value = self.bound(medians), medians[self.ours]
        is_met = value <= bound if self.is_ceiling else value >= bound
        share = f"{value / bound:.2f} of that" if bound else f"{value:g}"
        return share, is_met


@dataclasses.dataclass
class Table:
    name: str
    title: str
    unit: str
    rows: list
    target: Target = None
    others: list = dataclasses.field(default_factory=list)  # further targets

    def targets(self):
        return [each for each in [self.target, *self.others] if each is not None]


@dataclasses.dataclass
class Measured:
    name: str
    what: str
    programs: list
    tables: list
    rounds: int = 9
    rules: list = dataclasses.field(default_factory=list)
    closing: list = dataclasses.field(default_factory=list)  # called at the end, whatever happens


class Context:
    """What programs are made with."""

    def __init__(self, programs, library, command):
        self.programs, self.library, self.command = programs, library, command

    def peers(self, *entries):
        """Programs of those entries, (key, name, how to make the command), that can be built."""
        found = []
        for key, name, make in entries:
            try:
                command = make()
            except Missing as missing:
                self.programs.missing.add(f"there is no {missing}")
                continue
            environment = {}
            if isinstance(command, tuple):
                command, environment = command
            found.append(Program(key, PEER, name, command, environment))
        return found

    def redis(self, *arguments):
        """Dramatiq's command, where there is a Redis server for it."""
        if shutil.which("redis-server") is None:
            raise Missing("redis-server")
        return self.script("submit/dramatiq-redis.py", "dramatiq[redis]", "2.2.1", *arguments,
                           "{}/redis")

    def script(self, file, package, version, *arguments, others=()):
        """A Python peer's command with the place of its package and of others that it needs."""
        place = self.programs.python(package, version, *others)
        return ([self.programs.interpreter, "-B", str(HERE / file), *arguments], {"PYTHONPATH": place})


def rows(programs, key):
    """A row for each program: what it printed as `key`."""
    return [Row(p.role, p.name, lambda figures, p=p: figures[p.key][key]) for p in programs]


def at_most(factor, limit, ours):
    return Target(f"at most {factor:g} × {limit}", ours, lambda m: factor * m[limit])


def at_least(factor, other, ours):
    return Target(f"at least {factor:g} × {other}", ours, lambda m: factor * m[other], False)


def absolute(bound, unit, ours):
    return Target(f"at most {bound:g} {unit}", ours, lambda m: bound)


# --- Tasks ----------------------------------------------------------------------------------------

EMPTY = "org.example.empty"  # the handler that does nothing


def dispatch(c):
    b = c.programs
    curfew, empty = b.c("dispatch/curfew"), b.plugin("dispatch/empty-plugin", "empty", EMPTY)
    ring, ours = "ring and deadline cell in C", "Curfew"
    libdispatch = b.dispatch("dispatch/libdispatch")
    programs = [
        Program("limit", LIMIT, ring, [b.c("dispatch/limit")]),
        Program("curfew", OURS, ours, [curfew, "plain", c.library, empty]),
        Program("timer", PEER, "libdispatch, a timer each", [libdispatch, "timer"]),
        *c.peers(
            ("libuv timer", "libuv, a timer each",
             lambda: [b.c("dispatch/libuv", ["libuv"]), "timer"]),
            ("glib timer", "GLib, a timer each",
             lambda: [b.c("dispatch/glib", ["glib-2.0"]), "timer"])),
        Program("serial", PEER, "libdispatch serial, no deadline", [libdispatch, "serial"]),
        Program("global", PEER, "libdispatch global, no deadline", [libdispatch, "global"]),
        *c.peers(
            ("tbb", "oneTBB enqueue, no deadline",
             lambda: [b.c("dispatch/tbb", ["tbb"]), "enqueue"]),
            ("libuv", "libuv, no deadline", lambda: [b.c("dispatch/libuv", ["libuv"]), "plain"]),
            ("glib", "GLib pool, no deadline",
             lambda: [b.c("dispatch/glib", ["glib-2.0"]), "plain"])),
        Program("pthread", PEER, "mutex and condition, no deadline", [b.c("dispatch/pthread")]),
    ]
    return Measured("dispatch", "1,000,000 tasks that do nothing, each with a budget", programs, [
        Table("dispatch", "time of a task, ns", "ns", rows(programs, "ns_per_task"),
              at_most(1.25, ring, ours))])


def events(c):
    b = c.programs
    curfew, empty = b.c("dispatch/curfew"), b.plugin("dispatch/empty-plugin", "empty", EMPTY)
    limit = b.c("events/limit", ["libffi"])
    programs = [
        Program("direct", LIMIT, "look-up and ffi_call in C", [limit, "direct"]),
        Program("ring", LIMIT, "", [limit, "ring"]),
        Program("plain", OURS, "", [curfew, "plain", c.library, empty]),
        Program("event", OURS, "", [curfew, "event", c.library, empty]),
        *c.peers(
            ("gobject", "GObject signal, same thread",
             lambda: [b.c("events/gobject", ["gobject-2.0"])]),
            ("center", "NotificationCenter, same thread",
             lambda: [b.swift("events/notification-center")])),
    ]
    named = {p.key: p for p in programs}
    single = [named[key] for key in ("gobject", "center") if key in named]
    ours = "Curfew, raised and delivered"
    return Measured("events", "1,000,000 tasks, each with a done event to a C function", programs, [
        Table("events", "what an event adds to a task, ns", "ns", [
            *rows([named["direct"]], "ns_per_event"),
            Row(OURS, ours,
                lambda r: r["event"]["ns_per_task"] - r["plain"]["ns_per_task"]),
            *rows(single, "ns_per_event")], absolute(50, "ns", ours)),
        Table("events task", "a task and its event, ns", "ns", [
            Row(LIMIT, "ring, queue, look-up and ffi_call in C",
                lambda r: r["ring"]["ns_per_task"]),
            Row(OURS, "Curfew", lambda r: r["event"]["ns_per_task"])]),
        Table("events wake-ups", "wake-ups of any thread for 1,000,000", "1", [
            Row(OURS, "Curfew", lambda r: r["event"]["wakeups_per_million"])]),
    ])


def round_trip(c):
    b = c.programs
    curfew, empty = b.c("round-trip/curfew"), b.plugin("dispatch/empty-plugin", "empty", EMPTY)
    programs, tables = [], []
    for variant, title in (("busy", "one after the other"), ("rested", "each after 1 ms of rest")):
        found = [
            Program(f"limit {variant}", LIMIT, "ring and futex in C",
                    [b.c("round-trip/limit"), variant]),
            Program(f"curfew {variant}", OURS, "Curfew", [curfew, variant, c.library, empty]),
            Program(f"libdispatch {variant}", PEER, "libdispatch and a semaphore",
                    [b.dispatch("round-trip/libdispatch"), variant]),
            *c.peers((f"glib {variant}", "GLib pool and a condition",
                      lambda v=variant: [b.c("round-trip/glib", ["glib-2.0"]), v])),
        ]
        programs += found
        for key in ("p50", "p99"):
            tables.append(Table(
                f"round-trip {variant} {key}", f"{title}: {key}, µs", "us",
                rows(found, f"{key}_us"),
                Target("at most 1.2 × the better of limit and libdispatch", "Curfew",
                       lambda m: 1.2 * min(m["ring and futex in C"],
                                           m["libdispatch and a semaphore"]))))
    return Measured("round-trip", "launched, run, and seen to be over by the launcher", programs,
                 tables)


def expiration(c):
    b = c.programs
    curfew = b.c("expiration/curfew")
    plugin = b.plugin("expiration/expiring-plugin", "expiring")
    programs, tables = [], []
    for variant, title in (("running", "beside two busy threads"),
                           ("pending", "10,000 over two seconds")):
        found = [
            Program(f"limit {variant}", LIMIT, "timerfd in C",
                    [b.c("expiration/timerfd"), variant, "1"]),
            Program(f"curfew {variant}", OURS, "Curfew", [curfew, variant, c.library, plugin]),
            Program(f"libdispatch {variant}", PEER, "libdispatch, strict timer",
                    [b.dispatch("expiration/libdispatch"), variant]),
            *c.peers(
                (f"libuv {variant}", "libuv",
                 lambda v=variant: [b.c("expiration/libuv", ["libuv"]), v]),
                (f"glib {variant}", "GLib",
                 lambda v=variant: [b.c("expiration/glib", ["glib-2.0"]), v])),
        ]
        programs += found
        tables += [
            Table(f"expiration {variant} p50", f"late {title}: p50, µs", "us",
                  rows(found, "p50_us"), at_most(1.3, "timerfd in C", "Curfew")),
            Table(f"expiration {variant} p99", f"late {title}: p99, µs", "us",
                  rows(found, "p99_us")),
            Table(f"expiration {variant} early", f"too early {title}", "1", rows(found, "early")),
        ]

    def never_early(results):
        early = sum(r[f"curfew {v}"]["early"] for r in results for v in ("running", "pending"))
        return f"Curfew was early {early:.0f} times" if early else None

    return Measured("expiration", "how late a task is told that its time is over", programs, tables,
                 rules=[never_early])


def deadlines(c):
    b = c.programs
    limit, libdispatch = b.c("deadlines/limit"), b.dispatch("deadlines/libdispatch")
    wheel = "timing wheel with a mutex in C"
    programs = [
        Program("limit", LIMIT, wheel, [limit, "mutex"]),
        Program("curfew", OURS, "Curfew", [
            b.c("deadlines/curfew"), c.library,
            b.plugin("deadlines/deadline-plugin", "deadline")]),
        *c.peers(
            ("common", "libevent, common timeouts",
             lambda: [b.c("deadlines/libevent", ["libevent_core"]), "common"]),
            ("heap", "libevent, heap",
             lambda: [b.c("deadlines/libevent", ["libevent_core"]), "heap"]),
            ("libuv", "libuv", lambda: [b.c("deadlines/libuv", ["libuv"])]),
            ("glib", "GLib", lambda: [b.c("deadlines/glib", ["glib-2.0"])])),
        Program("rearm", PEER, "libdispatch, armed again", [libdispatch, "rearm"]),
        Program("create", PEER, "libdispatch, created", [libdispatch, "create"]),
        Program("timerfd", PEER, "timerfd", [b.c("deadlines/timerfd"), "settime"]),
    ]
    return Measured("deadlines", "armed and cancelled, while 100,000 others stay armed", programs, [
        Table("deadlines", "arm and cancel, ns", "ns", rows(programs, "ns_per_pair"),
              at_most(2, wheel, "Curfew")),
        Table("deadlines task", "a task, by how it ends, ns", "ns", [
            Row(OURS, "returns its status", lambda r: r["curfew"]["returned_ns"]),
            Row(OURS, "completes itself, then returns", lambda r: r["curfew"]["inside_ns"]),
            Row(OURS, "is pending, and completed later", lambda r: r["curfew"]["pending_ns"])])])


# --- Plugins --------------------------------------------------------------------------------------

LOADED = 200


def copies(c, name, library, description, count=LOADED):
    """A directory with that many plugins of one, made again when that is newer."""
    target = c.programs.output / name
    if not target.is_dir() or target.stat().st_mtime < Path(library).stat().st_mtime:
        subprocess.run(["rm", "-rf", str(target)], check=True)
        subprocess.run([sys.executable, str(HERE / "load/prepare.py"), library,
                        str(HERE / description), str(target), str(count)], check=True)
        target.touch()
    return str(target)


def many_plugins(c):
    plugin = c.programs.plugin("load/load-plugin", "load", "org.example.load000")
    return copies(c, "load-200", f"{plugin}/libload.so", "load/load-plugin/manifest.json")


def load(c):
    b = c.programs
    curfew, many = b.c("load/curfew"), many_plugins(c)

    def peas():
        library = b.library("load/peas-plugin/load", ["-fPIC", "-shared", "-fvisibility=hidden"],
                            ["libpeas-1.0"])
        directory = copies(c, "peas-200", library, "load/peas-plugin/load000.plugin")
        return [b.c("load/peas", ["libpeas-1.0"]), directory]

    programs = [
        Program("limit", LIMIT, "dlopen and dlsym in C", [b.c("load/limit"), many]),
        Program("scan", OURS, "Curfew, scanned and loaded", [curfew, "scan", c.library, many]),
        Program("load", OURS, "Curfew, loaded", [curfew, "load", c.library, many]),
        *c.peers(
            ("gmodule", "GModule", lambda: [b.c("load/gmodule", ["gmodule-2.0"]), many]),
            ("peas", "libpeas", peas)),
        Program("first", OURS, "Curfew", [curfew, "first", c.library, many]),
    ]
    timed = [p for p in programs if p.key != "first"]
    return Measured("load", f"{LOADED} plugins, and the first one of a process", programs, [
        Table("load", "a plugin, µs", "us", rows(timed, "us_per_plugin"),
              at_most(1.5, "dlopen and dlsym in C", "Curfew, scanned and loaded")),
        Table("load first", "library, host and a first plugin, ms", "ms", [
            Row(OURS, "Curfew", lambda r: r["first"]["ms_first"])],
            absolute(5, "ms", "Curfew"))])


def child(c):
    b = c.programs
    curfew, pipe = b.c("child/curfew"), b.c("child/pipe")
    pool = [b.interpreter, "-B", str(HERE / "child/pool.py")]
    plugin = b.plugin("child/ending-plugin", "ending")
    helper = str(Path(c.command).resolve().parent / "curfew-child")
    ours = "Curfew, a plugin's process"

    def own(mode):
        return Program(f"curfew {mode}", OURS, ours, [curfew, mode, c.library, plugin, helper])

    programs, tables = [], []
    for variant, title, factor in (("busy", "one after the other", 1.3),
                                   ("rested", "each after 1 ms of rest", 1.5)):
        found = [Program(f"pipe {variant}", LIMIT, "64 bytes over two pipes", [pipe, variant]),
                 own(variant)]
        if variant == "busy":
            found.append(Program("pool busy", PEER, "Python's ProcessPoolExecutor", [*pool, "busy"]))
        programs += found
        for key in ("p50", "p99"):
            tables.append(Table(
                f"child {variant} {key}", f"{title}: {key}, µs", "us", rows(found, f"{key}_us"),
                at_most(factor, "64 bytes over two pipes", ours) if key == "p50" else None))
    row = [own("row"),
           Program("pool row", PEER, "Python's ProcessPoolExecutor", [*pool, "row"])]
    calls = own("calls")
    loader, many = b.c("load/curfew"), many_plugins(c)
    loads = [Program("load threads", OURS, "Curfew, in threads", [loader, "load", c.library, many]),
             Program("load processes", OURS, "Curfew, in processes",
                     [loader, "processes", c.library, many, helper])]
    system = HERE.parent / "Sources/CSystem"
    begin = b.c("child/begin", flags=[
        f"-I{system / 'include'}", *(str(system / f"{name}.c") for name in ("children", "csystem", "polling"))])
    ends = [Program("spawn", LIMIT, "posix_spawn of /bin/true",
                    [b.c("start/spawn"), "15", "--", "/bin/true"]),
            Program("begin", OURS, "Curfew, until a process is confined", [begin, helper]),
            own("start"), own("crash")]
    named = dict(zip(("spawn", "begin", "start", "crash"), ends))
    return Measured("child", "tasks of a plugin in a process of its own",
                    programs + row + [calls] + loads + ends, [
        *tables,
        Table("child calls", "calls of a function, µs", "us", [
            Row(OURS, "Curfew, an event is raised", lambda r: r["curfew calls"]["us_per_raise"]),
            Row(OURS, "Curfew, a request is submitted", lambda r: r["curfew calls"]["us_per_submit"]),
            Row(OURS, "Curfew, a result of 1 MiB", lambda r: r["curfew calls"]["us_per_result"])]),
        Table("child row", "100,000 in a row: a task, µs", "us", rows(row, "us_per_task"),
              absolute(3, "µs", ours)),
        Table("child process", "the start of a process, ms", "ms", [
            Row(LIMIT, "posix_spawn of /bin/true", lambda r: r["begin"]["true_ms"]),
            *rows([named["begin"]], "ms"),
            *(Row(OURS, f"Curfew, until its plugin is registered, besides the load, {when}",
                  lambda r, key=key: (r["load processes"][key]
                                      - r["load threads"]["us_per_plugin"]) / 1000)
              for when, key in (("in a row", "us_per_plugin"), ("after a rest", "us_after_rest")))],
            at_most(1, "posix_spawn of /bin/true", "Curfew, until a process is confined")),
        Table("child start", "processes, ms", "ms", [
            *rows([named["spawn"]], "ms"),
            Row(OURS, "Curfew, a host, a process and its first task", lambda r: r["curfew start"]["ms"]),
            Row(OURS, "Curfew, a crash, another process and a task", lambda r: r["curfew crash"]["ms"])])],
        rounds=5)


# --- Requests -------------------------------------------------------------------------------------


def durable(c, kind, one, many):
    """Programs for `submit` or `life` with 1 and with 64 at a time: so many that SQLite's log has
    grown as far as it does, and is written over."""
    b = c.programs
    limit = b.c("submit/limit", flags=["-lsqlite3"])
    curfew = b.c("submit/curfew")
    plugin = b.plugin("submit/parallel-plugin", "parallel", "org.example.parallel")
    groups = []
    for callers, count in (("1", one), ("64", many)):
        raw = "group" if callers == "64" else "single"
        few = str(int(count) // 10)
        groups.append([
            Program(f"limit {callers}", LIMIT,
                    "raw SQLite, group commit in C" if raw == "group" else "raw SQLite in C",
                    [limit, kind, raw, count, "{}/raw.db"]),
            Program(f"curfew {callers}", OURS, "Curfew",
                    [curfew, kind, callers, count, c.library, plugin, "{}/store"]),
            *c.peers(
                (f"huey {callers}", "huey SqliteHuey, fsync",
                 lambda n=callers, f=few: c.script("submit/sqlite-huey.py", "huey", "3.5.4", kind,
                                                   n, f, "{}/huey.db")),
                (f"persist-queue {callers}", "persist-queue",
                 lambda n=callers, f=few: c.script("submit/persist-queue.py", "persist-queue",
                                                   "1.1.0", kind, n, f, "{}/queue")),
                (f"dramatiq {callers}", "dramatiq and Redis, not on disk",
                 lambda n=callers, f=few: c.redis(kind, n, f))),
        ])
    return groups


def submit(c):
    one, many = durable(c, "submit", "10000", "40000")
    socket = c.programs.c("submit/socket")

    def over(name, says, callers, count, batch):
        return Program(name, OURS, says, [socket, callers, count, batch, c.command, "{}/store"])

    one.append(over("socket 1", "Curfew, over its socket", "1", "8000", "1"))
    many.append(over("socket 64", "Curfew, over its socket", "64", "40000", "1"))
    batches = over("socket batch", "Curfew, over its socket, 64 in a call", "1", "8000", "64")
    return Measured("submit", "on disk before the call returns; more is better", one + many + [batches], [
        Table("submit batch", "submits a second, 1 caller", "1/s", rows([one[-1], batches], "per_second"),
              at_least(8, "Curfew, over its socket", batches.name)),
        Table("submit 1", "submits a second, 1 caller", "1/s", rows(one, "per_second"),
              at_least(0.9, "raw SQLite in C", "Curfew"), [at_least(0.67, "Curfew", one[-1].name)]),
        Table("submit 64", "submits a second, 64 callers", "1/s", rows(many, "per_second"),
              at_least(0.6, "raw SQLite, group commit in C", "Curfew"),
              [at_least(0.67, "Curfew", many[-1].name)])])


def request(c):
    one, many = durable(c, "life", "4000", "20000")
    huey = "huey SqliteHuey, fsync"
    return Measured("request", "submitted, launched and ended, on disk; more is better", one + many, [
        Table("request 1", "a second, one at a time", "1/s", rows(one, "per_second"),
              at_least(0.8, "raw SQLite in C", "Curfew")),
        Table("request 64", "a second, 64 in flight", "1/s", rows(many, "per_second"),
              at_least(10, huey, "Curfew") if any(p.name == huey for p in many) else None)])


# --- Processes ------------------------------------------------------------------------------------


def start(c):
    b = c.programs
    spawn = [b.c("start/spawn"), "15", "--"]
    empty = b.plugin("dispatch/empty-plugin", "empty", EMPTY)
    swift = "an empty Swift program, dynamic"
    programs = [
        Program("swift", LIMIT, swift, [*spawn, b.swift("start/empty")]),
        Program("static", LIMIT, "the same, static",
                [*spawn, b.swift("start/empty", ("-static-stdlib",))]),
        Program("curfew", OURS, "curfew run, an empty task",
                [*spawn, c.command, "run", "--plugin", empty, EMPTY]),
        Program("host", OURS, "a host in C, and a task",
                [*spawn, b.c("start/host"), c.library, empty, EMPTY]),
        Program("python", PEER, "python3 -c pass", [*spawn, b.interpreter, "-c", "pass"]),
        *c.peers(("huey", "python3, huey imported", lambda: (
            [*spawn, b.interpreter, "-c", "import huey"],
            {"PYTHONPATH": b.python("huey", "3.5.4")}))),
    ]
    return Measured("start", "a whole process, from its start to its end", programs, [
        Table("start", "wall time, ms", "ms", rows(programs, "ms"),
              at_most(2, swift, "curfew run, an empty task")),
        Table("start cpu", "processor time, ms", "ms", rows(programs, "cpu_ms"))])


STORED = 1_000_000


def memory(c):
    b = c.programs
    curfew = b.c("memory/curfew")
    plugin = b.plugin("memory/pending-plugin", "pending")
    idle = [
        Program("swift", LIMIT, "an empty Swift program", [b.swift("memory/swift")]),
        Program("idle", OURS, "Curfew, a host and a plugin", [curfew, "idle", c.library, plugin]),
        *c.peers(("huey", "huey's consumer", lambda: c.script(
            "memory/sqlite-huey.py", "huey", "3.5.4", "{}/huey.db"))),
    ]
    pending = [
        Program("pending", OURS, "Curfew", [curfew, "pending", "100000", c.library, plugin]),
        Program("own", OURS, "Curfew, a budget of its own",
                [curfew, "own-budget", "100000", c.library, plugin]),
        *c.peers(
            ("libuv", "libuv, a timer", lambda: [b.c("memory/libuv", ["libuv"]), "100000"]),
            ("glib", "GLib, a timeout", lambda: [b.c("memory/glib", ["glib-2.0"]), "100000"])),
        Program("libdispatch", PEER, "libdispatch, a timer",
                [b.dispatch("memory/libdispatch"), "100000"]),
    ]
    store = b.output / f"store-{STORED}"
    if not store.is_dir():
        print(f"bench: storing {STORED:,} requests, once", file=sys.stderr)
        done = subprocess.run([curfew, "prepare", str(STORED), c.library, plugin, str(store)],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            subprocess.run(["rm", "-rf", str(store)], check=True)
            sys.exit(f"bench: no store could be prepared: {done.stderr.strip()}")
    stored = [
        Program("none", OURS, "Curfew, with none",
                [curfew, "requests", "0", c.library, plugin, "{}/store"]),
        Program("stored", OURS, f"Curfew, with {STORED:,}",
                [curfew, "requests", str(STORED), c.library, plugin, str(store)]),
    ]
    return Measured("memory", "what is resident", idle + pending + stored, [
        Table("memory idle", "idle process, KiB", "KiB", rows(idle, "idle_kib"),
              absolute(10 * 1024, "KiB", "Curfew, a host and a plugin")),
        Table("memory pending", "a pending task, bytes", "bytes", rows(pending, "bytes_each"),
              absolute(128, "bytes", "Curfew")),
        Table("memory requests", "a host on a store of requests, KiB", "KiB",
              rows(stored, "requests_kib"),
              absolute(64 * 1024, "KiB", f"Curfew, with {STORED:,}"))], rounds=3)


def idle(c):
    b = c.programs
    curfew = b.c("idle/curfew")
    plugin = b.plugin("memory/pending-plugin", "pending")
    count = [b.interpreter, str(HERE / "idle/count.py"), "--seconds", "5", "--"]
    programs = [
        Program("nothing", OURS, "Curfew, nothing to do",
                [*count, curfew, "nothing", c.library, plugin]),
        Program("waiting", OURS, "Curfew, 1,000 tasks and 1,000 requests",
                [*count, curfew, "waiting", c.library, plugin, "{}/store"]),
        *c.peers(
            ("libuv", "libuv, 1,000 timers", lambda: [*count, b.c("idle/libuv", ["libuv"])]),
            ("glib", "GLib, 1,000 timeouts", lambda: [*count, b.c("idle/glib", ["glib-2.0"])])),
    ]
    try:
        command, environment = c.script("idle/sqlite-huey.py", "huey", "3.5.4", "{}/huey.db")
        programs.append(
            Program("huey", PEER, "huey's consumer, 1,000 jobs", [*count, *command], environment))
    except Missing as missing:
        b.missing.add(f"there is no {missing}")

    def never(results):
        woken = sum(r[key]["wakeups"] for r in results for key in ("nothing", "waiting"))
        return f"an idle host woke up {woken:.0f} times" if woken else None

    return Measured("idle", "nothing is due for an hour", programs, [
        Table("idle", "wake-ups in 5 s", "1", rows(programs, "wakeups"),
              absolute(0, "wake-ups", "Curfew, nothing to do"))], rounds=2, rules=[never])


def service(c):
    b = c.programs
    store = str(b.output / "service-store")
    program = Program("serve", OURS, "curfew serve", [
        b.interpreter, "-B", str(HERE / "service/serve.py"), c.command, store, "{}/work", "--seconds", "5"])

    def table(name, title, unit, key, goal):
        says = f"{title}, {unit}"
        return Table(f"service {name}", says, unit, [
            Row(OURS, "curfew serve", lambda r: r["serve"][key])], absolute(goal, unit, "curfew serve"))

    return Measured("service", "the host that is always there, with 100,000 pending requests", [program], [
        table("ready", "ready, with 1,000 schedules that have not changed", "ms", "ready_ms", 100),
        table("late", "from a date until its program runs, the longest of 40", "ms", "latest_ms", 5),
        table("idle", "wake-ups in 5 s", "1", "wakeups", 0),
        table("resident", "resident, 10 connections, nothing waits", "KiB", "empty_kib", 25 * 1024),
        Table("service pending", "resident, 10 connections and all that is pending, KiB", "KiB", [
            Row(OURS, "curfew serve", lambda r: r["serve"]["idle_kib"])]),
        table("streams", "resident, 256 streams of the journal, nothing waits", "KiB", "streams_kib", 34 * 1024),
        table("event", "an event to each of 256 streams", "ms", "event_ms", 100),
        table("stop", "until it has ended, with nothing running", "ms", "stop_ms", 100),
        Table("service reload", "1,000 schedules read again, ms", "ms", [
            Row(OURS, "curfew serve", lambda r: r["serve"]["reload_ms"])]),
        Table("service crowd", "1,000 connections opened and asked, ms", "ms", [
            Row(OURS, "curfew serve", lambda r: r["serve"]["crowd_ms"])])], rounds=3)


# --- Requests on a server -------------------------------------------------------------------------


class Database:
    """Programs that use a PostgreSQL server, which is started for one path."""

    def __init__(self, context):
        self.server = Server()
        try:
            b = context.programs
            self.context = context
            self.limit_program = b.c("postgres/limit", ["libpq"])
            self.curfew_program, self.hosts_program = b.c("postgres/curfew"), b.c("postgres/hosts")
            self.parallel = b.plugin("submit/parallel-plugin", "parallel", "org.example.parallel")
            self.marking = b.plugin("postgres/marking-plugin", "marking")
        except BaseException:
            self.server.close()
            raise

    def limit(self, key, name, *arguments, template="template0"):
        return self.of(LIMIT, key, name, [self.limit_program, *arguments, self.server.connect()],
                       template)

    def ours(self, key, name, *arguments, template="template0"):
        return self.of(OURS, key, name, [
            self.curfew_program, *arguments, self.context.library, self.parallel,
            self.server.store()], template)

    def beside_snapshot(self, program):
        """Has a program of ours run while a snapshot from before it is held."""
        program.command = [
            self.context.programs.interpreter, "-B", str(HERE / "postgres/beside-snapshot.py"),
            str(self.server.programs / "psql"), self.server.connect(), *program.command]
        return program

    def hosts(self, key, name, *arguments, parameters=""):
        return self.of(OURS, key, name, [
            self.hosts_program, *arguments, self.context.library, self.marking,
            self.server.store(parameters)])

    def peers(self, *entries):
        """Procrastinate's, of (key, name, arguments)."""
        found = self.context.peers(*(
            (key, name, lambda arguments=arguments: self.context.script(
                "postgres/procrastinate-jobs.py", "procrastinate", "3.10.0", *arguments,
                self.server.connect(), others=["psycopg[binary]==3.3.9"]))
            for key, name, arguments in entries))
        for program in found:
            program.before = self.server.fresh
        return found

    def of(self, role, key, name, command, template="template0"):
        return Program(key, role, name, command, before=lambda: self.server.fresh(template))

    def pending(self, count):
        """The names of databases, of the limit and of ours, with so many requests that are due."""
        names = f"limit{count}", f"curfew{count}"
        for name, table, command in (
                (names[0], "limits.request", self.limit("", "", "table").command),
                (names[1], "curfew.request", self.ours("", "", "table").command)):
            self.server.fresh()
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                sys.exit(f"bench: no request is pending: {done.stderr.strip()}")
            self.server.fill(table, count)
            self.server.keep(name)
        return names


def on_server(make):
    """A path whose server is stopped after it, or where it cannot be made."""
    def maker(context):
        database = Database(context)
        try:
            path = make(database)
        except BaseException:
            database.server.close()
            raise
        path.closing.append(database.server.close)
        return path
    return maker


def pg_submit(d):
    ours, limit = "Curfew", "INSERT in C"
    groups = {}
    for hosts, callers, count, peer in (
            (1, 1, 1000, ("defer", 1, 300)), (1, 64, 19200, ("batch_defer of 64", 64, 6400)),
            (8, 1, 4000, None), (8, 64, 40960, None)):
        found = [d.limit(f"limit {hosts} {callers}", limit, "submit", str(hosts), str(callers),
                         str(count)),
                 d.ours(f"curfew {hosts} {callers}", ours, "submit", str(hosts), str(callers),
                        str(count))]
        if peer:
            name, batch, jobs = peer
            found += d.peers((f"procrastinate {callers}", f"Procrastinate, {name}",
                              ["submit", str(batch), str(jobs)]))
        groups[hosts, callers] = found

    def table(hosts, callers, title, factor, peer_factor=0):
        group = groups[hosts, callers]
        return Table(f"pg-submit {hosts} {callers}", f"submits a second, {title}", "1/s",
                     rows(group, "per_second"), at_least(factor, limit, ours),
                     [at_least(peer_factor, p.name, ours) for p in group if p.role == PEER])

    return Measured(
        "pg-submit", "on the server's disk before the call returns; more is better",
        [program for group in groups.values() for program in group], [
            table(1, 1, "1 caller", 0.6, 2), table(1, 64, "64 callers", 0.5, 5),
            table(8, 1, "8 hosts, 1 caller each", 0.55),
            table(8, 64, "8 hosts, 64 callers each", 0.45)])


TASKS, PENDING, MANY_PENDING = 6_400, 20_000, 1_000_000


def pg_request(d):
    raw, own = d.pending(TASKS)
    _, some = d.pending(PENDING)
    _, many = d.pending(MANY_PENDING)
    limit, ours = "claim and complete in C", "Curfew"
    life = [d.limit("limit life", "insert, claim and complete in C", "life", "1", "1", "500"),
            d.ours("curfew life", ours, "life", "1", "1", "300"),
            d.ours("curfew life 64", "Curfew, 64 in flight", "life", "1", "64", "6400")]
    one = [d.limit("limit 1", limit, "task", "1", "1", "500", template=raw),
           d.ours("curfew 1", ours, "tasks", "1", "1", "500", template=own)]
    count = str(TASKS)
    row = [d.limit("limit 64", limit, "task", "1", "64", count, template=raw),
           d.ours("curfew 64", ours, "tasks", "1", "64", count, template=own),
           *d.peers(("procrastinate 64", "Procrastinate's worker", ["tasks", "64", "640"]))]
    two = [d.limit("limit 2 64", limit, "task", "2", "64", count, template=raw),
           d.ours("curfew 2 64", ours, "tasks", "2", "64", count, template=own)]
    size = [d.ours("curfew some", f"Curfew, {PENDING:,} pending", "tasks", "1", "64", count,
                   template=some),
            d.ours("curfew many", f"Curfew, {MANY_PENDING:,} pending", "tasks", "1", "64", count,
                   template=many)]

    held = [d.ours("curfew all", "Curfew", "tasks", "1", "64", str(PENDING), template=some),
            d.beside_snapshot(d.ours("curfew held", "Curfew, an old snapshot is held", "tasks", "1",
                                     "64", str(PENDING), template=some))]

    def table(name, title, programs, *targets):
        return Table(f"pg-request {name}", f"a second, {title}", "1/s",
                     rows(programs, "per_second"), others=list(targets))

    return Measured("pg-request", "launched and ended, on the server's disk; more is better",
                    one + row + two + size + held + life, [
        table("1", "one at a time, of those pending", one, at_least(0.7, limit, ours)),
        table("64", "64 in flight, of those pending", row, at_least(0.35, limit, ours),
              *(at_least(20, p.name, ours) for p in row if p.role == PEER)),
        table("2 64", "2 hosts, 64 in flight each", two, at_least(0.4, limit, ours)),
        Table("pg-request hosts", "2 hosts against 1, a second", "1/s", [
            Row(OURS, "Curfew, 1 host", lambda r: r["curfew 64"]["per_second"]),
            Row(OURS, "Curfew, 2 hosts", lambda r: r["curfew 2 64"]["per_second"])],
            at_least(0.85, "Curfew, 1 host", "Curfew, 2 hosts")),
        table("size", "64 in flight, the rest waits", size,
              at_least(0.8, size[0].name, size[1].name)),
        table("held", f"{PENDING:,} launched, 64 in flight", held,
              at_least(0.7, held[0].name, held[1].name)),
        Table("pg-request start", "a host and its plugin, ms", "ms", rows(size, "start_ms"),
              at_most(1.2, size[0].name, size[1].name)),
        table("life", "submitted, launched and ended", life)], rounds=5)


def pg_pickup(d):
    limit, ours, polling = "LISTEN, claim and commit in C", "Curfew", "Curfew, without notices"
    heard = [d.limit("limit", limit, "pickup", "200", "20"),
             d.hosts("curfew", ours, "pickup", "200", "20"),
             *d.peers(("procrastinate", "Procrastinate's worker", ["pickup", "100", "20"]))]
    # A store behind a pooler has no notices, with or without the pooler.
    polled = d.hosts("poll", polling, "pickup", "10", "20", parameters="&curfew.pooled=1")
    return Measured(
        "pg-pickup", "from a submission until another host runs its task", heard + [polled], [
            Table("pg-pickup p50", "p50, ms", "ms", rows(heard, "p50_ms"), at_most(2, limit, ours)),
            Table("pg-pickup p99", "p99, ms", "ms", rows(heard, "p99_ms"), absolute(50, "ms", ours)),
            Table("pg-pickup poll", "p99, ms", "ms", rows([polled], "p99_ms"),
                  absolute(1100, "ms", polling))], rounds=5)


LEASE = 10  # seconds


def pg_takeover(d):
    watched, started = "Curfew, a host that was there", "Curfew, one that is started after it"
    lease = f"&curfew.lease={LEASE}"
    programs = [d.hosts("takeover", watched, "takeover", str(LEASE), parameters=lease),
                d.hosts("restart", started, "restart", str(LEASE), parameters=lease)]
    return Measured(
        "pg-takeover", "from the SIGKILL of 2 hosts until another one runs their tasks", programs, [
            Table("pg-takeover", f"the last of 2 tasks, leases of {LEASE} s", "leases", rows(programs[:1], "leases"),
                  absolute(round(4 / 3 + 1 / LEASE, 3), "leases", watched)),
            Table("pg-takeover restart", "the same, from its start, ms", "ms",
                  rows(programs[1:], "ms"), absolute(1000, "ms", started))], rounds=5)


MAKERS = {
    "dispatch": dispatch, "events": events, "round-trip": round_trip, "expiration": expiration,
    "deadlines": deadlines, "load": load, "child": child, "submit": submit, "request": request, "start": start,
    "memory": memory, "idle": idle, "service": service, "pg-submit": on_server(pg_submit),
    "pg-request": on_server(pg_request), "pg-pickup": on_server(pg_pickup),
    "pg-takeover": on_server(pg_takeover),
}
NAMES = list(MAKERS)


def make(name, context):
    return MAKERS[name](context)
