import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "@pageside/react/tray.css";
import "./styles/base.css";
import "./styles/layout.css";
import "./styles/controls.css";
import { restoreTheme } from "./app/theme.ts";
import { Shell } from "./shell/Shell.tsx";

restoreTheme();
createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <Shell />
  </StrictMode>,
);
