#!/usr/bin/env python3
"""Checks the shuffles of an exported game: python3 verify.py GAME.json

Recomputes every deck, every new stock and the first dealer from the revealed seeds, as docs/fairness.md describes,
and the chain of hashes over the moves. Needs nothing but Python's standard library. (It doesn't judge the moves by
the rules of play, nor check the signature: `remik verify` does.)
"""

import base64
import hashlib
import hmac
import json
import sys
import uuid

SUITS = "CDHS"
RANKS = "A23456789TJQK"


class Wrong(Exception):
    """What is wrong with a game."""


class Numbers:
    """The stream of numbers of one purpose: HMAC-SHA256 blocks keyed by the server's seed."""

    def __init__(self, server_seed, game, deal, purpose, reuse, client_seeds):
        message = b"remik.v1" + game + deal.to_bytes(4, "big") + bytes([purpose]) + reuse.to_bytes(4, "big")
        message += bytes([len(client_seeds)])
        for seat, seed in client_seeds:
            message += bytes([seat, len(seed)]) + seed
        self.key, self.message, self.counter, self.block = server_seed, message, 0, b""

    def next(self):
        if not self.block:
            counter = self.counter.to_bytes(4, "big")
            self.block = hmac.new(self.key, self.message + counter, hashlib.sha256).digest()
            self.counter += 1
        number, self.block = int.from_bytes(self.block[:4], "big"), self.block[4:]
        return number

    def below(self, bound):
        whole = 2**32 // bound * bound
        while True:
            number = self.next()
            if number < whole:
                return number % bound

    def shuffle(self, cards):
        cards = sorted(cards)
        for i in range(len(cards) - 1, 0, -1):
            j = self.below(i + 1)
            cards[i], cards[j] = cards[j], cards[i]
        return cards


def pack(decks, jokers):
    """The codes of all cards: `2C`, its second copy `2C2`, jokers `X1` to `X6`."""
    copies = ["", "2"][:decks]
    return [rank + suit + copy for copy in copies for suit in SUITS for rank in RANKS] + [
        f"X{n}" for n in range(1, jokers + 1)
    ]


def expect(what, expected, found):
    if expected != found:
        raise Wrong(f"{what}: {found} is recorded, {expected} follows from the seeds")


class Deal:
    """A running deal: what of its chance was recomputed, to be compared with what is recorded."""

    def __init__(self, check, dealt):
        self.check, self.rules = check, check.rules
        self.number = dealt["deal"]
        self.client_seeds = [(s.get("seat", 0), bytes.fromhex(s.get("seed", ""))) for s in dealt.get("clientSeeds", [])]
        self.dealt, self.stock_uses = dealt, 0
        self.pile = [dealt["upcard"]] if dealt.get("upcard") else []
        # The server's seed is revealed when the deal is over: until then what happened is only noted.
        self.notes = []

    def numbers(self, purpose, reuse=0):
        return Numbers(self.seed, self.check.game, self.number, purpose, reuse, self.client_seeds)

    def reveal(self, seed):
        self.seed = bytes.fromhex(seed)
        expect(f"commitment of deal {self.number}", hashlib.sha256(self.seed).hexdigest(), self.check.commitment)
        dealt, rules = self.dealt, self.rules
        hands = {h.get("seat", 0): h["cards"] for h in dealt["hands"]}
        seats, starter = sorted(hands), dealt.get("starterSeat", 0)
        order = seats[seats.index(starter) :] + seats[: seats.index(starter)]
        if self.check.first_dealer is not None and self.number == 1:
            self.first_dealer(seats)
        deck = self.numbers(1).shuffle(pack(rules["decks"], rules.get("jokers", 0)))
        size = rules["cardsDealt"][len(seats) - 2]
        own = {seat: deck[place : size * len(order) : len(order)] for place, seat in enumerate(order)}
        rest = deck[size * len(order) :]
        if rules.get("starterGetsExtra"):
            own[starter].append(rest.pop(0))
        if rules.get("upcard"):
            expect("card turned up", rest.pop(0), dealt["upcard"])
        for seat in seats:
            expect(f"hand of seat {seat} in deal {self.number}", own[seat], hands[seat])
        for kind, what in self.notes:
            if kind == "drawn":
                expect(f"card drawn in deal {self.number}", rest.pop(0), what)
            else:
                reuse, cards, shuffled = what
                rest = self.numbers(2, reuse).shuffle(cards) if shuffled else cards

    def first_dealer(self, seats):
        chosen = self.check.first_dealer
        if self.rules["firstDealer"] == "FIRST_DEALER_CUT":
            cards = self.numbers(0).shuffle(pack(1, 0))
            cut = {seat: cards[place] for place, seat in enumerate(seats)}
            rank = lambda code: ((RANKS[1:] + "A").index(code[0]), SUITS.index(code[1]))
            expect("first dealer", max(seats, key=lambda seat: rank(cut[seat])), chosen)
        else:
            expect("first dealer", seats[self.numbers(0).below(len(seats))], chosen)

    def event(self, kind, event):
        if kind == "stockDrawn":
            self.notes.append(("drawn", event["card"]))
        elif kind == "discardTaken":
            self.pile.pop()
        elif kind == "discarded":
            self.pile.append(event["card"])
        elif kind == "stockReused":
            self.stock_uses += 1
            how, cards = self.rules["stockReuse"], list(self.pile)
            kept = [cards.pop()] if how == "STOCK_REUSE_KEEP_TOP_SHUFFLE" else []
            self.notes.append(("stock", (self.stock_uses, cards, how != "STOCK_REUSE_TURN_OVER")))
            self.pile = kept


class Check:
    """A game, move by move."""

    def __init__(self, document):
        self.document = document
        self.game = uuid.UUID(document["game"]).bytes
        self.rules = self.deal = self.first_dealer = None
        self.commitment = self.next_commitment = None
        self.deals = 0

    def chain(self):
        preset = self.document["preset"].encode()
        at = hashlib.sha256(b"remik.chain.v1" + self.game + len(preset).to_bytes(4, "big") + preset).digest()
        for mv in self.document["moves"]:
            events = base64.b64decode(mv["events"])
            at = hashlib.sha256(
                at
                + mv["number"].to_bytes(4, "big")
                + bytes([mv.get("seat", 255)])
                + mv["madeAt"].to_bytes(8, "big", signed=True)
                + mv["format"].to_bytes(2, "big")
                + len(events).to_bytes(4, "big")
                + events
            ).digest()
            if at.hex() != mv["hash"]:
                raise Wrong(f"move {mv['number']}: its hash isn't that of what stands there")

    def event(self, kind, event):
        if kind == "gameCreated":
            self.rules = event["rules"]
        elif kind == "sandboxArranged":
            raise Wrong("this is a sandbox: somebody has chosen its decks, so they don't follow from the seeds")
        elif kind == "seedCommitted":
            self.next_commitment = event["commitment"]
        elif kind == "dealerChosen":
            self.first_dealer = event.get("dealerSeat", 0)
        elif kind == "dealt":
            self.commitment = self.next_commitment
            self.deal = Deal(self, event)
        elif kind == "dealEnded":
            self.deal.reveal(event["serverSeed"])
            self.deal, self.deals = None, self.deals + 1
        elif self.deal:
            self.deal.event(kind, event)

    def run(self):
        self.chain()
        for mv in self.document["moves"]:
            for event in mv["move"]["events"]:
                for kind, fields in event.items():
                    try:
                        self.event(kind, fields)
                    except Wrong as wrong:
                        raise Wrong(f"move {mv['number']}: {wrong}") from None


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        check = Check(json.load(file))
    try:
        check.run()
    except Wrong as wrong:
        sys.exit(f"WRONG: {wrong}")
    print(f"OK: {check.deals} deals follow from their seeds")


if __name__ == "__main__":
    main()
