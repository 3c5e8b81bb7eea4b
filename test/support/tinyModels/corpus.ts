/** Text that the merges are learnt from: the words of chats, tools and JSON. Own words. */
export const CORPUS = `
You are a helpful assistant that answers questions about the weather, files and code. You may call the tools
that are listed here. The user asks, the assistant thinks, calls a tool, reads what the tool returned, and then
answers in a few words. When the tool fails, say so and try another tool with other arguments. The system prompt
says what the assistant may do and what it may not do. Keep every answer short and exact, and give the reason.
What is the weather in Paris today? The weather in Paris is sunny and the temperature is twenty degrees. Is it
going to rain in London tomorrow? It is going to rain in London in the morning and in the evening. Read the file
and tell me what the function returns. The function returns a string with the name of the city and the country.
Then write the result to another file, run the tests again, and show me the lines that changed in the commit.
I need to look at the file before I can change it, so I will read it first. There are several functions in the
file, and one of them has an error in the loop: the index runs past the end of the array and the value is wrong.
Let me think about this step by step. First we read the request, then we find the state that was kept, and then
we continue from there. The next message of the conversation comes from the user or from a tool. Please search
the web for the latest news about the project and list the ten most important points with their sources.
{"type": "function", "function": {"name": "get_weather", "description": "Returns the weather of a city",
"parameters": {"type": "object", "properties": {"city": {"type": "string", "description": "The name of the city"},
"unit": {"type": "string", "enum": ["celsius", "fahrenheit"]}, "days": {"type": "integer"}}, "required": ["city"]}}}
{"name": "get_weather", "arguments": {"city": "Paris", "unit": "celsius", "days": 3}}
{"type": "function", "function": {"name": "read_file", "description": "Reads a file and returns its lines",
"parameters": {"type": "object", "properties": {"path": {"type": "string"}, "limit": {"type": "integer"}}}}}
{"name": "read_file", "arguments": {"path": "src/main", "limit": 100}}
{"type": "function", "function": {"name": "search", "description": "Searches the web", "parameters": {"type":
"object", "properties": {"query": {"type": "string"}, "count": {"type": "number"}, "exact": {"type": "boolean"}}}}}
{"name": "search", "arguments": {"query": "weather in London", "count": 10, "exact": true}}
{"content": "", "status": "done", "result": [], "error": null, "value": false}
`;
