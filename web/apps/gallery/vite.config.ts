import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { isolatedStyles, sourceAliases } from "../../vite.shared.ts";

const page = (name: string) => fileURLToPath(new URL(name, import.meta.url));

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), isolatedStyles()],
  resolve: { alias: sourceAliases, dedupe: ["react", "react-dom"] },
  build: { target: "es2022", minify: false, rollupOptions: { input: [page("index.html"), page("stage.html")] } },
  server: { host: "127.0.0.1", port: 5174 },
});
