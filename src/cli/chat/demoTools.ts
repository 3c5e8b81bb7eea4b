/**
 * A few harmless tools for `--tools demo`, so that a tool loop can be seen without anything being set up: made-up
 * weather, sums, and a workspace of three files that exists nowhere else. Same question, same answer.
 */

import type { Tool } from "./ChatTools.ts";
import { calculate } from "./calculate.ts";

const SKIES = ["sunny", "cloudy", "light rain", "clear sky", "fog", "overcast", "snow"] as const;

const FILES: ReadonlyMap<string, string> = new Map([
  ["notes/shopping.txt", "bread, butter, 2 lemons, coffee"],
  ["notes/meeting.md", "date: Tuesday\nroom: 204\ntopic: budget review\nbring: the invoice of March"],
  ["reports/march.csv", "item,amount\nrent,950\ntravel,212\nbooks,64"],
]);

export const DEMO_TOOLS: readonly Tool[] = [
  {
    name: "get_weather",
    description: "The weather in a city now",
    parameters: { city: "name of the city" },
    run: ({ city = "" }) => {
      const number = Bun.hash.crc32(city.trim().toLowerCase());
      return { city, temperature: (number % 34) - 4, sky: SKIES[number % SKIES.length] };
    },
  },
  {
    name: "calculate",
    description: "The value of a sum, such as 12 * (3 + 4)",
    parameters: { expression: "numbers with + - * / % ^ and brackets" },
    run: ({ expression = "" }) => ({ result: calculate(expression) }),
  },
  {
    name: "search_files",
    description: "The files of the workspace whose name or content holds a text; an empty text lists all",
    parameters: { query: "the text" },
    run: ({ query = "" }) => {
      const wanted = query.trim().toLowerCase();
      const holds = ([path, content]: readonly [string, string]): boolean =>
        `${path}\n${content}`.toLowerCase().includes(wanted);
      return { files: [...FILES].filter(holds).map(([path]) => path) };
    },
  },
  {
    name: "read_file",
    description: "The content of a file of the workspace",
    parameters: { path: "path of the file" },
    run: ({ path = "" }) => {
      const content = FILES.get(path.trim());
      if (content === undefined) throw new Error("no such file");
      return { path, content };
    },
  },
];
