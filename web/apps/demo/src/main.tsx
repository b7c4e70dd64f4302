import { AssistantProvider } from "@pageside/react";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "@pageside/react/tray.css";
import "./ui/base.css";
import "./ui/controls.css";
import "./ui/tables.css";
import { Shell } from "./shell/Shell.tsx";
import { restoreTheme } from "./shell/theme.ts";

restoreTheme();
createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <AssistantProvider>
      <Shell />
    </AssistantProvider>
  </StrictMode>,
);
