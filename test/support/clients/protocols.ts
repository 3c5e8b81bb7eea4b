/** All protocols by name; each call opens one conversation's client. */
import { chatProtocol } from "./chatProtocol.ts";
import { messagesProtocol } from "./messagesProtocol.ts";
import type { Protocol } from "./Protocol.ts";
import { responsesProtocol } from "./responsesProtocol.ts";

export const PROTOCOLS = ["chat", "messages", "responses", "responses by id"] as const;
export type ProtocolName = (typeof PROTOCOLS)[number];

const OPEN: Readonly<Record<ProtocolName, () => Protocol>> = {
  chat: chatProtocol,
  messages: messagesProtocol,
  responses: () => responsesProtocol({ byId: false }),
  "responses by id": () => responsesProtocol({ byId: true }),
};

export function openProtocol(name: ProtocolName): Protocol {
  return OPEN[name]();
}
