import { Icon } from "../components/Icon.tsx";
import "./tool-panel.css";

interface StepsProps {
  steps: readonly { id: string; label: string }[];
  /** The step that is going on; all before it are done. The number of steps when all are. */
  at: number;
  failed?: boolean;
}

/** The steps of something that takes several, and how far it is. */
export function Steps({ steps, at, failed = false }: StepsProps) {
  return (
    <ol className="steps">
      {steps.map(({ id, label }, index) => {
        const state = index < at ? "done" : index > at ? "waiting" : failed ? "failed" : "busy";
        return (
          <li key={id} data-state={state} aria-current={state === "busy" ? "step" : undefined}>
            <span className="step-mark">
              {state === "done" && <Icon name="check" size={12} />}
              {state === "busy" && <Icon name="spinner" size={12} spin />}
              {state === "failed" && <Icon name="cross" size={12} />}
              {state === "waiting" && index + 1}
            </span>
            <span>{label}</span>
          </li>
        );
      })}
    </ol>
  );
}
