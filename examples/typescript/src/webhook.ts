/** Receives a webhook's events: `webhook PORT SECRET` prints each once, after its signature was checked. */

import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

/** How old a signature may be, in seconds: an older one was perhaps recorded and sent again by somebody else. */
const TOLERANCE = 300;

/** Whether the header `remik-signature` is by the secret. While a secret is rotated it has several `v1`. */
export function isGenuine(secret: string, signature: string, body: Buffer, now: number): boolean {
  const parts = signature.split(",").map((part) => part.split("="));
  const times = parts.filter(([name]) => name === "t").map(([, value]) => value ?? "");
  const [time] = times;
  if (time === undefined || times.length !== 1 || !/^\d+$/.test(time)) return false;
  if (Math.abs(now - Number(time)) > TOLERANCE) return false;
  const expected = createHmac("sha256", secret).update(`${time}.`).update(body).digest();
  return parts.some(([name, value]) => {
    const given = Buffer.from(value ?? "", "hex");
    return name === "v1" && given.length === expected.length && timingSafeEqual(given, expected);
  });
}

const [port, secret] = process.argv.slice(2);
if (port === undefined || secret === undefined) throw new Error("webhook PORT SECRET");

// A real one keeps these in its database, in the transaction of what it does about the event.
const seen = new Set<string>();

createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const body = Buffer.concat(chunks);
    const signature = request.headers["remik-signature"];
    if (typeof signature !== "string" || !isGenuine(secret, signature, body, Date.now() / 1000)) {
      response.writeHead(400).end();
      return;
    }
    const event = JSON.parse(body.toString()) as { deliveryId: string };
    // What was answered but not heard comes again.
    if (!seen.has(event.deliveryId)) {
      seen.add(event.deliveryId);
      console.log(JSON.stringify(event));
    }
    response.writeHead(204).end();
  });
}).listen(Number(port), "127.0.0.1");
