// The native TypeScript compiler, which takes a fifth of the time. The other one stays for the
// tools that are written on its API. By its path, since both have a command called tsc:
//   node scripts/tsc.mjs -p tsconfig.json
import "../node_modules/typescript-7/lib/tsc.js";
