"""Under attack and load: bounds while bodies are read, deadlines, other sites, and a message for every failure."""

import contextlib
import gzip
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time

import anyio
import pytest
from fastapi import Response
from fastapi.testclient import TestClient

from command_line import run
from tellapart.web import server as web_server
from tellapart.web.app import create_app
from tellapart.web.refusals import Refusal
from tellapart.web.settings import HEADERS, Settings
from tellapart.web.workers import Workers

GUESSES = {"rate": 0.6, "tpr": 0.9, "tnr": 0.9}
PLAN = {**GUESSES, "n_human": 5, "n_metric": 5}
LONG = {**GUESSES, "n_human": 300, "n_metric": 5000, "difference": 0.05, "runs": 2000}  # more than a minute
HEAD = b"system,human_pos,human_n,tp,fn,tn,fp,metric_pos,metric_n\n"
COUNTS = HEAD + b"A,60,100,54,6,36,4,1190,2000\nB,45,100,40,5,49,6,890,2000\n"
PATIENT = Settings(patience=300, most_seconds=300)  # machines may be slow


def client_of(app, **options):
    return TestClient(app, base_url="http://127.0.0.1", **options)


@pytest.fixture(scope="module")
def client():
    return client_of(create_app(PATIENT))


def soon(condition, patience=120):
    end = time.monotonic() + patience
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return condition()


# every answer


@pytest.mark.parametrize(
    ("status", "method", "path", "headers"),
    [
        (200, "GET", "/", {}),
        (200, "GET", "/docs", {}),
        (200, "GET", "/static/app.js", {}),
        (200, "GET", "/api/paper", {}),
        (400, "GET", "/", {"Host": "evil.example"}),
        (403, "POST", "/api/plan", {"Origin": "http://evil.example"}),
        (404, "GET", "/nowhere", {}),
        (405, "GET", "/api/plan", {}),
        (413, "POST", "/api/plan", {"Content-Length": "1000001"}),
        (422, "POST", "/api/plan", {}),
    ],
)
def test_every_answer_carries_the_headers(client, status, method, path, headers):
    answer = client.request(method, path, headers=headers)
    assert answer.status_code == status
    assert {name: answer.headers[name] for name in HEADERS} == HEADERS
    assert answer.headers.get("cache-control") == (
        "no-store" if path.startswith("/api") else answer.headers.get("cache-control")
    )
    if status >= 400:
        assert answer.json()["message"]


def test_no_inline_script_is_allowed():
    assert "unsafe-inline" not in HEADERS["Content-Security-Policy"].split("style-src-attr")[0]


def test_what_is_no_http_is_refused_with_the_headers(address):
    host, port = address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=120) as client:
        client.sendall(b"\0\r\n\r\n")
        answer = b"".join(iter(lambda: client.recv(4096), b"")).decode()
    assert answer.startswith("HTTP/1.1 400 ")
    assert all(f"{name}: {value}\r\n" in answer for name, value in HEADERS.items())


# failures that nobody expected


def test_an_unexpected_error_is_told_with_a_reference_to_the_log(caplog, monkeypatch):
    app = create_app(PATIENT)

    async def fail(*_, **__):
        raise ZeroDivisionError

    monkeypatch.setattr(app.state.workers, "ask", fail)
    answer = client_of(app).post("/api/compare/charts", content=COUNTS)
    problem = answer.json()
    assert answer.status_code == 500
    assert {name: answer.headers[name] for name in HEADERS} == HEADERS
    assert problem["reference"] in problem["message"]
    assert f"reference {problem['reference']}" in caplog.text
    assert "ZeroDivisionError" in caplog.text


def asked(*task, seconds=300):
    """What workers answer, or how they refuse."""

    async def ask():
        workers = Workers()
        try:
            return await workers.ask(*task, seconds=seconds)
        finally:
            workers.close()

    return anyio.run(ask)


def test_an_error_in_a_worker_is_told_with_its_trace(caplog):
    with pytest.raises(Refusal) as refused:
        asked(divmod, 1, 0)
    assert refused.value.status_code == 500
    assert refused.value.problem.reference in caplog.text
    assert "ZeroDivisionError" in caplog.text


def test_a_worker_that_died_in_its_sleep_is_replaced():
    async def story():
        workers = Workers()
        await workers.ask(dict, seconds=300)
        [worker] = workers._idle
        worker._process.kill()
        worker._process.join()
        try:
            return await workers.ask(dict, seconds=300)
        finally:
            workers.close()

    assert anyio.run(story) == b"{}"


def test_workers_run_neither_the_program_again_nor_files_of_the_working_folder(tmp_path):
    script, folder = tmp_path / "script.py", tmp_path / "elsewhere"
    script.write_text(
        "import anyio\nfrom tellapart.web.workers import Workers\nprint('once', flush=True)\n"
        "async def ask():\n    print(await Workers().ask(dict, seconds=300))\nanyio.run(ask)\n",
        encoding="utf-8",
    )
    folder.mkdir()
    (folder / "polars.py").write_text("import os; os.write(1, b'mine')", encoding="utf-8")
    command = [sys.executable, str(script)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder)  # noqa: S603 - ours
    assert done.stdout == "once\nb'{}'\n"


@pytest.mark.parametrize("task", [(os.abort,), (bytearray, 10**10)])
def test_a_worker_that_ends_or_takes_too_much_memory_is_a_refusal(task):
    with pytest.raises(Refusal) as refused:
        asked(*task)
    assert refused.value.status_code == 422
    assert "takes more memory" in refused.value.problem.message


def test_what_takes_too_long_is_refused_and_ended():
    app = create_app(Settings(most_seconds=1))
    answer = client_of(app).post("/api/simulation", json=LONG)
    assert (answer.status_code, "longer than 1 s" in answer.json()["message"]) == (422, True)
    assert all(soon(lambda w=worker: not w._process.is_alive()) for worker in app.state.workers._all if worker._process)


# bodies


def asgi(app, messages, path="/api/plan", kind=b"application/json"):
    """Send a request by hand; return its status and how many messages were taken."""
    taken, said = [], []

    async def receive():
        taken.append(await messages(len(taken)))
        return taken[-1]

    async def send(message):
        said.append(message)

    scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "query_string": b"",
        "headers": [(b"host", b"localhost"), (b"content-type", kind)],
    }

    async def call():
        await app(scope, receive, send)
        return said[0]["status"] if said else None, len(taken)

    return call


def piece(size=65536, *, more=True):
    return {"type": "http.request", "body": b" " * size, "more_body": more}


@pytest.mark.parametrize(("path", "most"), [("/api/plan", 1_000_000), ("/api/compare", 50_000_000)])
def test_a_body_without_a_length_is_bounded_while_it_is_read(path, most):
    async def endless(_):
        return piece()

    status, taken = anyio.run(asgi(create_app(), endless, path))
    assert (status, taken) == (413, most // 65536 + 1)


@pytest.mark.parametrize("path", ["/api/plan", "/api/compare"])
def test_a_body_that_stops_half_way_is_given_up(path):
    async def stuck(number):
        return piece() if number == 0 else await anyio.sleep_forever()

    status, _ = anyio.run(asgi(create_app(Settings(patience=0.05)), stuck, path))
    assert status == 408


def test_a_body_that_drips_is_given_up():
    async def drip(_):
        await anyio.sleep(0.05)
        return piece(1)

    status, _ = anyio.run(asgi(create_app(Settings(most_seconds=1)), drip, "/api/compare"))
    assert status == 408


def test_all_bodies_together_are_bounded():
    app = create_app(Settings(most_held=100_000, patience=300))

    async def story():
        left = anyio.Event()

        async def half(number):
            if number:
                await left.wait()
                return {"type": "http.disconnect"}
            return piece()

        async def whole(_):
            return piece(more=False)

        statuses = []
        async with anyio.create_task_group() as group:
            group.start_soon(asgi(app, half, "/api/compare"))
            await anyio.sleep(0.1)
            statuses.append((await asgi(app, whole, "/api/plan")())[0])
            left.set()
        statuses.append((await asgi(app, whole, "/api/plan")())[0])
        return statuses

    assert anyio.run(story) == [503, 422]


def test_a_client_that_leaves_is_no_failure(caplog):
    async def leave(number):
        return {"type": "http.disconnect"} if number else piece()

    for path in ("/api/plan", "/api/compare"):
        anyio.run(asgi(create_app(), leave, path))
    assert not caplog.text


# where requests come from


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Origin": "http://127.0.0.1"}, 200),
        ({"Origin": "http://127.0.0.1:8000"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Sec-Fetch-Site": "same-origin", "Origin": "https://the.proxy"}, 200),
        ({"Sec-Fetch-Site": "none"}, 200),
        ({"Sec-Fetch-Site": "cross-site", "Origin": "http://127.0.0.1"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
    ],
)
def test_pages_of_other_sites_may_not_ask(client, headers, status):
    assert client.post("/api/plan", json=PLAN, headers=headers).status_code == status


@pytest.mark.parametrize("host", ["testserver", "evil.example", "[", "", "127.0.0.1.evil.example"])
def test_other_host_names_are_refused(client, host):
    assert client.get("/", headers={"Host": host}).status_code == 400


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:80", "127.0.0.1:8000", "[::1]:8000"])
def test_the_names_of_this_machine_are_answered(client, host):
    assert client.get("/", headers={"Host": host}).status_code == 200


# small uploads


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (gzip.compress(b"{}\n" * 1_500_000 + json.dumps(dict.fromkeys(map(str, range(1900)))).encode()), "nothing"),
        (gzip.compress(b"{}\n" * 3_000_000), "2,000,000 rows"),
        (HEAD + b"".join(b"s%d,1,2,,,,,,\n" % i for i in range(50_000)), "40 systems"),
        (b",".join(b"c%d" % i for i in range(200_000)) + b"\n", "200 columns"),
        (b";".join(b'"c%d\n"' % i for i in range(16_000)) + b"\n", "200 columns"),
        (HEAD + b"x" * 201 + b",1,2,,,,,,\nB,1,2,,,,,,\n", "at most 200"),
        (b"system,human\n" + b"x" * 201 + b",1\nB,0\n", "at most 200"),
        (b"system,human," + b"x" * 201 + b"\nA,1,2\nB,0,2\n", "at most 200"),
    ],
)
def test_small_uploads_do_no_large_harm(client, content, said):
    answer = client.post("/api/compare", content=content)
    assert (answer.status_code, said in answer.json()["message"]) == (422, True), answer.json()["message"]


# clients that leave or dawdle, on a real connection


def request_of(address, path, body):
    host = address.removeprefix("http://")
    head = (
        f"POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def connect(address):
    host, port = address.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=120)


DEAR = {
    "simulation": ("/api/simulation", LONG),
    "short": (
        "/api/table",
        {
            **GUESSES,
            "rows": {"name": "n_human", "values": [10**9 - i for i in range(14)]},
            "columns": {"name": "n_metric", "values": [10**9 - i for i in range(14)]},
        },
    ),
}


@pytest.mark.parametrize("kind", DEAR)
def test_work_ends_when_the_client_leaves(app, address, kind):
    path, body = DEAR[kind]
    turns, workers = app.state.turns[kind], app.state.workers
    free = turns.value
    with connect(address) as client:
        client.sendall(request_of(address, path, json.dumps(body).encode()))
        assert soon(lambda: turns.value == free - 1), "the work does not begin"
        assert soon(lambda: any(w._process and w not in workers._idle for w in list(workers._all))), "no worker"
        busy = [w for w in list(workers._all) if w._process and w not in workers._idle]
    assert soon(lambda: turns.value == free), "the work goes on"
    assert soon(lambda: not any(w._process.is_alive() for w in busy)), "the worker goes on"


@pytest.fixture
def hasty(monkeypatch, address):
    """The server, with little time for the head of a request and for the reading of answers."""
    monkeypatch.setattr(web_server, "_HEAD", 0.2)
    return address


@pytest.mark.parametrize(
    "sent",
    [b"", b"POST /api/plan HTTP/1.1\r\nHost: loc", b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\nGET /"],
)
def test_half_a_head_is_not_waited_for(hasty, sent):
    with connect(hasty) as client:
        client.sendall(sent)
        with contextlib.suppress(ConnectionResetError):
            while client.recv(65536):
                pass  # until the server closes the connection


@pytest.mark.parametrize("number", [1, 3])
def test_answers_that_nobody_reads_are_not_kept(hasty, server, number):
    large = server._app.routes  # a path of the test alone, with more than any buffer of the system holds
    server._app.add_api_route("/large", lambda: Response(bytes(50_000_000)))
    try:
        with connect(hasty) as client:
            client.sendall(b"GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n" * number)
            assert soon(lambda: any(c.transport.get_write_buffer_size() for c in list(connections(server))))
            assert soon(lambda: not connections(server))
    finally:
        large.pop()


def connections(server):
    return server.server_state.connections


def test_who_reads_slowly_gets_all(hasty, server):
    server._app.add_api_route("/large", lambda: Response(bytes(30_000_000)))
    try:
        with connect(hasty) as client:
            client.sendall(b"GET /large HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            got = 0
            while part := client.recv(1_000_000):
                got += len(part)
                time.sleep(0.02)
    finally:
        server._app.routes.pop()
    assert got > 30_000_000


# the program


@contextlib.contextmanager
def program(*options):
    """The server as users start it, when it says that it answers."""
    command = [sys.executable, "-c", "from tellapart.cli import main; main()", "serve", "--port", "0", *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:  # noqa: S603 - ours
        try:
            line = process.stderr.readline()
            yield process, re.search(r"http://[\d.:]+", line)[0]
        finally:
            process.kill()


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_busy_server_without_a_trace(sign):
    with program("--limit", "most_seconds=3600") as (process, address):
        clients = [connect(address) for _ in range(4)]
        for client in clients[:2]:
            client.sendall(request_of(address, "/api/simulation", json.dumps(LONG).encode()))
        clients[2].sendall(request_of(address, "/api/compare", COUNTS)[:-20])  # stops half-way
        clients[3].sendall(b"POST /api")
        with connect(address) as client:
            client.sendall(request_of(address, "/api/plan", json.dumps(PLAN).encode()))
            assert client.recv(12) == b"HTTP/1.1 200"  # so the others are being computed
        process.send_signal(sign)
        said = process.stderr.read()  # until the workers have ended, too
        assert process.wait(120) in {0, -sign}
        for client in clients:
            client.close()
    assert "Traceback" not in said
    assert "Cancel" not in said  # nobody had to be waited for


def test_an_address_is_told_once_it_answers():
    with program() as (_, address), connect(address) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert client.recv(12) == b"HTTP/1.1 200"


def test_a_busy_port_is_one_clear_line(address):
    port = address.rpartition(":")[2]
    answer = run("serve", "--port", port)
    assert answer.code == 1
    expected = (
        f"Error: cannot listen on 127.0.0.1, port {port} (Address already in use). Hint: choose another with --port\n"
    )
    assert answer.err == expected
