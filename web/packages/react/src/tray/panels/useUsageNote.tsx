import type { PagesideClient, TokenUsage, UserLimits } from "@pageside/core";
import { useEffect, useState, type ReactNode } from "react";
import { useAssistantSnapshot } from "../../hooks/useAssistant.js";
import { usePanelLabels } from "../../labels/panels.js";
import type { PanelLabels } from "../../labels/panelEnglish.js";
import { whileMounted } from "../../ui/whileMounted.js";

/**
 * What the conversation used, and how much of the user's limits is used. Undefined where nothing is
 * known and nothing is limited.
 */
export function useUsageNote(client: PagesideClient): ReactNode {
  const labels = usePanelLabels();
  const usage = useAssistantSnapshot((thread) => thread.usage);
  const cost = useAssistantSnapshot((thread) => thread.cost);
  const limits = useLimits(client);
  const used = usageText(labels, usage, cost);
  const shares = limits ? sharesOf(labels, limits) : [];
  if (!used && shares.length === 0) return undefined;
  return (
    <>
      {used && <p>{used}</p>}
      {shares.map(({ text, share }) => (
        <div key={text} className="ps-quota">
          <p className={share < 1 ? undefined : "ps-over"}>{text}</p>
          <div className="ps-bar">
            <span style={{ inlineSize: `${Math.min(1, share) * 100}%` }} />
          </div>
        </div>
      ))}
    </>
  );
}

/** The tokens that all models used, and their cost; undefined if no count is known. */
function usageText(labels: PanelLabels, usage: readonly TokenUsage[] = [], cost?: number): string | undefined {
  const sum = (name: "inputTokens" | "cachedInputTokens" | "outputTokens") =>
    usage.reduce((total, { [name]: count = 0 }) => total + count, 0);
  const [input, output] = [sum("inputTokens"), sum("outputTokens")];
  return input + output > 0 ? labels.usage(input, sum("cachedInputTokens"), output, cost) : undefined;
}

/** How much is used or held of each quota and, while there are any, of the runs at once. */
function sharesOf(labels: PanelLabels, { runs, quotas }: UserLimits) {
  const now = new Date();
  const shares = quotas.map(({ scope, unit, used, held, limit, resetsAt }) => ({
    text: labels.quota({ scope, unit, used: used + held, limit, resetsAt: new Date(resetsAt) }, now),
    share: (used + held) / limit,
  }));
  const { used, limit } = runs;
  return limit && used > 0 ? [...shares, { text: labels.runsAtOnce(used, limit), share: used / limit }] : shares;
}

/** The user's limits, read whenever a run begins or ends. Undefined where they cannot be read. */
function useLimits(client: PagesideClient): UserLimits | undefined {
  const status = useAssistantSnapshot((thread) => thread.status);
  const [limits, setLimits] = useState<UserLimits>();
  useEffect(() => whileMounted(client.limits(), setLimits, () => setLimits(undefined)), [client, status]);
  return limits;
}
