import { rolldown } from "rolldown";
const b = await rolldown({ input: "/tmp/ent/t/e.js" });
const { output } = await b.generate({ format: "esm" });
for (const o of output) console.log(o.fileName, Object.keys(o.modules).map((m) => m.split("/").at(-1)).join(","), "<-", o.imports.join(","));
