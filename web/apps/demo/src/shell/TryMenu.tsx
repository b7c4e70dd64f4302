import { useEffect, useState } from "react";
import { Icon } from "../components/Icon.tsx";
import { Popover } from "../components/Popover.tsx";
import { researchApi } from "../research/api.ts";
import { scenarioHref } from "../research/scenarios.ts";
import type { Scenario } from "../research/types.ts";
import { goAndAsk } from "./arrival.ts";
import { Glyph } from "./Glyph.tsx";

const modes = [
  { mode: "guide", title: "Guide", text: "It does the work, you approve" },
  { mode: "enhance", title: "Enhance", text: "It reads what is on the page" },
] as const;

/** The things to try: each goes where it is about, and asks. */
export function TryMenu() {
  return (
    <Popover
      label="Try this"
      align="end"
      button={(props) => (
        <button {...props} type="button" className="button button-quiet try-button">
          <Glyph name="wand" />
          <span className="bar-text">Try this</span>
        </button>
      )}
    >
      {(close) => <Scenarios close={close} />}
    </Popover>
  );
}

function Scenarios({ close }: { close(): void }) {
  const { scenarios, error } = useScenarios();
  if (error)
    return (
      <p className="settings-text settings-error" role="alert">
        {error}
      </p>
    );
  if (!scenarios)
    return (
      <p className="settings-text muted">
        <Icon name="spinner" size={14} spin /> Loading…
      </p>
    );
  return (
    <div className="scenarios">
      {modes.map(({ mode, title, text }) => (
        <section key={mode} aria-label={title}>
          <h2 className="popover-title">
            {title} <span className="muted scenario-mode">{text}</span>
          </h2>
          <ul>
            {scenarios
              .filter((scenario) => scenario.mode === mode)
              .map((scenario) => (
                <li key={scenario.id}>
                  <ScenarioButton scenario={scenario} close={close} />
                </li>
              ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function ScenarioButton({ scenario, close }: { scenario: Scenario; close(): void }) {
  const { title, text, does } = scenario;
  return (
    <button
      type="button"
      className="scenario"
      title={does}
      onClick={() => {
        close();
        goAndAsk(scenarioHref(scenario), text);
      }}
    >
      <span className="scenario-title">{title}</span>
      <span className="scenario-text">“{text}”</span>
    </button>
  );
}

function useScenarios() {
  const [state, setState] = useState<{ scenarios?: Scenario[]; error?: string }>({});
  useEffect(() => {
    const gone = new AbortController();
    researchApi.scenarios(gone.signal).then(
      (scenarios) => setState({ scenarios }),
      (error: Error) => gone.signal.aborted || setState({ error: error.message }),
    );
    return () => gone.abort();
  }, []);
  return state;
}
