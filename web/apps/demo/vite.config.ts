import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { isolatedStyles, sourceAliases } from "../../vite.shared.ts";

const dist = fileURLToPath(new URL("../../dist", import.meta.url));
const server = process.env.PAGESIDE_URL ?? "http://127.0.0.1:8420";

/**
 * Empties the output folder but for the placeholder that a Go build without npm embeds. Vite's own
 * emptying would take it too.
 */
function cleanKeepingPlaceholder(folder: string): Plugin {
  return {
    name: "clean-keeping-placeholder",
    apply: "build",
    async buildStart() {
      await mkdir(folder, { recursive: true });
      const old = (await readdir(folder)).filter((name) => name !== "placeholder.html");
      await Promise.all(old.map((name) => rm(join(folder, name), { recursive: true })));
    },
  };
}

export default defineConfig(({ command }) => ({
  // Keep the lines after it visible.
  logLevel: command === "build" ? "warn" : "info",
  plugins: [react(), isolatedStyles(), cleanKeepingPlaceholder(dist)],
  resolve: { alias: sourceAliases, dedupe: ["react", "react-dom"] },
  build: {
    outDir: dist,
    reportCompressedSize: false,
    emptyOutDir: false,
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
