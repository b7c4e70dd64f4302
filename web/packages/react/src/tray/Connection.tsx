import type { ThreadSnapshot } from "@pageside/core";
import { useAssistantContext } from "../context.js";
import { AlertIcon, RetryIcon } from "../ui/icons.js";
import { useLabels } from "../labels/useLabels.js";

/** Says that the connection is broken, and offers to try at once. Nothing while it is not. */
export function Connection({ connection }: Pick<ThreadSnapshot, "connection">) {
  const { client } = useAssistantContext("Connection");
  const labels = useLabels();
  if (connection !== "reconnecting" && connection !== "offline") return null;
  return (
    <div className="ps-connection">
      {connection === "offline" ? <AlertIcon /> : <RetryIcon />}
      <span>{labels[connection]}</span>
      <button type="button" className="ps-button ps-ghost" onClick={() => void client.reconnect()}>
        {labels.tryAgain}
      </button>
    </div>
  );
}
