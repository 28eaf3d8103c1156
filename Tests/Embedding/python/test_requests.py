# SPDX-License-Identifier: Apache-2.0
"""Requests, handlers in Python, and asyncio: pytest runs it with what test_curfew.py needs."""
import asyncio
import datetime
import os
import pathlib
import threading

import pytest

import curfew

PLUGINS = os.environ["CURFEW_TEST_PLUGINS"]
PATIENT = "org.curfew.test.patient"
TIDY = "org.example.tidy"
LIMIT = 60  # seconds, where a test would hang


@pytest.fixture(params=[False, True], ids=["event thread", "manual dispatch"])
def host(request):
    with curfew.Host(manual_dispatch=request.param) as made:
        yield made


@pytest.fixture
def clock():
    return curfew.ManualClock()


def test_a_function_is_a_handler(host):
    def tidy(task):
        task.log("begins")
        task.progress(0.5, "half")
        task.raise_event("tidy_page", 7, "ö")
        assert 0 < task.remaining <= 30 and not task.is_expired
        return f"{task.identifier} {task.payload.decode()} {task.attempt}"

    host.register(TIDY, tidy, events=["tidy_page(int64,text)"])
    assert host.handlers[0].budget == 30
    with host.events() as events:
        task = host.launch(TIDY, "größe", attempt=2)
        assert task.wait(LIMIT) is curfew.Outcome.SUCCEEDED
        assert task.result.decode() == "org.example.tidy größe 2"
        heard = []
        while len(heard) < 3:
            heard += [event for event in [events.get(LIMIT)] if event.task == task.id]
    assert [event.selector for event in heard] == ["tidy_progress::", "tidy_page::", "tidy_done::"]
    assert [event.values for event in heard] == [(0.5, "half"), (7, "ö"), (True, "")]


def test_what_it_raises_is_the_error_of_the_task(host):
    kept = []

    @host.register(TIDY)
    def tidy(task):
        kept.append(task)
        raise ValueError("no such page: " + "ö" * 2_000)

    task = host.launch(TIDY)
    assert task.wait(LIMIT) is curfew.Outcome.FAILED
    assert task.error.startswith("no such page: öö") and task.error.endswith("ö")
    assert kept[0].is_expired
    with pytest.raises(curfew.CurfewError, match="STALE: the task is over"):
        kept[0].progress(1)


def test_it_is_told_to_stop(host):
    stopped, reasons = threading.Event(), []

    def expired(task, reason):
        reasons.append(reason)
        stopped.set()

    @host.register(TIDY, budget=datetime.timedelta(milliseconds=20), expired=expired)
    def tidy(task):
        assert stopped.wait(LIMIT) and task.is_expired

    assert host.launch(TIDY).wait(LIMIT) is curfew.Outcome.EXPIRED
    assert reasons == [curfew.Reason.BUDGET]


def test_an_async_function_is_a_handler_and_is_cancelled_when_it_has_to_stop(host):
    cancelled = []

    @host.register(TIDY, budget=0.05)
    async def tidy(task):
        if task.payload:
            await asyncio.sleep(0)
            return task.payload
        try:
            await asyncio.sleep(LIMIT)
        except asyncio.CancelledError:
            cancelled.append(task.id)
            raise

    good, endless = host.launch(TIDY, b"\x00\x01"), host.launch(TIDY)
    assert good.wait(LIMIT) is curfew.Outcome.SUCCEEDED and good.result == b"\x00\x01"
    assert endless.wait(LIMIT) is curfew.Outcome.EXPIRED
    assert cancelled == [endless.id]


def test_a_request_is_launched_when_it_is_due(clock):
    with curfew.Host(clock=clock) as host, host.events("tidy_done::") as events:
        begin = datetime.datetime(2027, 1, 1, 3, tzinfo=datetime.timezone.utc)
        clock.set_date(begin)
        host.register(TIDY, lambda task: None)
        request = host.submit(TIDY, "a page", after=datetime.timedelta(hours=1), key="nightly")
        assert request.submission is curfew.Submission.QUEUED
        assert host.submit(TIDY, "a page", after=3600, key="nightly").id == request.id
        state = request.state
        assert state.phase is curfew.RequestPhase.PENDING and state.key == "nightly"
        assert state.not_before == begin + datetime.timedelta(hours=1)
        assert (state.identifier, state.latest, state.submitted) == (TIDY, None, begin)
        assert request.payload == b"a page"
        assert [each.name for each in request.why() if each.holds] == ["date"]
        assert host.now == begin
        clock.advance(3_599)
        assert request.attempts == []
        clock.advance(1)
        assert events.get(LIMIT).values == (True, "")
        while request.phase is not curfew.RequestPhase.FINISHED:
            pass
        (attempt,) = request.attempts
        assert attempt.outcome is curfew.Outcome.SUCCEEDED and attempt.started == host.now
        assert (attempt.log, attempt.result, attempt.progress) == ([], "", -1)
        assert attempt.cpu > 0 and attempt.exit_status == -1
        (only,) = host.hosts
        assert only.own and only.process == os.getpid() and only.running == 0
        assert only.phase is curfew.StoreHostPhase.WORKS and only.since == begin


def test_requests_are_listed_explained_and_cancelled():
    day = datetime.datetime(2190, 1, 1, tzinfo=datetime.timezone.utc)
    add = {"kind": curfew.Kind.PROCESSING}
    with curfew.Host() as host:
        first = host.submit(TIDY, earliest=day, needs=curfew.Needs.NETWORK, **add)
        others = [host.submit("org.example.other", cron="@daily", **add) for _ in range(2)]
        assert [each.id for each in host.requests()] == [first.id] + [each.id for each in others]
        assert [each.id for each in host.requests(TIDY)] == [first.id]
        assert first.state.needs is curfew.Needs.NETWORK
        assert "date" in [each.name for each in host.why(first.id) if each.holds]
        handler = {each.name: each for each in host.why(TIDY)}["handler"]
        assert handler.holds and handler.factor is curfew.Factor.HANDLER
        assert first.cancel() and not first.cancel()
        assert host.cancel(others[0]) == 1 and host.cancel(others[0].id) == 0
        assert host.cancel("org.example.other") == 1
        assert host.requests(phases=[curfew.RequestPhase.PENDING]) == []
        assert len(host.requests(phases=[curfew.RequestPhase.CANCELLED])) == 3
        with pytest.raises(curfew.CurfewError, match="WRONG_STATE"):
            first.release()
        with pytest.raises(TypeError):
            host.submit(TIDY, earliest=12)


def test_a_submission_adds_unless_it_is_told_to_replace_or_to_keep():
    with curfew.Host() as host:
        first, second = (host.submit(TIDY, after=86_400) for _ in range(2))
        assert [each.id for each in host.requests()] == [first.id, second.id]
        kept = host.submit(TIDY, after=60, on_pending=curfew.OnPending.KEEP)
        assert kept.submission is curfew.Submission.DUPLICATE_PENDING
        last = host.submit(TIDY, after=60, on_pending=curfew.OnPending.REPLACE)
        assert second.phase is curfew.RequestPhase.REPLACED
        assert last.phase is curfew.RequestPhase.PENDING


def test_a_request_waits_for_an_idle_machine_only_as_long_as_it_was_told():
    with curfew.Host() as host:
        wish = host.submit(
            TIDY, opportunistic=curfew.Opportunistic.IDLE, at_most=datetime.timedelta(hours=6))
        names = [each.name for each in wish.why()]
        assert "idle" in names
        with pytest.raises(curfew.CurfewError):
            host.submit(TIDY, at_most=datetime.timedelta(days=400))


def test_a_handler_asks_for_its_next_run(clock):
    with curfew.Host(clock=clock) as host:
        clock.set_date(datetime.datetime(2027, 1, 1, 3, tzinfo=datetime.timezone.utc))
        begun = []

        @host.register(TIDY)
        def tidy(task):
            begun.append((host.now, task.payload, task.submit_next(after=86_400, attempts=2).id))
            if len(begun) == 1:
                raise ValueError("not yet")

        with host.events("tidy_done::") as events:
            first = host.submit(TIDY, "a page", attempts=2, backoff=10)
            clock.advance(0)
            assert events.get(LIMIT).values == (False, "not yet")
        while first.phase is curfew.RequestPhase.RUNNING:
            pass
        clock.advance(20)
        assert first.wait(LIMIT) is curfew.RequestPhase.FINISHED
        (second,) = host.requests(phases=[curfew.RequestPhase.PENDING])
        # The second attempt has found the next run of the first.
        assert [each[1:] for each in begun] == [(b"a page", second.id)] * 2
        assert second.payload == b"a page" and second.state.attempt_limit == 2
        clock.advance(86_400)
        assert second.wait(LIMIT) is curfew.RequestPhase.FINISHED


def test_a_request_is_retried_launched_and_edited(clock):
    with curfew.Host(clock=clock) as host:
        clock.set_date(datetime.datetime(2027, 1, 1, 3, tzinfo=datetime.timezone.utc))
        faults = ["the disk is full"]

        @host.register(TIDY)
        def tidy(task):
            if faults:
                raise OSError(faults.pop())

        request = host.submit(TIDY, "a page", after=86_400)
        request.launch()
        clock.advance(0)
        assert request.wait(LIMIT) is curfew.RequestPhase.FINISHED
        assert request.state.outcome is curfew.Outcome.FAILED and request.is_over
        assert host.retry(request.id).id == request.id
        clock.advance(0)
        request.wait(LIMIT)
        assert [each.outcome for each in request.attempts] == [
            curfew.Outcome.FAILED, curfew.Outcome.SUCCEEDED]

        later = host.submit(TIDY, after=60)
        with pytest.raises(curfew.CurfewError, match="WRONG_STATE"):
            later.retry()
        with pytest.raises(curfew.CurfewTimeout):
            later.wait(0)
        day = datetime.datetime(2028, 1, 1, tzinfo=datetime.timezone.utc)
        later.edit(earliest=day, key="yearly", attempts=3)
        state = later.state
        assert (state.not_before, state.key, state.attempt_limit) == (day, "yearly", 3)
        later.edit(opportunistic=curfew.Opportunistic.IDLE, at_most=60)
        assert curfew.Factor.IDLE in [each.factor for each in later.why()]
        later.edit(opportunistic=None)
        assert curfew.Factor.IDLE not in [each.factor for each in later.why()]
        later.edit(key=None, cron="0 3 * * *")
        assert later.state.key == "" and later.state.is_repeated
        with pytest.raises(TypeError, match="payload cannot be changed"):
            later.edit(payload=b"")
        with pytest.raises(curfew.CurfewError, match="WRONG_STATE"):
            request.launch()


def test_requests_are_awaited(host):
    host.register(TIDY, lambda task: None)

    async def phases():
        requests = [host.submit(TIDY, str(each)) for each in range(3)]
        return [await asyncio.wait_for(request, LIMIT) for request in requests]

    assert asyncio.run(phases()) == [curfew.RequestPhase.FINISHED] * 3


def test_a_store_keeps_requests(tmp_path: pathlib.Path):
    store = tmp_path / "requests"
    options = {"history_limit": 10, "penalty": 60}
    with curfew.Host(store=store, request_options=options) as host:
        number = host.submit(TIDY, b"kept", after=86_400).id
    with curfew.Host(store=store) as host:
        (request,) = host.requests()
        assert (request.id, request.payload) == (number, b"kept")
    with pytest.raises(TypeError, match="curfew_request_config has no speed"):
        curfew.Host(request_options={"speed": 1})


def test_programs_are_run_where_that_is_permitted():
    program = b'{"argv": ["/bin/echo", "curfew: result one"], "directory": "/", "budget": "1min"}'
    with curfew.Host(permits_commands=True) as host:
        request = host.submit("org.curfew.command", program)
        assert request.wait(LIMIT) == curfew.RequestPhase.FINISHED
        assert request.attempts[-1].result == "one"
    with curfew.Host() as host:
        request = host.submit("org.curfew.command", program)
        assert request.state.phase == curfew.RequestPhase.PENDING


def test_all_plugins_are_loaded_and_those_that_fail_are_returned(tmp_path, monkeypatch):
    for name in ("good", "noentry"):
        (tmp_path / name).symlink_to(f"{PLUGINS}/{name}")
    with curfew.Host() as host:
        (failed,) = host.load_all(tmp_path)
        assert failed.directory == f"{tmp_path}/noentry" and "curfew_plugin_entry" in failed.reason
        assert [each.identifier for each in host.handlers] == ["org.curfew.test.good"]
    monkeypatch.setenv("CURFEW_PLUGIN_PATH", str(tmp_path))
    with curfew.Host(load_plugins=True) as host:
        assert len(host.handlers) == 1


def test_tasks_are_awaited(host):
    host.register(TIDY, lambda task: task.payload, max_concurrency=4)

    async def outcomes():
        tasks = [host.launch(TIDY, str(each)) for each in range(50)]
        return [(await task, task.result) for task in tasks]

    assert asyncio.run(outcomes()) == [
        (curfew.Outcome.SUCCEEDED, str(each).encode()) for each in range(50)]
    assert host._listeners.keys() == {("handler", TIDY)}


def test_a_wait_is_cancelled_and_ends_with_the_host():
    async def closes(host):
        task = host.launch(PATIENT, budget=3600)
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(task, 0.01)
        assert host._waiting == {} and host._observed is None
        waiting = asyncio.ensure_future(asyncio.wait_for(task, LIMIT))
        await asyncio.sleep(0)
        await asyncio.to_thread(host.close)
        try:
            assert await waiting is curfew.Outcome.INTERRUPTED
        except curfew.CurfewError as error:
            assert error.status is curfew.Status.CLOSING

    host = curfew.Host()
    host.load(f"{PLUGINS}/patient")
    asyncio.run(closes(host))


@pytest.mark.parametrize("manual_dispatch", [False, True])
def test_events_are_iterated_in_asyncio(manual_dispatch):
    async def pages():
        async with curfew.Host(manual_dispatch=manual_dispatch) as host:
            host.register(
                TIDY, lambda task: [task.raise_event("tidy_page", page) for page in range(3)] and None,
                events=["tidy_page(int64)"])
            seen = []
            with host.events("tidy_page:") as events:
                task = host.launch(TIDY)
                async for event in events:
                    seen.append(event.values[0])
                    if len(seen) == 3:
                        break
            await task
            rest = host.events("tidy_done::")
            second = host.launch(TIDY)
            await second
        # The first one's may be delivered after the task is over.
        return seen, [event.values async for event in rest if event.task == second.id]

    assert asyncio.run(pages()) == ([0, 1, 2], [(True, "")])


def test_types_are_declared():
    assert (pathlib.Path(curfew.__file__).parent / "py.typed").exists()
    for kind in (curfew.Host, curfew.Task, curfew.Request, curfew.Events, curfew.ManualClock):
        for name, member in vars(kind).items():
            member = getattr(member, "fget", member)
            if callable(member) and not name.startswith("_"):
                assert "return" in member.__annotations__, f"{kind.__name__}.{name}"
