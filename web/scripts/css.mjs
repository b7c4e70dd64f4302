// Bundles one style sheet: node scripts/css.mjs <in.css> <out.css>.
import { build } from "esbuild";

const [entry, outfile] = process.argv.slice(2);
await build({ entryPoints: [entry], outfile, bundle: true, minify: true, logLevel: "warning" });
