/** In which protocols, streamed or whole, talks are played. */
import { PROTOCOLS, type ProtocolName } from "../clients/protocols.ts";
import type { Delivery } from "./ask.ts";
import type { Case } from "./playMatrix.ts";
import type { Talk } from "./talk.ts";

const DELIVERIES: readonly Delivery[] = ["streamed", "whole"];

/**
 * `half`: chat completions both ways; of the others one way a talk, in turns, so that each is played both ways
 * with each habit and each next message.
 */
export function casesOf(talks: readonly Talk[], which: "all" | "half"): readonly Case[] {
  return talks.flatMap((talk, place) =>
    PROTOCOLS.filter((protocol) => hasAxis(protocol, talk)).flatMap((protocol, index) =>
      DELIVERIES.filter(
        (_, way) => which === "all" || protocol === "chat" || (place + index + (place >> 1)) % 2 === way,
      ).map((delivery): Case => ({ talk, protocol, delivery })),
    ),
  );
}

/** Who names the last response by its id sends nothing back: the server has its reasoning. */
function hasAxis(protocol: ProtocolName, { reasoning }: Talk): boolean {
  return protocol !== "responses by id" || reasoning === "kept";
}
