import { defineProject } from "vitest/config";

export default defineProject({
  test: {
    name: "inspector",
    environment: "jsdom",
    include: ["src/**/*.test.ts"],
  },
});
