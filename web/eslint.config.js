import js from "@eslint/js";
import reactHooks from "eslint-plugin-react-hooks";
import globals from "globals";
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["**/dist/**", "**/node_modules/**", "**/test-results/**"] },
  js.configs.recommended,
  tseslint.configs.strict,
  reactHooks.configs.flat.recommended,
  {
    languageOptions: { globals: { ...globals.browser, ...globals.node } },
    rules: {
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      // A non-null assertion after a check the compiler cannot follow is clearer than a dead branch.
      "@typescript-eslint/no-non-null-assertion": "off",
      "no-console": ["error", { allow: ["info", "warn", "error"] }],
      // Copies that were just made may lose a member.
      "@typescript-eslint/no-dynamic-delete": "off",
      "react-hooks/exhaustive-deps": "error",
    },
  },
  // Scripts and tests talk to the terminal.
  { files: ["scripts/**", "**/test/**", "**/*.test.*"], rules: { "no-console": "off" } },
  // Components made for a test let the test look inside.
  {
    files: ["**/test/**", "**/*.test.*"],
    rules: { "react-hooks/globals": "off", "react-hooks/immutability": "off" },
  },
);
