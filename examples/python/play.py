"""Two guests play a whole game of remik: `python play.py [HOST:PORT]`."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor

from client import Remik
from stubs import game_pb2 as game
from stubs import game_service_pb2 as api
from stubs import legal_moves_pb2 as steps

RANKS = "A23456789TJQK"


def play(me: Remik, game_id: str) -> game.GameView:
    """Follows a game and plays its own turns until it is over."""
    seen = 0
    for item in me.watch(game_id):
        kind = item.WhichOneof("item")
        # A move that this player has made himself is known from its answer.
        if kind == "heartbeat" or (kind == "move" and item.version <= seen):
            continue
        view = me.look("GetGame", game_id, item.version).view
        if is_my_turn(view):
            view = take_turn(me, view)
        elif view.state in (game.GAME_STATE_WAITING, game.GAME_STATE_BETWEEN_DEALS):
            if not view.seats[view.your_seat].ready:
                view = me.command("Ready", view)
        if view.state == game.GAME_STATE_OVER:
            return view
        seen = view.version
    raise AssertionError("a watch has no end")


def is_my_turn(view: game.GameView) -> bool:
    return view.state == game.GAME_STATE_PLAYING and view.deal.turn.seat == view.your_seat


def take_turn(me: Remik, view: game.GameView) -> game.GameView:
    """Draws, lays what can be laid, and discards the dearest card that no meld needs."""
    moves = me.look("GetLegalMoves", view.game_id, view.version).moves
    if moves.draws:
        stock = steps.DRAW_SOURCE_STOCK
        view = me.command("Draw", view, source=stock if stock in moves.draws else moves.draws[0])
    while is_my_turn(view):
        best = me.look("SuggestMelds", view.game_id, view.version).suggestions
        lay_off = next((one for one in best.lay_offs if one.playable), None)
        if best.playable:
            view = me.command("Meld", view, melds=[one.meld for one in best.melds])
        elif lay_off:
            view = me.command("LayOff", view, meld_id=lay_off.meld_id, cards=lay_off.cards, end=lay_off.end)
        else:
            needed = {card.split("=")[0] for one in best.melds for card in one.meld.cards}
            discards = me.look("GetLegalMoves", view.game_id, view.version).moves.discards
            spare = [card for card in discards if card not in needed] or discards
            view = me.command("Discard", view, card=max(spare, key=worth))
    return view


def worth(card: str) -> int:
    """How gladly a card is thrown away: jokers last."""
    return -1 if card.startswith("X") else RANKS.index(card[0])


def main() -> None:
    target = sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:8080"
    players = [Remik(target), Remik(target)]
    for player, name in zip(players, ["Ala", "Ola"]):
        player.sign_in_as_guest(name)
    rules = {"end": {"deals": 1}}
    game_id = players[0].create_game(preset="remik-51", seats=2, overrides=rules).game_id
    players[1].join_game(game_id)
    with ThreadPoolExecutor() as threads:
        ends = list(threads.map(lambda player: play(player, game_id), players))
    totals = [seat.total for seat in ends[0].seats]
    print(json.dumps({"gameId": game_id, "places": list(ends[0].result.places), "totals": totals}))


if __name__ == "__main__":
    main()
