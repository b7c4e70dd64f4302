import { fileURLToPath } from "node:url";

/** How esbuild makes the inspector, for the build and for the measuring of its size. */
export const bundleOptions = (outdir) => ({
  entryPoints: { inspector: fileURLToPath(new URL("../src/main.ts", import.meta.url)) },
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  outdir,
  entryNames: "[name]-[hash]",
});
