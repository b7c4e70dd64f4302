import "@pageside/react/tray.css";
import { AssistantProvider, AssistantTray } from "@pageside/react";
import { createRoot } from "react-dom/client";
import { Tasks } from "./Tasks.js";

createRoot(document.getElementById("root")!).render(
  <AssistantProvider>
    <Tasks />
    <AssistantTray pageName="Tasks" defaultOpen />
  </AssistantProvider>,
);
