import type { ToolCallState } from "@pageside/core";
import { useEffect, useRef } from "react";
import { useAssistantContext } from "../../context.js";
import { useMessageLabels } from "../../labels/messages.js";
import { toolTitle } from "../../ui/format.js";
import { toAllowable, useAllowances } from "./allowances.js";
import { ConfirmationCard } from "./ConfirmationCard.js";

/** Asks before a tool of the page runs. */
export function Confirmation({ call, label }: { call: ToolCallState; label?: string }) {
  const { client } = useAssistantContext("Confirmation");
  const labels = useMessageLabels();
  const card = useRef<HTMLDivElement>(null);
  const { id, name, args, confirmation } = call;
  const entry = client.getToolEntries().find((each) => each.name === name);
  const asked = entry && toAllowable(name, entry, args);
  const allowances = useAllowances(client);
  const allowed = allowances.isAllowed(asked);
  useEffect(() => {
    if (allowed) client.confirm(id, { approved: true });
  }, [allowed, client, id]);
  if (allowed) return null;
  const title = label ?? toolTitle(name);
  return (
    <ConfirmationCard
      cardRef={card}
      title={confirmation?.message ?? labels.approvalTitle(title)}
      name={title}
      args={args}
      onAnswer={(answer) => {
        card.current?.closest<HTMLElement>("[role=log]")?.focus({ preventScroll: true });
        client.confirm(id, answer);
      }}
      destructive={entry?.destructive}
      onAlways={asked && ((approved) => allowances.allow(toAllowable(name, entry!, approved)))}
    />
  );
}
