import { randomUUID } from "node:crypto";

import type { components, paths } from "./api.js";
import { events } from "./events.js";

type Schemas = components["schemas"];

/** A message of the API, such as `Schema<"GameView">`. */
export type Schema<Name extends string> = `remik.v1.${Name}` extends keyof Schemas
  ? Schemas[`remik.v1.${Name}`]
  : never;

export type View = Schema<"GameView">;

/** The body that a path takes. */
type Body<Path> = Path extends keyof paths
  ? paths[Path] extends { post: { requestBody?: { content: { "application/json": infer Json } } } }
    ? Json
    : never
  : never;

/** The commands at a table. */
export type Verb = "leave" | "ready" | "draw" | "meld" | "layOff" | "swapJoker" | "discard" | "undo";
type Command<V extends Verb> = Omit<Body<`/v1/games/{game_id}:${V}`>, "requestId" | "knownVersion">;

interface Detail {
  readonly "@type": string;
  readonly reason?: string;
  readonly metadata?: Record<string, string>;
  readonly message?: string;
  readonly retryDelay?: string;
}

/** `google.rpc.Status`, as errors have it. */
interface Status {
  readonly code: number;
  readonly message: string;
  readonly details?: readonly Detail[];
}

/** The service refuses a call: `text` is for the player, `reason` and `metadata` are for the program. */
export class Refused extends Error {
  readonly reason: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly text: string;
  /** When to try again, in milliseconds; undefined where that doesn't help. */
  readonly retryAfter: number | undefined;

  constructor(status: Status) {
    super(status.message);
    const detail = (type: string) => status.details?.find((one) => one["@type"].endsWith(`google.rpc.${type}`));
    this.reason = detail("ErrorInfo")?.reason ?? "";
    this.metadata = detail("ErrorInfo")?.metadata ?? {};
    this.text = detail("LocalizedMessage")?.message ?? status.message;
    const delay = detail("RetryInfo")?.retryDelay;
    this.retryAfter = delay === undefined ? undefined : Number.parseFloat(delay) * 1000;
  }
}

/** How long to wait before the next try: the service's wish at least, then ever longer, and never in step. */
class Patience {
  #tries = 0;

  /** Rethrows what no try can mend, or after too many of them. */
  async wait(error: unknown): Promise<void> {
    this.#tries += 1;
    const refused = error instanceof Refused;
    if ((refused && error.retryAfter === undefined) || this.#tries === 8) throw error;
    const longest = Math.min(100 * 2 ** this.#tries, 10_000);
    const time = ((refused && error.retryAfter) || 0) + Math.random() * longest;
    await new Promise((done) => setTimeout(done, time));
  }
}

/** No answer comes later, in milliseconds; a stream isn't silent for longer. */
const ANSWER = 10_000;
const SILENCE = 40_000;

/** The service as one player uses it. */
export class Remik {
  #token = "";

  constructor(
    readonly url: string,
    readonly language = "pl",
  ) {}

  /** Makes a guest. The token is told this once: keep it as long as you want to be this player. */
  async signInAsGuest(displayName: string): Promise<void> {
    const made: Schema<"CreateGuestResponse"> = await this.#call("POST", "/v1/guests", { displayName });
    this.#token = made.token ?? "";
  }

  /** Opens a table and takes its first seat. */
  async createGame(rules: Omit<Body<"/v1/games">, "requestId">): Promise<View> {
    return this.#command("/v1/games", rules);
  }

  async joinGame(gameId: string): Promise<View> {
    return this.#command(`/v1/games/${gameId}:join`, {});
  }

  /** Gives a command at the table as it is seen, and returns the table after it. */
  async command<V extends Verb>(verb: V, view: View, body: Command<V>): Promise<View> {
    return this.#command(`/v1/games/${view.gameId}:${verb}`, { ...body, knownVersion: view.version });
  }

  /** A game, as it is after a move at least. */
  async game(gameId: string, version: number): Promise<View> {
    const path = `/v1/games/${gameId}?atLeastVersion=${version}`;
    const answer: Schema<"GetGameResponse"> = await this.#call("GET", path);
    return answer.view!;
  }

  async legalMoves(view: View): Promise<Schema<"LegalMoves">> {
    const path = `/v1/games/${view.gameId}/legalMoves?atLeastVersion=${view.version}`;
    const answer: Schema<"GetLegalMovesResponse"> = await this.#call("GET", path);
    return answer.moves!;
  }

  async suggestions(view: View): Promise<Schema<"MeldSuggestions">> {
    const path = `/v1/games/${view.gameId}/suggestions?atLeastVersion=${view.version}`;
    const answer: Schema<"SuggestMeldsResponse"> = await this.#call("GET", path);
    return answer.suggestions!;
  }

  /** A snapshot, then every move, without end: after a break it goes on behind the last one. */
  async *watch(gameId: string): AsyncGenerator<Schema<"WatchGameResponse">> {
    let last: string | undefined;
    let patience = new Patience();
    for (;;) {
      const stop = new AbortController();
      let timer = setTimeout(() => stop.abort(), ANSWER);
      const alive = () => {
        clearTimeout(timer);
        timer = setTimeout(() => stop.abort(), SILENCE);
      };
      try {
        const headers = { accept: "text/event-stream", ...(last !== undefined && { "last-event-id": last }) };
        const response = await this.#fetch(`/v1/games/${gameId}:watch`, { headers, signal: stop.signal });
        if (response.body === null) throw new Error("no stream");
        for await (const event of events(response.body, alive)) {
          if (event.name === "status") throw new Refused(JSON.parse(event.data));
          last = event.id;
          patience = new Patience();
          yield JSON.parse(event.data);
        }
        throw new Error("the stream broke off");
      } catch (error) {
        await patience.wait(error);
      } finally {
        clearTimeout(timer);
        stop.abort();
      }
    }
  }

  async #command(path: string, body: object): Promise<View> {
    const answer: { view?: View } = await this.#call("POST", path, { ...body, requestId: randomUUID() });
    return answer.view!;
  }

  /** Sends a request until there is an answer. It has one request id, so that it counts once. */
  async #call<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const patience = new Patience();
    for (;;) {
      try {
        const signal = AbortSignal.timeout(ANSWER);
        const response = await this.#fetch(path, { method, signal, ...(body && { body: JSON.stringify(body) }) });
        return (await response.json()) as Answer;
      } catch (error) {
        await patience.wait(error);
      }
    }
  }

  async #fetch(path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set("accept-language", this.language);
    if (init.body) headers.set("content-type", "application/json");
    if (this.#token !== "") headers.set("authorization", `Bearer ${this.#token}`);
    const response = await fetch(this.url + path, { ...init, headers });
    if (response.ok) return response;
    const { error } = (await response.json()) as { error: Status };
    throw new Refused(error);
  }
}
