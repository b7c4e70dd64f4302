import { researchApi } from "../research/api.ts";
import { scenarioHref } from "../research/scenarios.ts";
import { Popover } from "../ui/Popover.tsx";
import { useLoad } from "../ui/hooks.ts";
import { goAndAsk } from "./arrival.ts";

const modes = [
  { mode: "guide", title: "Guide", text: "It does the work, you approve" },
  { mode: "enhance", title: "Enhance", text: "It reads what is on the page" },
];

/** The things to try: each goes to the page it is about, and asks. */
export function TryMenu() {
  return (
    <Popover
      label="Try this"
      align="end"
      className="button button-quiet try-button"
      icon="wand"
      text={<span className="bar-text">Try this</span>}
    >
      {(close) => <Scenarios close={close} />}
    </Popover>
  );
}

function Scenarios({ close }: { close(): void }) {
  const { data = [] } = useLoad("scenarios", researchApi.scenarios);
  return (
    <div className="scenarios">
      {modes.map(({ mode, title, text }) => (
        <section key={mode} aria-label={title}>
          <h2 className="popover-title">
            {title} <span className="muted">{text}</span>
          </h2>
          {data
            .filter((scenario) => scenario.mode === mode)
            .map((scenario) => (
              <button
                key={scenario.id}
                type="button"
                className="scenario"
                title={scenario.does}
                onClick={() => {
                  close();
                  goAndAsk(scenarioHref(scenario), scenario.text);
                }}
              >
                <span className="scenario-title">{scenario.title}</span>
                <small className="scenario-text">“{scenario.text}”</small>
              </button>
            ))}
        </section>
      ))}
    </div>
  );
}
