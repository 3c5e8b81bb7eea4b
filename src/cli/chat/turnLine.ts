/** What a reply took, in one line below it. */
import { plainNumber, timeText } from "../amounts.ts";
import type { ReplyReport } from "./wireMessages.ts";

export function turnLine(report: ReplyReport): string {
  const { warmturn, promptTokens, cachedTokens, firstTokenMs, replyTokens, tokensPerSecond } = report;
  const parts: string[] = [];
  if (warmturn !== null) {
    parts.push(`resumed ${plainNumber(warmturn.resumed)}`, `warmed ${plainNumber(warmturn.warmed)}`);
    parts.push(`prefilled ${plainNumber(warmturn.prefilled)}`);
  } else if (promptTokens !== null) {
    parts.push(`prompt ${plainNumber(promptTokens)}`);
    if (cachedTokens !== null) parts.push(`cached ${plainNumber(cachedTokens)}`);
  }
  if (firstTokenMs !== null) parts.push(`first token ${timeText(firstTokenMs)}`);
  if (replyTokens !== null) {
    const rate = tokensPerSecond === null ? "" : `, ${plainNumber(Math.round(tokensPerSecond))} a second`;
    parts.push(`reply ${plainNumber(replyTokens)}${rate}`);
  }
  return parts.join(" · ");
}
