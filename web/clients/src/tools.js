// What the pages of all front ends have: where Pageside is and which chat is shown, and a tool.
export const params = new URLSearchParams(location.search);
export const server = params.get("server");
export const chat = params.get("chat");

/** What the server has of the chat: a page that is loaded for the first time begins one. */
export async function load(path) {
  if (performance.getEntriesByType("navigation")[0].type !== "reload") return undefined;
  const response = await fetch(server + path);
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

export const colour = {
  type: "object",
  properties: { colour: { type: "string" } },
  required: ["colour"],
};

/** The tool of the page: what it does can be seen. */
export function paint({ colour }) {
  document.body.style.backgroundColor = colour;
  return `painted ${colour}`;
}
