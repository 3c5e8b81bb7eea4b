/** `/tokenize` and `/detokenize` without HTTP in them. */
import { arrayAt, invalid, objectAt } from "../../chat/fields.ts";
import type { Json } from "../../json/json.ts";
import type { RawPart } from "../../prompt/RawPrompt.ts";
import { parseBody } from "../http/parseBody.ts";
import { detokenise } from "../shared/detokenise.ts";
import { RequestFields } from "../shared/RequestFields.ts";
import { mixedParts, tokenAt } from "../shared/rawPrompts.ts";
import type { ServiceDeps } from "../shared/ServiceDeps.ts";

export interface TokenizeRequest {
  readonly parts: readonly RawPart[];
  readonly addSpecial: boolean;
  readonly withPieces: boolean;
}

export function readTokenizeRequest(body: Json, vocabSize: number, charsMax: number): TokenizeRequest {
  const fields = new RequestFields(objectAt(body, "body"));
  const special = fields.boolean("parse_special", true);
  const content = fields.get("content");
  if (content === undefined) throw invalid("content", "is missing; it must be a string.");
  const parts = mixedParts(content, "content", vocabSize, special);
  const chars = parts.reduce((sum, part) => sum + ("text" in part ? part.text.length : 0), 0);
  if (chars > charsMax) {
    throw invalid("content", `holds ${chars} characters; at most ${charsMax} are allowed.`);
  }
  return {
    parts,
    addSpecial: fields.boolean("add_special", false),
    withPieces: fields.boolean("with_pieces", false),
  };
}

export function tokenized(raw: string, deps: ServiceDeps): object {
  const { sampling, limits, turn, card } = deps;
  const request = readTokenizeRequest(parseBody(raw), sampling.vocab.size, limits.tokenizeCharsMax);
  const { parts, addSpecial, withPieces } = request;
  const [first] = parts;
  const isText = first !== undefined && "text" in first;
  const tokens = [...turn.prompter.rawTokens({ parts, bos: addSpecial && isText, grows: 0 })];
  if (addSpecial && isText && card.eos !== null) tokens.push(card.eos);
  if (!withPieces) return { tokens };
  return { tokens: tokens.map((id) => ({ id, piece: pieceOf(turn.vocab.piece(id)) })) };
}

/** A string where the bytes are one, else the bytes. */
function pieceOf(bytes: Uint8Array): string | number[] {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return [...bytes];
  }
}

export function readDetokenizeRequest(body: Json, vocabSize: number): readonly number[] {
  const fields = new RequestFields(objectAt(body, "body"));
  return arrayAt(fields.get("tokens"), "tokens").map((item, index) =>
    tokenAt(item, `tokens[${index}]`, vocabSize),
  );
}

export function detokenized(raw: string, { sampling, turn }: ServiceDeps): object {
  return { content: detokenise(readDetokenizeRequest(parseBody(raw), sampling.vocab.size), turn.vocab) };
}
