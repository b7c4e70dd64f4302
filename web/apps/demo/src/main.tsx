import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "@pageside/react/tray.css";
import "./styles/base.css";
import "./styles/layout.css";
import "./styles/controls.css";
import { App } from "./app/App.tsx";
import { restoreTheme } from "./app/theme.ts";

restoreTheme();
createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
