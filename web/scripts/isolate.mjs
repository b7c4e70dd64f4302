/**
 * Makes the tray's style sheet hold against a page's own. The sources stand in the cascade layer
 * `pageside` and weigh nothing, which is easy to write and to check; every rule of a page that is
 * in no layer would win over them. What is shipped is in no layer, and each selector weighs as much
 * as two ids, in the same order as before. The variables (`pageside.tokens`) stay where they are,
 * so that a page sets them with one class. See docs/adr/0007.
 *
 * What is dark by choice is dark as well where `auto` follows a dark system.
 */
const LAYER = /@layer pageside\s*\{/g;
const DARK = /:where\(\.ps-root\[data-theme="?dark"?\]\)\s*(\{[^}]*\})/g;
const AUTO = "@media (prefers-color-scheme: dark){:where(.ps-root[data-theme=auto])$1}";
const ROOTED = /(?<!#ps-\)):where\(\s*\.ps-root/g;

/** @param {string} css @returns {string} */
export function isolate(css) {
  const themed = css.replace(DARK, `$&${AUTO}`);
  return themed.replace(LAYER, "@media all{").replace(ROOTED, ":not(#ps-#ps-):where(.ps-root");
}
