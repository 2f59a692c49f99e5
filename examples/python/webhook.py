"""Receives a webhook's events with nothing but the standard library: `webhook.py PORT SECRET`.

Each event is printed once, as a line of JSON, after its signature was checked.
"""

import hashlib
import hmac
import json
import sys
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

# How old a signature may be, in seconds: an older one was perhaps recorded and sent again by somebody else.
TOLERANCE = 300


def is_genuine(secret: str, signature: str, body: bytes, now: float) -> bool:
    """Whether the header `remik-signature` is by the secret. While a secret is rotated it has several `v1`."""
    parts = [part.partition("=") for part in signature.split(",")]
    times = [value for name, _, value in parts if name == "t"]
    if len(times) != 1 or not times[0].isdigit() or abs(now - int(times[0])) > TOLERANCE:
        return False
    expected = hmac.new(secret.encode(), times[0].encode() + b"." + body, hashlib.sha256).hexdigest()
    return any(name == "v1" and hmac.compare_digest(value, expected) for name, _, value in parts)


class Receiver(BaseHTTPRequestHandler):
    secret = ""
    # A real one keeps these in its database, in the transaction of what it does about the event.
    seen: set[str] = set()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if not is_genuine(self.secret, self.headers.get("remik-signature", ""), body, time.time()):
            self.answer(400)
            return
        event = json.loads(body)
        # What was answered but not heard comes again.
        if event["deliveryId"] not in self.seen:
            self.seen.add(event["deliveryId"])
            print(json.dumps(event), flush=True)
        self.answer(204)

    def answer(self, status: int) -> None:
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


if __name__ == "__main__":
    Receiver.secret = sys.argv[2]
    HTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver).serve_forever()
