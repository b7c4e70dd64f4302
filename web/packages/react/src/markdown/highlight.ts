import type { LanguageFn } from "highlight.js";
import bash from "highlight.js/lib/languages/bash";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import python from "highlight.js/lib/languages/python";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { createLowlight } from "lowlight";
import { createElement, type ReactNode } from "react";

/** Longer code stays plain: reading it would hold up the page. */
const MAX_LENGTH = 30_000;

/** OpenSearch's Piped Processing Language, enough for highlighting. */
const ppl: LanguageFn = (hljs) => ({
  name: "PPL",
  case_insensitive: true,
  keywords: {
    keyword:
      "source index where fields stats by sort head dedup eval rename parse grok patterns top rare join lookup fillnull " +
      "expand flatten trendline eventstats append as and or not in like between span asc desc case else",
    built_in: "count sum avg min max percentile distinct_count dc stddev_pop var_pop earliest latest if isnull ifnull",
    literal: "true false null",
  },
  contains: [
    hljs.QUOTE_STRING_MODE,
    hljs.APOS_STRING_MODE,
    { scope: "variable", begin: "`", end: "`" },
    hljs.C_NUMBER_MODE,
    hljs.C_LINE_COMMENT_MODE,
    hljs.C_BLOCK_COMMENT_MODE,
    { scope: "operator", begin: /\|/ },
  ],
});

const lowlight = createLowlight({
  bash,
  css,
  diff,
  go,
  java,
  javascript,
  json,
  ppl,
  python,
  sql,
  typescript,
  xml,
  yaml,
});
lowlight.registerAlias({
  bash: ["shell", "console"],
  json: ["jsonc", "json5", "ndjson"],
  sql: ["mysql", "postgresql"],
});

type Node = ReturnType<typeof lowlight.highlight>["children"][number];

/** The code in colours, as React elements; `undefined` where its language is not known. */
export function highlight(code: string, language: string): ReactNode {
  const name = language.toLowerCase();
  if (code.length > MAX_LENGTH || !lowlight.registered(name)) return undefined;
  return lowlight.highlight(name, code, { prefix: "ps-hl-" }).children.map(toReact);
}

function toReact(node: Node, key: number): ReactNode {
  if (node.type === "text") return node.value;
  if (node.type !== "element") return null;
  const { className } = node.properties;
  const names = Array.isArray(className) ? className.filter((name) => String(name).startsWith("ps-")) : [];
  return createElement("span", { key, className: names.join(" ") || undefined }, node.children.map(toReact));
}
