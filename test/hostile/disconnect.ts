/** Clients that break off anywhere: in the head, in the body, before the answer, in the middle of it. */
import { createConnection } from "node:net";
import type { Random } from "./Random.ts";
import type { RequestMaker } from "./requests.ts";

const BROKEN_HEADS = [
  "GET",
  "GET / HTTP/9.9\r\n\r\n",
  "POST /v1/chat/completions HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
  "POST /v1/chat/completions HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\n",
  "POST /v1/chat/completions HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
  "POST /v1/messages HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 9999999\r\n\r\n{",
  `GET / HTTP/1.1\r\n${"X-A: b\r\n".repeat(5000)}\r\n`,
  `GET /${"a".repeat(100_000)} HTTP/1.1\r\n\r\n`,
  "\0\0\0\0",
  "\x16\x03\x01\x02\x00\x01\x00\x01\xfc",
];
const WAIT_MS_MAX = 40;

/** Resolves when the connection is gone. */
export async function disconnect(url: string, maker: RequestMaker, random: Random): Promise<void> {
  const text = random.once(8) ? random.pick(BROKEN_HEADS) : wireText(maker);
  const cut = random.once(2) ? text.length : random.below(text.length);
  const waits = random.below(WAIT_MS_MAX);
  const gone = Promise.withResolvers<void>();
  const socket = createConnection({ port: Number(new URL(url).port), host: "127.0.0.1" }, () => {
    socket.write(text.slice(0, cut));
    setTimeout(() => (random.once(2) ? socket.destroy() : socket.resetAndDestroy()), waits);
  });
  socket.on("error", () => {});
  socket.on("close", () => gone.resolve());
  socket.resume();
  await gone.promise;
}

/** One with a long reply, streamed half of the time. */
function wireText(maker: RequestMaker): string {
  let request = maker.next();
  while (typeof request.body !== "string" || request.method !== "POST") request = maker.next();
  const body = request.body.replaceAll(/"(max_\w*tokens|n_predict)":\d/g, '"$1":200');
  const length = Buffer.byteLength(body);
  return (
    `POST ${encodeURI(request.path)} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${length}\r\n\r\n${body}`
  );
}
