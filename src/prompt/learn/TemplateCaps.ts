/** What a template can read, found by trials when it is loaded (`learnCaps`); what the host goes by. */

export interface ThinkingName {
  readonly name: string;
  readonly on: string;
  readonly off: string;
  /** It has a third word, and where it is not set a default that is not `on`: that is the model's own way to think. */
  readonly ownDefault: boolean;
}

export interface TemplateCaps {
  readonly arguments: "object" | "string";
  /** Whether arguments that are no JSON object may be handed over as the string they are. */
  readonly rawArguments: boolean;
  /** What stands for "no text" beside calls. */
  readonly emptyContent: "" | null;
  /** Content as a string, or as a list of text parts where the template reads nothing else. */
  readonly content: "text" | "parts";
  /** Whether the template has a system role; else system text goes in front of the first user message. */
  readonly systemRole: boolean;
  /** Whether a system message behind the first user message is printed where it stands. */
  readonly systemAnywhere: boolean;
  /** Whether tool results are printed; else they become text of the user's. */
  readonly toolRole: boolean;
  /** Whether a result is printed whose call is not in the history; else it becomes text of the user's. */
  readonly orphanResults: boolean;
  /** Whether calls are printed; else the host writes them into the assistant's text. */
  readonly calls: "rendered" | "written";
  /** A few templates refuse a message with two calls; it is then split, each call beside its result. */
  readonly callsAtOnce: "many" | "one";
  /** Whether two messages of one role may follow each other; else they are joined. */
  readonly repeatedRoles: boolean;
  /**
   * User text behind a tool result: in a message of its own; joined to the result where that would be refused (and
   * behind a call without a result, it is the result); or joined only where the client sent both in one message,
   * because a message of its own rewrites the turn.
   */
  readonly userAfterResult: "message" | "joined" | "joined if beside";
  /** Whether it refuses a conversation that begins with the assistant; an empty user message then stands in front. */
  readonly userFirst: boolean;
  /** Whether it refuses a conversation without a user message; an empty one then stands behind the system's. */
  readonly userNeeded: boolean;
  readonly callIds: "as-sent" | "nine-alphanumerics";
  /** Under which name it reads reasoning; `block` is a part of the content, `{"type": "thinking"}`. */
  readonly reasoningField: "reasoning_content" | "thinking" | "reasoning" | "block";
  /** An empty list is not the same as none to many templates; a few fail without one. */
  readonly noTools: "omitted" | "empty list";
  /** gpt-oss raises where a message has text and thinking and calls. */
  readonly textBesideThinkingAndCalls: boolean;
  /** `functions`: it wants tools as text under that name, and the date as `datetime`. */
  readonly variables: "usual" | "functions";
  /** Values of `reasoning_effort` that it takes; empty where it takes all, or reads none. */
  readonly efforts: readonly string[];
  /** Other names for `enable_thinking`, with the words that the template compares them to. */
  readonly thinkingNames: readonly ThinkingName[];
}

export const USUAL_CAPS: TemplateCaps = {
  arguments: "object",
  rawArguments: true,
  emptyContent: "",
  content: "text",
  systemRole: true,
  systemAnywhere: true,
  toolRole: true,
  orphanResults: true,
  calls: "rendered",
  callsAtOnce: "many",
  repeatedRoles: true,
  userAfterResult: "message",
  userFirst: false,
  userNeeded: false,
  callIds: "as-sent",
  reasoningField: "reasoning_content",
  noTools: "omitted",
  textBesideThinkingAndCalls: true,
  variables: "usual",
  efforts: [],
  thinkingNames: [],
};
