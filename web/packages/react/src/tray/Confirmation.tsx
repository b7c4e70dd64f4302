import type { ToolCallState } from "@pageside/core";
import { useEffect, useRef } from "react";
import { useAssistantContext } from "../context.js";
import { allowable } from "./allowed.js";
import { ConfirmationCard } from "./ConfirmationCard.js";
import { humanize } from "./format.js";
import { useMessageLabels } from "./messageLabels.js";
import { useAllowances } from "./useAllowances.js";

/** What a tool of the page asks before it runs. */
export function Confirmation({ call, label }: { call: ToolCallState; label?: string }) {
  const { client } = useAssistantContext("Confirmation");
  const labels = useMessageLabels();
  const card = useRef<HTMLDivElement>(null);
  const { id, name, args, confirmation } = call;
  const tool = allowable(client, name);
  const allowances = useAllowances(client);
  const allowed = allowances.isAllowed(tool);
  useEffect(() => {
    if (allowed) client.confirm(id, { approved: true });
  }, [allowed, client, id]);
  if (allowed) return null;
  return (
    <ConfirmationCard
      cardRef={card}
      title={confirmation?.message ?? labels.approvalTitle(label ?? humanize(name))}
      args={args}
      onAnswer={(answer) => {
        card.current?.closest<HTMLElement>("[role=log]")?.focus({ preventScroll: true });
        client.confirm(id, answer);
      }}
      onAlways={tool && (() => allowances.allow(tool))}
    />
  );
}
