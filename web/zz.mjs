import { build } from "vite";
import react from "@vitejs/plugin-react";
import { gzipSync } from "node:zlib";
const verbose = process.argv[2];
const out = await build({ root: "/tmp/ent/app", configFile: false, logLevel: "error", plugins: [react()],
  resolve: { preserveSymlinks: false, dedupe: ["react", "react-dom"] },
  build: { write: false, minify: true, rollupOptions: { output: { codeSplitting: { groups: [{ name: "react", test: /node_modules\/(react|react-dom|scheduler)\// }] } } } } });
let total = 0, raw=0;
const gz = (c) => gzipSync(Buffer.from(c), { level: 9 }).length;
for (const o of out.output.filter((o) => o.type === "chunk").sort((a, b) => b.code.length - a.code.length)) {
  const n = gz(o.code);
  if (!/^assets\/react-/.test(o.fileName)) total += n;
  console.log(String((n / 1024).toFixed(2)).padStart(7), o.fileName, o.isEntry ? "ENTRY" : "", "<-", o.imports.map((i) => i.replace("assets/", "")).join(" "));
  if (verbose) for (const [m, { renderedLength, renderedExports }] of Object.entries(o.modules).sort((a, b) => b[1].renderedLength - a[1].renderedLength).slice(0, +verbose)) console.log("           ", renderedLength, m.replace(/.*\/web\//, ""));
}
console.log((total / 1024).toFixed(2), out.output.length);
