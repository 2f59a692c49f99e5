"""The API's generated modules: `from stubs import games_pb2 as games, ...`.

They are generated from the protos at the first run, and again when the protos change, into a cache folder
(`REMIK_STUBS`, or `~/.cache/remik`). A project of your own would generate them when it is built.
"""

import hashlib
import os
import shutil
import sys
import tempfile
from importlib.resources import files
from pathlib import Path

from grpc_tools import protoc

_REPOSITORY = Path(__file__).resolve().parents[2]
_API = _REPOSITORY / "proto"
_OPTIONS = _REPOSITORY / "crates/transcoding/proto"


def _generate() -> Path:
    """The folder with the modules; its name tells from which protos they are."""
    protos = [*sorted(_API.glob("remik/v1/*.proto")), *sorted(_OPTIONS.glob("**/*.proto"))]
    digest = hashlib.sha256(b"".join(proto.read_bytes() for proto in protos)).hexdigest()[:16]
    cache = Path(os.environ.get("REMIK_STUBS", Path.home() / ".cache/remik"))
    folder = cache / f"python-{digest}"
    if folder.exists():
        return folder
    cache.mkdir(parents=True, exist_ok=True)
    # Others may do the same at this moment: who is ready first wins.
    fresh = tempfile.mkdtemp(dir=cache)
    includes = [_API, _OPTIONS, _API / "third_party", files("grpc_tools") / "_proto"]
    arguments = [f"--proto_path={include}" for include in includes]
    arguments += [f"--python_out={fresh}", f"--pyi_out={fresh}", f"--grpc_python_out={fresh}"]
    if protoc.main(["protoc", *arguments, *map(str, protos)]) != 0:
        raise RuntimeError("the protos can't be compiled")
    try:
        os.rename(fresh, folder)
    except OSError:
        shutil.rmtree(fresh)
    return folder


sys.path.insert(0, str(_generate()))

from remik.v1 import game_pb2, game_service_pb2, game_service_pb2_grpc, legal_moves_pb2, player_service_pb2  # noqa: E402
from remik.v1 import player_service_pb2_grpc  # noqa: E402

__all__ = [
    "game_pb2",
    "game_service_pb2",
    "game_service_pb2_grpc",
    "legal_moves_pb2",
    "player_service_pb2",
    "player_service_pb2_grpc",
]
