import { rolldown } from "rolldown";
const drop = process.argv.slice(2);
const b = await rolldown({ input: "/tmp/ent/app/main.jsx", external: [/^react/], logLevel: "silent", plugins: [{ name: "x", transform(code, id) { if (!/packages\/(core|react)\/dist/.test(id)) return; let c = code; for (const d of drop) c = c.replace(new RegExp(`import\\("([^"]*${d}[^"]*)"\\)`, "g"), "globalThis.zz('$1')"); return c; } }] });
const { output } = await b.generate({ format: "esm", minify: true });
for (const o of output) if (o.type==="chunk") console.log(o.fileName, o.code.length, o.imports.join(","));
