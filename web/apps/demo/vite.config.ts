import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { isolatedStyles, sourceAliases } from "../../vite.shared.ts";

const dist = fileURLToPath(new URL("../../dist", import.meta.url));
const server = process.env.PAGESIDE_URL ?? "http://127.0.0.1:8420";

export default defineConfig(({ command }) => ({
  // Keep the lines after it visible.
  logLevel: command === "build" ? "warn" : "info",
  plugins: [react(), isolatedStyles()],
  resolve: { alias: sourceAliases, dedupe: ["react", "react-dom"] },
  build: {
    outDir: dist,
    reportCompressedSize: false,
    emptyOutDir: true,
    target: "es2022",
    // The server's content security policy allows no data: scripts or styles, and small images are
    // separate files too.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: {
    host: "127.0.0.1",
    port: 5173,
    proxy: Object.fromEntries(["/demo", "/v1", "/healthz"].map((path) => [path, { target: server }])),
  },
}));
