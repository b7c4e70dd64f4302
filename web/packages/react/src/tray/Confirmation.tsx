import type { Approval, Json, ToolCallState } from "@pageside/core";
import { useEffect, useId, useRef } from "react";
import { useAssistantContext } from "../context.js";
import { allowInThread, isAllowedInThread } from "./allowed.js";
import { ApprovalForm } from "./ApprovalForm.js";
import { humanize } from "./format.js";
import { useMessageLabels } from "./messageLabels.js";

/** What a tool of the page asks before it runs: the same card as for the approval of a backend tool. */
export function Confirmation({ call, label }: { call: ToolCallState; label?: string }) {
  const { client } = useAssistantContext("Confirmation");
  const labels = useMessageLabels();
  const card = useRef<HTMLDivElement>(null);
  const titleId = useId();
  const { id, name, args, confirmation } = call;
  const allowed = isAllowedInThread(client, name);
  useEffect(() => {
    if (allowed) client.confirm(id, { approved: true });
  }, [allowed, client, id]);
  if (allowed) return null;

  const answer = (approval: Json) => {
    card.current?.closest<HTMLElement>("[role=log]")?.focus({ preventScroll: true });
    client.confirm(id, approval as unknown as Approval);
  };
  return (
    <div ref={card} className="ps-card ps-interrupt" role="group" aria-labelledby={titleId}>
      <p className="ps-card-title" id={titleId} dir="auto">
        {confirmation?.message ?? labels.approvalTitle(label ?? humanize(name))}
      </p>
      <ApprovalForm
        schema={undefined}
        args={args}
        expired={false}
        onRespond={answer}
        onCancel={() => answer({ approved: false })}
        onAlways={() => allowInThread(client, name)}
      />
    </div>
  );
}
