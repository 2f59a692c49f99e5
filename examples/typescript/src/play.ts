/** Two guests play a whole game of remik: `npm start -- [URL]`. */
import { Remik, type Schema, type View } from "./client.js";

/** Follows a game and plays its own turns until it is over. */
async function play(me: Remik, gameId: string): Promise<View> {
  let seen = 0;
  for await (const item of me.watch(gameId)) {
    const version = item.version ?? 0;
    // A move that this player has made himself is known from its answer.
    if (item.heartbeat || (item.move && version <= seen)) continue;
    let view = await me.game(gameId, version);
    if (isMyTurn(view)) {
      view = await takeTurn(me, view);
    } else if (view.state === "GAME_STATE_WAITING" || view.state === "GAME_STATE_BETWEEN_DEALS") {
      const mine = view.seats?.[view.yourSeat ?? -1];
      if (!mine?.ready) view = await me.command("ready", view, {});
    }
    if (view.state === "GAME_STATE_OVER") return view;
    seen = view.version ?? 0;
  }
  throw new Error("a watch has no end");
}

function isMyTurn(view: View): boolean {
  return view.state === "GAME_STATE_PLAYING" && view.deal?.turn?.seat === view.yourSeat;
}

/** Draws, lays what can be laid, and discards the dearest card that no meld needs. */
async function takeTurn(me: Remik, view: View): Promise<View> {
  const draws = (await me.legalMoves(view)).draws ?? [];
  const source = draws.find((one) => one === "DRAW_SOURCE_STOCK") ?? draws[0];
  if (source) view = await me.command("draw", view, { source });
  while (isMyTurn(view)) {
    const best = await me.suggestions(view);
    const layOff = best.layOffs?.find((one) => one.playable);
    if (best.playable) {
      view = await me.command("meld", view, { melds: melds(best) });
    } else if (layOff) {
      const { meldId = "", cards = [], end } = layOff;
      view = await me.command("layOff", view, { meldId, cards, ...(end && { end }) });
    } else {
      const needed = new Set(melds(best).flatMap((meld) => meld.cards.map((card) => card.split("=")[0])));
      const discards = (await me.legalMoves(view)).discards ?? [];
      const spare = discards.filter((card) => !needed.has(card));
      const [card = ""] = (spare.length > 0 ? spare : discards).sort((one, other) => worth(other) - worth(one));
      view = await me.command("discard", view, { card });
    }
  }
  return view;
}

function melds(best: Schema<"MeldSuggestions">): Schema<"NewMeld">[] {
  return (best.melds ?? []).flatMap((one) => one.meld ?? []);
}

/** How gladly a card is thrown away: jokers last. */
function worth(card: string): number {
  return card.startsWith("X") ? -1 : "A23456789TJQK".indexOf(card.charAt(0));
}

const url = process.argv[2] ?? "http://127.0.0.1:8080";
const [ala, ola] = [new Remik(url), new Remik(url)];
await ala.signInAsGuest("Ala");
await ola.signInAsGuest("Ola");
const table = await ala.createGame({ preset: "remik-51", seats: 2, overrides: { end: { deals: 1 } } });
const gameId = table.gameId ?? "";
await ola.joinGame(gameId);
const [view] = await Promise.all([play(ala, gameId), play(ola, gameId)]);
const totals = view.seats?.map((seat) => seat.total);
console.log(JSON.stringify({ gameId, places: view.result?.places, totals }));
