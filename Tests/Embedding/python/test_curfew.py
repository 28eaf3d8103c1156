# SPDX-License-Identifier: Apache-2.0
"""What the module for Python promises, on the installation that it is part of.

    CURFEW_TEST_PLUGINS=… PYTHONPATH=PREFIX/share/curfew/python python3 test_curfew.py"""
import asyncio
import gc
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import weakref

import curfew

PLUGINS = os.environ["CURFEW_TEST_PLUGINS"]
PREFIX = os.path.realpath(os.path.join(os.path.dirname(curfew.__file__), "../../../.."))
GOOD, PATIENT = "org.curfew.test.good", "org.curfew.test.patient"
LIMIT = 60  # seconds, where a test would hang


def loaded(*names, **options):
    host = curfew.Host(**options)
    for name in names:
        host.load(f"{PLUGINS}/{name}")
    return host


class Reported:
    """What threading.excepthook is told meanwhile."""

    def __enter__(self):
        self.errors = []
        self.before = threading.excepthook
        threading.excepthook = lambda arguments: self.errors.append(arguments.exc_value)
        return self.errors

    def __exit__(self, *_):
        threading.excepthook = self.before


class Values(unittest.TestCase):
    def test_errors_have_the_status_and_the_words_of_the_host(self):
        with curfew.Host() as host:
            with self.assertRaises(curfew.CurfewError) as caught:
                host.load("/nowhere")
            self.assertIn(caught.exception.status, curfew.Status)
            self.assertIn("/nowhere", caught.exception.message)
            self.assertTrue(str(caught.exception).startswith(caught.exception.status.name + ": "))
            with self.assertRaises(curfew.CurfewError) as caught:
                host.release("org.example.nobody")
            self.assertTrue(str(caught.exception).startswith(
                'NOT_FOUND: no handler is registered for "org.example.nobody"'))

    def test_what_is_no_argument_is_refused_before_c_sees_it(self):
        with curfew.Host() as host:
            for wrong in (lambda: host.load("a\0b"), lambda: host.launch(GOOD, budget=-1),
                          lambda: host.launch(GOOD, budget=float("nan"))):
                self.assertRaises(ValueError, wrong)
            for wrong in (lambda: host.launch(GOOD, 7), lambda: host.raise_event("x", None),
                          lambda: curfew.Host(speed=1)):
                self.assertRaises(TypeError, wrong)

    def test_records_have_the_members_of_the_headers(self):
        with loaded("good", "patient") as host:
            good, patient = host.handlers
            self.assertEqual((good.identifier, good.event, good.budget), (GOOD, "good", 60))
            self.assertIs(patient.kind, curfew.Kind.APP_REFRESH)
            self.assertEqual(patient.budget, 0.05)
            self.assertIs(host.plugins[0].phase, curfew.PluginPhase.READY)
            self.assertEqual(host.plugins[0].directory, f"{PLUGINS}/good")
            task = host.launch(GOOD, attempt=3)
            task.wait(LIMIT)
            self.assertEqual(task.state.attempt, 3)
            self.assertEqual(task.state.progress, 0.5)
            self.assertEqual(host.counts.ended[curfew.Outcome.SUCCEEDED], 1)

    def test_events_of_ones_own_come_back_as_they_were_raised(self):
        values = (True, False, 2**62, -1, 0.5, "", "a\0ö")
        with curfew.Host() as host, host.events() as events:
            host.raise_event("seen", *values)
            host.raise_event("empty")
            seen, empty = events.get(LIMIT), events.get(LIMIT)
        self.assertEqual(seen.selector, "seen:::::::")
        self.assertEqual(seen.values, values)
        self.assertEqual([type(value) for value in seen.values],
                         [type(value) for value in values])
        self.assertEqual((empty.selector, empty.values, empty.sequence), ("empty", (), 2))

    def test_a_list_of_pins_is_complete(self):
        with curfew.Host(pins={}) as host:
            with self.assertRaises(curfew.CurfewError) as caught:
                host.load(f"{PLUGINS}/good")
            self.assertIs(caught.exception.status, curfew.Status.REFUSED)

    def test_plugins_have_to_be_signed_where_a_host_asks_for_it(self):
        with curfew.Host(trust=curfew.Trust.REQUIRE, key_directories=[PREFIX]) as host:
            with self.assertRaises(curfew.CurfewError) as caught:
                host.load(f"{PLUGINS}/good")
            self.assertIs(caught.exception.status, curfew.Status.REFUSED)
            self.assertIn("is not signed", str(caught.exception))
        lines = []
        with curfew.Host(trust=curfew.Trust.WARN, key_directories=[],
                         log=lambda *line: lines.append(line)) as host:
            host.load(f"{PLUGINS}/good")
        self.assertTrue(any("CF0327 load-unsigned" in line[3] for line in lines), lines)

    def test_a_host_that_confines_every_plugin_loads_none_into_a_thread(self):
        with curfew.Host(confine=True) as host:
            host.load(f"{PLUGINS}/good")
            self.assertIs(host.plugins[0].isolation, curfew.Isolation.PROCESS)
        with curfew.Host(confine=True, isolations={"org.curfew.test.good": curfew.Isolation.THREAD}) as host:
            with self.assertRaises(curfew.CurfewError) as caught:
                host.load(f"{PLUGINS}/good")
            self.assertIs(caught.exception.status, curfew.Status.REFUSED)
            self.assertIn("is to run in a thread", str(caught.exception))

    def test_a_list_of_system_libraries_is_complete(self):
        plugin = f"{PREFIX}/lib/curfew/plugins/crc32"  # zlib's function, without a library of its own
        for libraries in ([], ["libm.so.6", "libc.so.6"]):
            with curfew.Host(system_libraries=libraries) as host:
                self.assertRaises(curfew.CurfewError, host.load, plugin)
        with curfew.Host(system_libraries=["libc.so.6", "libz.so.1"]) as host:
            host.load(plugin)
            task = host.launch("org.curfew.crc32", b"123456789")
            self.assertIs(task.wait(LIMIT), curfew.Outcome.SUCCEEDED)
            self.assertIn(str(0xCBF43926), task.result.decode())

    def test_the_log_comes_to_a_function(self):
        lines = []
        host = curfew.Host(log=lambda *line: lines.append(line))
        with host, self.assertRaises(curfew.CurfewError):
            host.load(f"{PLUGINS}/nonote")
        for level, plugin, task, text in lines:
            self.assertIsInstance(level, curfew.LogLevel)
            self.assertIsInstance(text, str)
        self.assertTrue(lines)


class Tasks(unittest.TestCase):
    def test_a_wait_ends_at_its_limit_and_a_cancelled_task_is_cancelled(self):
        with loaded("patient") as host:
            task = host.launch(PATIENT, budget=3600)
            with self.assertRaises(TimeoutError) as caught:
                task.wait(0.01)
            self.assertIs(caught.exception.status, curfew.Status.TIMED_OUT)
            self.assertIs(task.outcome, curfew.Outcome.NONE)
            self.assertTrue(task.cancel())
            self.assertFalse(task.cancel())
            self.assertIs(task.wait(LIMIT), curfew.Outcome.CANCELLED)
            self.assertEqual(task.error, "Background task cancelled.")
            self.assertIs(task.state.reason, curfew.Reason.CANCELLED)

    def test_a_task_that_is_dropped_is_released(self):
        with loaded("good") as host:
            task = host.launch(GOOD)
            task.wait(LIMIT)
            number = task.id
            with host._handle as pointer:
                none = curfew.ffi.NULL
                self.assertEqual(
                    curfew.lib.curfew_host_keep_task(pointer, number, none), curfew.Status.OK)
                self.assertEqual(
                    curfew.lib.curfew_host_release_task(pointer, number, none), curfew.Status.OK)
                del task
                # The other one that is possible: its function has not returned yet.
                self.assertIn(
                    curfew.lib.curfew_host_release_task(pointer, number, none),
                    (curfew.Status.STALE, curfew.Status.WRONG_STATE))

    def test_control_c_ends_a_wait(self):
        with loaded("patient") as host:
            task = host.launch(PATIENT, budget=3600)
            with host.events("patient_progress::") as events:
                for wait in (task.wait, events.get):
                    main = threading.get_ident()
                    timer = threading.Timer(
                        0.05, lambda: signal.pthread_kill(main, signal.SIGINT))
                    timer.start()
                    self.assertRaises(KeyboardInterrupt, wait)
                    timer.join()
            task.cancel()

    def test_closing_wakes_those_who_wait(self):
        host = loaded("patient")
        task = host.launch(PATIENT, budget=3600)
        closer = threading.Thread(target=lambda: host.close(drain=LIMIT))
        closer.start()
        with self.assertRaises(curfew.CurfewError) as caught:
            task.wait(LIMIT)
        self.assertIs(caught.exception.status, curfew.Status.CLOSING)
        task.cancel()
        closer.join(LIMIT)
        for late in (lambda: host.launch(GOOD), lambda: task.state, lambda: host.counts):
            self.assertRaisesRegex(curfew.CurfewError, "CLOSING: the host is closed", late)
        host.close()


class Callbacks(unittest.TestCase):
    def test_a_subscription_hears_until_it_is_ended(self):
        heard, done = [], threading.Event()
        with loaded("good") as host:
            host.load(f"{PREFIX}/lib/curfew/plugins/mirror")
            subscription = host.on("good_step:", lambda event: heard.append(event.values))
            other = host.on("mirror_done::", lambda event: done.set())
            host.launch(GOOD).wait(LIMIT)
            host.launch("org.curfew.mirror")
            self.assertTrue(done.wait(LIMIT))
            subscription.end()
            subscription.end()
            done.clear()
            host.launch(GOOD).wait(LIMIT)
            host.launch("org.curfew.mirror")
            self.assertTrue(done.wait(LIMIT))
            other.end()
        self.assertEqual(heard, [(1,)])

    def test_what_one_raises_on_curfews_thread_is_reported_and_raised_by_close(self):
        with Reported() as errors:
            host = loaded("good")
            host.on("good_done::", lambda event: 1 / 0)
            with self.assertRaises(ZeroDivisionError):
                with host:
                    host.launch(GOOD).wait(LIMIT)
        self.assertEqual([type(error) for error in errors], [ZeroDivisionError])

    def test_it_does_not_take_the_place_of_what_ended_the_with_statement(self):
        with Reported() as errors, self.assertRaises(KeyError):
            with loaded("good") as host:
                host.on("good_done::", lambda event: 1 / 0)
                host.launch(GOOD).wait(LIMIT)
                raise KeyError
        self.assertIn(ZeroDivisionError, [type(error) for error in errors])

    def test_what_one_raises_in_a_loop_of_ones_own_is_raised_there(self):
        with Reported() as errors, loaded("good", manual_dispatch=True) as host:
            for error in (KeyError("first"), IndexError("second")):
                def fail(event, error=error):
                    raise error
                host.on("good_done::", fail)
            with self.assertRaises(KeyError):
                # A wait turns the loop as well, where nobody else does.
                host.launch(GOOD).wait(LIMIT)
                while True:
                    host.dispatch()
        self.assertEqual([type(error) for error in errors], [IndexError])

    def test_a_host_is_not_closed_inside_its_own_event(self):
        answers = []
        with loaded("good", manual_dispatch=True) as host:
            def close(event):
                try:
                    host.close()
                except curfew.CurfewError as error:
                    answers.append(error.status)
            host.on("good_done::", close)
            host.launch(GOOD).wait(LIMIT)
            while not answers:
                host.dispatch()
        self.assertEqual(answers, [curfew.Status.WRONG_THREAD])

    def test_the_iterator_ends_with_the_host_and_has_the_last_events(self):
        for manual_dispatch in (False, True):
            with loaded("patient", manual_dispatch=manual_dispatch) as host:
                events = host.events("patient_done::")
                host.launch(PATIENT, budget=3600)
            self.assertEqual(
                [event.values for event in events], [(False, "Background task interrupted.")])
            self.assertIsNone(events.get())

    def test_the_loop_of_ones_own_turns_in_select(self):
        with loaded("good", manual_dispatch=True) as host, host.events("good_done::") as events:
            with self.assertRaises(TimeoutError):
                events.get(0.01)
            task = host.launch(GOOD)
            self.assertEqual(next(events), ("good_done::", (True, ""), task.id, 4))
        with curfew.Host() as host:
            self.assertRaises(curfew.CurfewError, host.fileno)

    def test_asyncio_turns_the_loop(self):
        async def outcome(host):
            loop = asyncio.get_running_loop()
            done = loop.create_future()
            host.on("good_done::", lambda event: done.set_result(event.values))
            loop.add_reader(host.fileno(), host.dispatch)
            host.launch(GOOD)
            try:
                return await asyncio.wait_for(done, LIMIT)
            finally:
                loop.remove_reader(host.fileno())

        with loaded("good", manual_dispatch=True) as host:
            self.assertEqual(asyncio.run(outcome(host)), (True, ""))

    def test_an_iterator_ends_that_another_thread_waits_in(self):
        for manual_dispatch in (False, True):
            host = loaded("good", manual_dispatch=manual_dispatch)
            seen = []
            with Reported() as errors, host.events("good_done::") as events:
                reader = threading.Thread(target=lambda: seen.extend(events))
                reader.start()
                host.launch(GOOD).wait(LIMIT)
                host.close()
                reader.join(LIMIT)
                self.assertFalse(reader.is_alive())
            self.assertEqual([event.values for event in seen], [(True, "")])
            self.assertEqual(errors, [])

    def test_a_dropped_iterator_is_unsubscribed(self):
        with loaded("good") as host:
            host.events()
            gc.collect()
            self.assertEqual(len(host._listeners), 1)
            with host.events("good_done::"):
                self.assertEqual(len(host._listeners), 1)
            self.assertEqual(len(host._listeners), 0)


class Lives(unittest.TestCase):
    def test_a_host_that_is_dropped_is_closed(self):
        host = loaded("good")
        handle, gone = host._handle, weakref.ref(host)
        del host
        self.assertIsNone(gone())
        self.assertFalse(handle.is_open)

    def test_so_is_one_that_its_own_callbacks_refer_to(self):
        host = loaded("patient")
        host.on(None, lambda event, host=host: host.counts)
        host.launch(PATIENT, budget=3600)
        handle, gone = host._handle, weakref.ref(host)
        del host
        # A callback on its way holds it as well, for a moment.
        end = time.monotonic() + LIMIT
        while gone() is not None and time.monotonic() < end:
            gc.collect()
        self.assertIsNone(gone())
        self.assertFalse(handle.is_open)

    def test_so_is_one_whose_last_reference_goes_inside_its_own_event(self):
        hosts = [loaded("good")]
        handle = hosts[0]._handle
        ended = threading.Event()
        hosts[0].on("good_done::", lambda event: (hosts.clear(), ended.set()))
        hosts[0].launch(GOOD)
        self.assertTrue(ended.wait(LIMIT))
        with handle.idle:
            self.assertTrue(handle.idle.wait_for(lambda: handle.gone, LIMIT))

    def test_nothing_stays_of_many_hosts(self):
        def threads():
            return len(os.listdir("/proc/self/task"))

        gc.collect()
        before, listeners = threads(), len(curfew._Listener.living)
        for manual_dispatch in (False, True) * 20:
            host = loaded("good", manual_dispatch=manual_dispatch)
            host.on(None, lambda event: None)
            host.launch(GOOD).wait(LIMIT)
        del host
        gc.collect()
        self.assertEqual(len(curfew._Listener.living), listeners)
        self.assertEqual(curfew.lib.curfew_get_leaked_host_count(), 0)
        self.assertLessEqual(threads(), before + 1)

    def test_a_program_that_ends_ends_its_hosts(self):
        for end in ("", "raise SystemExit(0)", "import os; os.fork() or host.close"):
            program = (
                "import curfew, sys\n"
                "host = curfew.Host()\n"
                "host.load(sys.argv[1])\n"
                "host.on('patient_done::', lambda event: print(*event.values, flush=True))\n"
                f"host.launch('{PATIENT}', budget=3600)\n{end}\n")
            ended = subprocess.run(
                [sys.executable, "-c", program, f"{PLUGINS}/patient"], timeout=LIMIT,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.assertEqual(ended.stderr, "")
            self.assertEqual(ended.stdout, "False Background task interrupted.\n", end)
            self.assertEqual(ended.returncode, 0)

    def test_a_forked_child_is_refused_and_ends(self):
        host = loaded("good")
        child = os.fork()
        if child == 0:
            try:
                host.counts
            except curfew.CurfewError:
                host.close()
                os._exit(7)
            os._exit(1)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 7)
        host.close()


class Library(unittest.TestCase):
    """What happens to the import."""

    def imported(self, *, library=None, path=None):
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        environment.pop("CURFEW_LIBRARY", None)
        if library is not None:
            environment["CURFEW_LIBRARY"] = library
        environment["PYTHONPATH"] = path or os.path.dirname(os.path.dirname(curfew.__file__))
        return subprocess.run(
            [sys.executable, "-c", "import curfew; print(open('/proc/self/maps').read())"], env=environment,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def test_it_is_the_one_installed_with_the_module(self):
        found = self.imported()
        self.assertIn(f"{PREFIX}/lib/libcurfew.so", found.stdout, found.stderr)

    def test_it_is_the_one_that_the_environment_names(self):
        with tempfile.TemporaryDirectory() as place:
            library = shutil.copy(f"{PREFIX}/lib/libcurfew.so", f"{place}/this.so")
            self.assertIn(library, self.imported(library=library).stdout)

    def test_what_is_missing_or_another_library_is_named(self):
        missing = self.imported(library="/nowhere/libcurfew.so.0")
        self.assertIn("ImportError: libcurfew cannot be loaded: ", missing.stderr)
        self.assertIn("/nowhere/libcurfew.so.0", missing.stderr)
        other = self.imported(library="libc.so.6")
        self.assertIn("ImportError: libc.so.6 is not libcurfew", other.stderr)

    def test_a_module_of_another_abi_or_a_later_release_is_refused(self):
        with open(curfew.__file__, encoding="utf-8") as file:
            text = file.read()
        library = curfew.ffi.string(curfew.lib.curfew_version()).decode()
        for line in (f"ABI_VERSION = {curfew.ABI_VERSION + 1}", 'VERSION = "9.0.0"'):
            name = line.split(" = ")[0]
            changed = [line if row.startswith(name + " =") else row for row in text.splitlines()]
            with tempfile.TemporaryDirectory() as place:
                with open(f"{place}/curfew.py", "w", encoding="utf-8") as file:
                    file.write("\n".join(changed))
                refused = self.imported(library=f"{PREFIX}/lib/libcurfew.so.0", path=place)
            self.assertIn(f"is Curfew {library} (ABI", refused.stderr)


if __name__ == "__main__":
    unittest.main()
