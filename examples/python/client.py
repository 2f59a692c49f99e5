"""A small client of remik over gRPC: calls that are tried again, refusals as exceptions, a watch that goes on."""

import random
import time
import uuid
from collections.abc import Iterator
from typing import Any

import grpc
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from stubs import game_pb2 as game
from stubs import game_service_pb2 as api
from stubs import game_service_pb2_grpc, player_service_pb2, player_service_pb2_grpc

# The codes after which the same request is sent again (docs/errors.md).
PASSING = {
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.ABORTED,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    grpc.StatusCode.DEADLINE_EXCEEDED,
}

# A broken connection is noticed by these pings, also while nothing is played.
CHANNEL = [("grpc.keepalive_time_ms", 20_000), ("grpc.keepalive_timeout_ms", 10_000)]


class Refused(Exception):
    """The service refuses a call. `text` is for the player; `reason` and `metadata` are for the program."""

    def __init__(self, error: grpc.RpcError):
        self.code = error.code()
        self.reason, self.metadata, self.text, self.retry_after = "", {}, error.details(), None
        status = rpc_status.from_call(error)
        for detail in status.details if status else []:
            if detail.Is(error_details_pb2.ErrorInfo.DESCRIPTOR):
                info = error_details_pb2.ErrorInfo.FromString(detail.value)
                self.reason, self.metadata = info.reason, dict(info.metadata)
            elif detail.Is(error_details_pb2.LocalizedMessage.DESCRIPTOR):
                self.text = error_details_pb2.LocalizedMessage.FromString(detail.value).message
            elif detail.Is(error_details_pb2.RetryInfo.DESCRIPTOR):
                delay = error_details_pb2.RetryInfo.FromString(detail.value).retry_delay
                self.retry_after = delay.ToTimedelta().total_seconds()
        super().__init__(f"{self.code.name} {self.reason}: {self.text}")


class Patience:
    """How long to wait before the next try: the service's wish at least, then ever longer, and never in step."""

    def __init__(self, most_tries: int = 8):
        self.tries, self.most_tries = 0, most_tries

    def wait(self, refused: Refused) -> None:
        self.tries += 1
        if refused.code not in PASSING or self.tries == self.most_tries:
            raise refused
        longest = min(0.1 * 2**self.tries, 10.0)
        time.sleep((refused.retry_after or 0.0) + random.uniform(0.0, longest))


class Remik:
    """The service as one player uses it."""

    def __init__(self, target: str, language: str = "pl"):
        channel = grpc.insecure_channel(target, options=CHANNEL)
        self._games = game_service_pb2_grpc.GameServiceStub(channel)
        self._players = player_service_pb2_grpc.PlayerServiceStub(channel)
        self._metadata = [("accept-language", language)]

    def sign_in_as_guest(self, name: str) -> None:
        """Makes a guest. The token is told this once: keep it as long as you want to be this player."""
        made = self._call(self._players.CreateGuest, player_service_pb2.CreateGuestRequest(display_name=name))
        self._metadata.append(("authorization", f"Bearer {made.token}"))

    def create_game(self, **fields: Any) -> game.GameView:
        """Opens a table and takes its first seat."""
        request = api.CreateGameRequest(request_id=str(uuid.uuid4()), **fields)
        return self._call(self._games.CreateGame, request).view

    def join_game(self, game_id: str) -> game.GameView:
        request = api.JoinGameRequest(game_id=game_id, request_id=str(uuid.uuid4()))
        return self._call(self._games.JoinGame, request).view

    def command(self, name: str, view: game.GameView, **fields: Any) -> game.GameView:
        """Gives a command, such as `Draw`, at the table as it is seen, and returns the table after it."""
        request = getattr(api, f"{name}Request")(
            game_id=view.game_id, request_id=str(uuid.uuid4()), known_version=view.version, **fields
        )
        return self._call(getattr(self._games, name), request).view

    def look(self, name: str, game_id: str, version: int = 0) -> Any:
        """Asks for something about a game, such as `GetLegalMoves`, as it is after a move at least."""
        request = getattr(api, f"{name}Request")(game_id=game_id, at_least_version=version)
        return self._call(getattr(self._games, name), request)

    def watch(self, game_id: str) -> Iterator[api.WatchGameResponse]:
        """A snapshot, then every move, without end: after a break it goes on behind the last one."""
        request, patience = api.WatchGameRequest(game_id=game_id), Patience()
        while True:
            try:
                for item in self._games.WatchGame(request, metadata=self._metadata):
                    request.after_version = item.version
                    patience = Patience()
                    yield item
            except grpc.RpcError as error:
                patience.wait(Refused(error))

    def _call(self, method: Any, request: Any) -> Any:
        """Sends a request until there is an answer. It has one request id, so that it counts once."""
        patience = Patience()
        while True:
            try:
                return method(request, metadata=self._metadata, timeout=10.0)
            except grpc.RpcError as error:
                patience.wait(Refused(error))
