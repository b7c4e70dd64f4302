import type { TrialForm } from "../types.ts";
import { cleanForm } from "./trial-view.ts";

const phaseLabels: Record<string, string> = {
  EARLY_PHASE1: "Early Phase 1",
  PHASE1: "Phase 1",
  PHASE2: "Phase 2",
  PHASE3: "Phase 3",
  PHASE4: "Phase 4",
  NA: "Not applicable",
};

export const phaseLabel = (phase: string) => phaseLabels[phase] ?? phase;

/** "Not yet recruiting" of NOT_YET_RECRUITING. */
export function statusLabel(status: string): string {
  const words = status.toLowerCase().replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What the form asks for, part by part, in words. */
export function describeForm(form: TrialForm): string[] {
  const { condition, intervention, sponsor, text, startFrom, startTo, phases, statuses } = cleanForm(form);
  const start =
    startFrom && startTo
      ? `${startFrom} to ${startTo}`
      : startFrom
        ? `since ${startFrom}`
        : startTo && `until ${startTo}`;
  const parts: [string, string | undefined][] = [
    ["Condition", condition],
    ["Intervention", intervention],
    ["Phase", phases?.map(phaseLabel).join(" or ")],
    ["Status", statuses?.map(statusLabel).join(" or ")],
    ["Sponsor", sponsor],
    ["Words", text],
    ["Start", start],
  ];
  return parts.flatMap(([label, value]) => (value ? [`${label}: ${value}`] : []));
}
