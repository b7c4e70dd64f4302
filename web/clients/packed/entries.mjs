// The entries that a program without a page may import: node entries.mjs
import { mockAssistantAction } from "@pageside/context-provider/testing";
import { renderWithAssistant } from "@pageside/testing/react";
import { entries } from "./entries.js";

// `process` has no types here, and tsc is to check these imports.
// eslint-disable-next-line no-console
console.log(
  JSON.stringify({ ...(await entries()), testing: typeof renderWithAssistant, mock: typeof mockAssistantAction }),
);
