import { useEffect, useState } from "react";
import { useAssistantContext } from "../../context.js";
import { lazyPart } from "../../ui/lazyPart.js";
import { watchViolations, type Violation } from "./violations.js";

const PolicyNotice = lazyPart(() => import("./PolicyNotice.js").then((module) => module.PolicyNotice));

/** A line for the first thing that the page's policy blocks. Once dismissed, for the next. */
export function Policy() {
  const { url } = useAssistantContext("AssistantTray").client.identity;
  const [violations, set] = useState<readonly Violation[]>([]);
  useEffect(() => watchViolations(url, (violation) => set((now) => [...now, violation])), [url]);
  const [first, ...rest] = violations;
  return first && <PolicyNotice violation={first} onDismiss={() => set(rest)} />;
}
