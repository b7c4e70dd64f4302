import { fileURLToPath } from "node:url";

// Next and React stand in web/clients, the packages in this folder.
const root = fileURLToPath(new URL("..", import.meta.url));

/** @type {import("next").NextConfig} */
export default {
  turbopack: { root },
  outputFileTracingRoot: root,
  rewrites: async () => [{ source: "/v1/:path*", destination: `${process.env.PAGESIDE}/v1/:path*` }],
};
