// Pageside's tray, as applications draw it.
import { AssistantProvider, createPagesideClient } from "@pageside/react";
import { AssistantTray } from "@pageside/react/tray";
import "@pageside/react/tray.css";
import { createRoot } from "react-dom/client";
import { chat, server } from "./where.js";

const client = createPagesideClient({ url: server, memory: "none" });
client.openThread(chat);

createRoot(document.getElementById("root")).render(
  <AssistantProvider client={client}>
    <AssistantTray defaultOpen />
  </AssistantProvider>,
);
