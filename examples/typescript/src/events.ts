/** One server-sent event. */
export interface ServerSentEvent {
  readonly id: string;
  readonly name: string;
  readonly data: string;
}

/** The events of an answer, however they are cut into chunks; `alive` is called whenever anything comes. */
export async function* events(body: ReadableStream<Uint8Array>, alive: () => void): AsyncGenerator<ServerSentEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let fields: Record<string, string> = {};
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    alive();
    const lines = (text + decoder.decode(value, { stream: true })).split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) {
      const colon = line.indexOf(":");
      if (line === "") {
        if (fields["data"] !== undefined) {
          yield { id: fields["id"] ?? "", name: fields["event"] ?? "message", data: fields["data"] };
        }
        fields = {};
      } else if (colon > 0) {
        // A line that begins with a colon is a comment, which keeps the connection open.
        fields[line.slice(0, colon)] = line.slice(colon + 1).trimStart();
      }
    }
  }
}
