/**
 * A client in a thread of its own. `seenEnd` blocks the server's thread until that client has read the answer
 * to its end: so whoever calls it knows that the bytes were gone before.
 */
export interface BlockedReader extends Disposable {
  /** Starts one request. */
  post(url: string, body: string): void;
  /** False when the end did not come within five seconds. */
  seenEnd(): boolean;
}

const CODE = `
self.onmessage = async ({ data: { url, body, flag } }) => {
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
  await response.text();
  Atomics.store(flag, 0, 1);
  Atomics.notify(flag, 0);
};
postMessage("up");
`;

export async function blockedReader(): Promise<BlockedReader> {
  const flag = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(URL.createObjectURL(new Blob([CODE], { type: "application/javascript" })));
  await new Promise((resolve) => {
    worker.onmessage = resolve;
  });
  return {
    post: (url, body) => worker.postMessage({ url, body, flag }),
    // "not-equal" too: the end may come between any look at the flag and the wait.
    seenEnd: () => Atomics.wait(flag, 0, 0, 5000) !== "timed-out",
    [Symbol.dispose]: () => worker.terminate(),
  };
}
