// What the address says: the server and the chat.
const query = new URLSearchParams(location.search);
export const server = query.get("server");
export const chat = query.get("chat");
