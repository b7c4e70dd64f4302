import type { ToolRenderProps } from "@pageside/react";
import { Icon, type IconName } from "../components/Icon.tsx";
import "./tool-panel.css";

interface PanelProps {
  tone: "busy" | "good" | "neutral" | "bad";
  message: string;
  description?: string;
  /** The query, or what else was set, as code. */
  code?: string;
}

const icons: Record<PanelProps["tone"], IconName> = { busy: "spinner", good: "check", neutral: "check", bad: "cross" };

/** What a tool of the page did, in a few lines between the messages. */
export function ToolPanel({ tone, message, description, code }: PanelProps) {
  return (
    <div className="tool-panel" data-tone={tone}>
      <div className="tool-panel-line">
        <Icon name={icons[tone]} size={14} spin={tone === "busy"} />
        <span>{message}</span>
      </div>
      {description && <p className="tool-panel-description">{description}</p>}
      {code && <code className="tool-panel-code">{code}</code>}
    </div>
  );
}

interface Outcome {
  success: boolean;
  message?: string;
  error?: string;
  executed?: boolean;
}

/** How a call stands, in the panel's terms. */
export function panelState(
  { status, result, error }: ToolRenderProps<unknown, unknown>,
  words: { busy: string; failed: string },
): Pick<PanelProps, "tone" | "message"> {
  const outcome = isOutcome(result) ? result : undefined;
  if (outcome && !outcome.success) return { tone: "bad", message: outcome.error ?? words.failed };
  if (outcome) return { tone: outcome.executed === false ? "neutral" : "good", message: outcome.message ?? "Done" };
  if (status === "cancelled") return { tone: "bad", message: "Stopped" };
  if (status === "failed" || status === "denied") return { tone: "bad", message: error?.message ?? words.failed };
  if (status === "complete") return { tone: "good", message: "Done" };
  return { tone: "busy", message: words.busy };
}

function isOutcome(value: unknown): value is Outcome {
  return typeof value === "object" && value !== null && "success" in value && typeof value.success === "boolean";
}
