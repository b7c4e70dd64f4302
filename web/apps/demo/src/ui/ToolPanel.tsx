import type { ToolRenderProps } from "@pageside/react";
import type { ReactNode } from "react";
import { Icon } from "./Icon.tsx";

const icons = { busy: "spinner", good: "check", neutral: "minus", bad: "cross" } as const;

interface PanelProps {
  tone: keyof typeof icons;
  message: string;
  description?: string;
  /** The query, or what else was set, as code. */
  code?: string;
  /** At the end of the line: what can be done about it. */
  children?: ReactNode;
}

/** The receipt of what a tool of the page did: one line, which opens if there is more to say. */
export function ToolPanel({ tone, message, description, code, children }: PanelProps) {
  const line = (
    <>
      <Icon name={icons[tone]} size={14} />
      <span className="tool-panel-message" title={tone === "bad" ? undefined : message}>
        {message}
      </span>
    </>
  );
  return (
    <div className="tool-panel" data-tone={tone}>
      {description || code ? (
        <details>
          <summary className="tool-panel-line">
            {line}
            <Icon name="chevronRight" size={12} />
          </summary>
          {description && <p className="tool-panel-description">{description}</p>}
          {code && <code className="tool-panel-code">{code}</code>}
        </details>
      ) : (
        <div className="tool-panel-line">{line}</div>
      )}
      {children}
    </div>
  );
}

/** What a tool of the page answers. */
export type ToolOutcome = { success: true; message?: string; executed?: boolean } | { success: false; error: string };

/** The state of a call, in the panel's terms. */
export function panelState<Args, Result extends ToolOutcome>(
  { status, result, error }: Pick<ToolRenderProps<Args, Result>, "status" | "result" | "error">,
  words: { busy: string; failed: string },
): Pick<PanelProps, "tone" | "message"> {
  if (result && !result.success) return { tone: "bad", message: result.error };
  if (result) return { tone: result.executed === false ? "neutral" : "good", message: result.message ?? "Done" };
  if (status === "cancelled") return { tone: "neutral", message: "Not carried out" };
  if (status === "failed" || status === "denied") return { tone: "bad", message: error?.message ?? words.failed };
  return { tone: "busy", message: words.busy };
}
