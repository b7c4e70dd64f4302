import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { isolatedStyles, sourceAliases } from "../../../vite.shared.ts";

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), isolatedStyles()],
  resolve: { alias: sourceAliases },
});
