/** Cases whose result is another than llama.cpp's because we chose so, by the case's id. */
export const REASONS: Readonly<Record<string, string>> = {
  "70ff5f40":
    "A tag of reasoning that the model opens again, behind the prompt's own, is a tag and no thought.",
  b6a692d9:
    "With a schema the grammar lets no fence be written; what is written without one is the answer as it is.",
  "6a2f4dc8":
    "With a schema the grammar lets no fence be written; what is written without one is the answer as it is.",
  e33e1686: "A call is told once its arguments begin: until then it may turn out to be none.",
  "5abd306b": "A call is told once its arguments begin: until then it may turn out to be none.",
  "223413a3":
    "A value that is a text or an object, written as tags, is the object; llama.cpp gives the tags as text.",
  a6ea594b: "The words that open the reasoning stand in the prompt: they are no part of it.",
  e9bb9e33: "The words that open the reasoning stand in the prompt: they are no part of it.",
  "46a001e6": "What is addressed to a tool that nobody gave is told as reasoning; llama.cpp drops it.",
  "5abc6c9d": "What is addressed to a tool that nobody gave is told as reasoning; llama.cpp drops it.",
};
