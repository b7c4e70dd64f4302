import type { ThreadAllowance } from "@pageside/core";
import { useAssistantContext } from "../../context.js";
import { usePanelLabels } from "../../labels/panels.js";
import { fullToolTitle } from "../../ui/format.js";
import { useAllowances } from "../approvals/allowances.js";
import { ANY_ARGUMENTS } from "../approvals/AllowanceTerms.js";
import { ArgumentValue } from "../approvals/ReviewedArguments.js";
import { useThreadAllowances } from "./useThreadAllowances.js";

const ROW = { padding: "4px 10px" };

/** The arguments of an allowance. The open ones say that they may have any value. */
function withOpen({ args, openArgs = [] }: ThreadAllowance, anyValue: string): unknown {
  if (openArgs.includes(ANY_ARGUMENTS)) return anyValue;
  return openArgs.length > 0
    ? { ...(args as object), ...Object.fromEntries(openArgs.map((name) => [name, anyValue])) }
    : args;
}

/** Lists what runs without asking, on this page or in this conversation, and revokes it. */
export function AllowedTools() {
  const { client } = useAssistantContext("Sees");
  const labels = usePanelLabels();
  const page = useAllowances(client);
  const thread = useThreadAllowances(client);
  const shown = [
    ...page.all().map((allowed) => ({
      id: `${allowed.tool} ${allowed.args}`,
      tool: allowed.tool,
      args: JSON.parse(allowed.args),
      lasts: labels.allowedInSession,
      revoke: () => page.revoke(allowed),
    })),
    ...thread.all.map((allowance) => ({
      id: allowance.id,
      tool: allowance.tool,
      args: withOpen(allowance, labels.anyValue),
      lasts: labels[allowance.scope === "user" ? "allowedEverywhere" : "allowedInThread"](
        new Date(allowance.expiresAt),
      ),
      revoke: () => thread.revoke(allowance),
    })),
  ];
  if (shown.length === 0 && !thread.failed) return null;
  return (
    <section aria-label={labels.allowedTools}>
      <h3 className="ps-panel-title">{labels.allowedTools}</h3>
      {thread.failed && (
        <p className="ps-panel-empty ps-card-error" role="alert">
          {labels.allowedFailed}
        </p>
      )}
      <ul>
        {shown.map(({ id, tool, args, lasts, revoke }) => (
          <li key={id} className="ps-queue-head" style={ROW}>
            <div className="ps-seen-text">
              <span className="ps-seen-title">{fullToolTitle(tool)}</span>
              <ArgumentValue value={args} />
              <span className="ps-seen-facts">{lasts}</span>
            </div>
            <button
              type="button"
              className="ps-button"
              aria-label={labels.askAgainAbout(fullToolTitle(tool))}
              onClick={({ currentTarget }) => {
                currentTarget.closest<HTMLElement>("[role=dialog]")?.focus(); // the button goes
                revoke();
              }}
            >
              {labels.askAgain}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
