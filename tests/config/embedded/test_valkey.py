"""The embedded Valkey answers over its socket alone, and keeps nothing."""

import redis

from config.embedded import valkey
from config.embedded.places import Places
from tests import ground


def test_it_answers_over_its_socket_and_nowhere_else(here: Places) -> None:
    server = ground.start(here, "valkey", valkey.command(here), "TERM")
    try:
        with redis.Redis.from_url(here.redis_url) as client:
            ground.wait_for(lambda: ground.answers(client), "Valkey answers")
            told = client.info()
            assert told["valkey_version"].startswith("9.")
            assert told["tcp_port"] == 0
            assert client.config_get("save")["save"] == ""
            assert client.config_get("appendonly")["appendonly"] == "no"
    finally:
        ground.stop([server])
    assert sorted(path.name for path in here.sockets.iterdir()) == []
