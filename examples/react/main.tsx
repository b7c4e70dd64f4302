import "@pageside/react/tray.css";
import { AssistantProvider } from "@pageside/react";
import { AssistantTray } from "@pageside/react/tray";
import { createRoot } from "react-dom/client";
import { Tasks } from "./Tasks.js";

createRoot(document.getElementById("root")!).render(
  <AssistantProvider>
    <Tasks />
    <AssistantTray pageName="Tasks" defaultOpen />
  </AssistantProvider>,
);
