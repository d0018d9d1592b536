"""A real server, asked with nothing but the standard library: it answers whatever versions it stands on."""

import json
import socket
import urllib.request

import pytest

from tellapart import plan
from tellapart.web.server import listen

GUESSES = {"rate": 0.6, "tpr": 0.9, "tnr": 0.9, "n_human": 100, "n_metric": 1000}


def ask(address, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address + path, data, {"Content-Type": "application/json"})  # noqa: S310 - our own
    with urllib.request.urlopen(request, timeout=300) as answer:  # noqa: S310
        return answer.read().decode()


def test_the_page_comes(address):
    assert "tellapart" in ask(address, "/")


def test_a_plan_is_that_of_the_library(address):
    answer = json.loads(ask(address, "/api/plan", GUESSES))
    assert answer["value"] == pytest.approx(plan(**GUESSES).value, rel=1e-12)


def test_the_api_describes_itself(address):
    assert "/api/plan" in json.loads(ask(address, "/openapi.json"))["paths"]


def test_answers_do_not_wait_for_the_clients_word():
    with listen("127.0.0.1", 0) as opened, socket.create_connection(opened.getsockname()):
        accepted, _ = opened.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
