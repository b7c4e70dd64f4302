import { membersOf } from "@pageside/core/messages";
import type { ThreadAllowance } from "@pageside/core";
import { pageAllowancesOf } from "@pageside/core/calls";
import { useSyncExternalStore } from "react";
import { useAssistantContext } from "../../context.js";
import { usePanelLabels } from "../../labels/panels.js";
import { Button } from "../../ui/Button.js";
import { fullToolTitle } from "../../ui/format.js";
import { KeyValues } from "../approvals/later.js";
import { ANY_ARGUMENTS } from "../approvals/question.js";
import { useThreadAllowances } from "./useThreadAllowances.js";

const ROW = { padding: "4px 10px" };

/** The arguments of an allowance. The open ones say that they may have any value. */
function withOpen({ args, openArgs = [] }: ThreadAllowance, anyValue: string): unknown {
  if (openArgs.includes(ANY_ARGUMENTS)) return anyValue;
  return openArgs.length > 0
    ? { ...membersOf(args), ...Object.fromEntries(openArgs.map((name) => [name, anyValue])) }
    : args;
}

/** Lists what runs without asking, on this page or in this conversation, and revokes it. */
export function AllowedTools() {
  const { client } = useAssistantContext("Sees");
  const labels = usePanelLabels();
  const page = pageAllowancesOf(client);
  const allowed = useSyncExternalStore(page.subscribe, page.all, page.all);
  const thread = useThreadAllowances(client);
  const shown = [
    ...allowed.map((each) => ({
      id: `${each.tool} ${each.args}`,
      tool: each.tool,
      args: JSON.parse(each.args),
      lasts: labels.allowedUntil(),
      revoke: () => page.revoke(each),
    })),
    ...thread.all.map((allowance) => ({
      id: allowance.id,
      tool: allowance.tool,
      args: withOpen(allowance, labels.anyValue),
      lasts: labels.allowedUntil(new Date(allowance.expiresAt), allowance.scope),
      revoke: () => thread.revoke(allowance),
    })),
  ];
  if (shown.length === 0 && !thread.failed) return null;
  return (
    <section aria-label={labels.allowedTools}>
      <h3 className="ps-panel-title ps-text-xs">{labels.allowedTools}</h3>
      {thread.failed && (
        <p className="ps-panel-empty ps-card-error" role="alert">
          {labels.allowedFailed}
        </p>
      )}
      <ul>
        {shown.map(({ id, tool, args, lasts, revoke }) => (
          <li key={id} className="ps-queue-head ps-row" style={ROW}>
            <div className="ps-seen-text">
              <span className="ps-seen-title">{fullToolTitle(tool)}</span>
              <KeyValues value={args} whole />
              <span className="ps-seen-facts ps-text-sm">{lasts}</span>
            </div>
            <Button
              aria-label={labels.askAgain(fullToolTitle(tool))}
              onClick={({ currentTarget }) => {
                currentTarget.closest<HTMLElement>("[role=dialog]")?.focus(); // the button goes
                revoke();
              }}
            >
              {labels.askAgain()}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
