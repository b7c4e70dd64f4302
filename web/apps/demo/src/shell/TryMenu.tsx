import { useAssistantActions } from "@pageside/react";
import { createApi } from "../discover/api.ts";
import { researchApi } from "../research/api.ts";
import { parseRoute } from "../research/routes.ts";
import { scenarioHref } from "../research/scenarios.ts";
import type { Scenario } from "../research/types.ts";
import { Popover } from "../ui/Popover.tsx";
import { useLoad } from "../ui/hooks.ts";
import { goAndAsk } from "./arrival.ts";
import { useHref } from "./location.tsx";

const modes = [
  { mode: "guide", title: "Guide", text: "It does the work, you approve" },
  { mode: "enhance", title: "Enhance", text: "It reads what is on the page" },
];

const discoverApi = createApi();

/** The things to try: first those for the page that is open; the others go to theirs, and ask. */
export function TryMenu() {
  return (
    <Popover
      label="Try this"
      align="end"
      className="button button-quiet try-button"
      icon="wand"
      text={<span className="bar-text">Try this</span>}
    >
      {(close) => <Things close={close} />}
    </Popover>
  );
}

function Things({ close }: { close(): void }) {
  const { data = [] } = useLoad("scenarios", researchApi.scenarios);
  const href = useHref();
  const isHere = (scenario: Scenario) =>
    href.startsWith("/research") && parseRoute(scenarioHref(scenario)).page === parseRoute(href).page;
  const here = data.filter(isHere);
  const elsewhere = href.startsWith("/research") ? "" : "On Research. ";
  return (
    <div className="scenarios">
      {!href.startsWith("/research") && <Questions close={close} />}
      {here.length > 0 && <Section title="On this page" scenarios={here} close={close} />}
      {modes.map(({ mode, title, text }) => (
        <Section
          key={mode}
          title={title}
          text={elsewhere + text}
          scenarios={data.filter((scenario) => scenario.mode === mode && !isHere(scenario))}
          close={close}
        />
      ))}
    </div>
  );
}

/** What can be asked on Discover: there is nowhere to go. */
function Questions({ close }: { close(): void }) {
  const { data } = useLoad("samples", discoverApi.info);
  const { client, open } = useAssistantActions();
  return (
    <section aria-label="On this page">
      <h2 className="popover-title">On this page</h2>
      {data?.samples.map((question) => (
        <button
          key={question}
          type="button"
          className="scenario"
          onClick={() => {
            close();
            open();
            void client.send(question);
          }}
        >
          <span className="scenario-title">{question}</span>
        </button>
      ))}
    </section>
  );
}

interface SectionProps {
  title: string;
  text?: string;
  scenarios: Scenario[];
  close(): void;
}

function Section({ title, text, scenarios, close }: SectionProps) {
  if (scenarios.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2 className="popover-title">
        {title} {text && <span className="muted">{text}</span>}
      </h2>
      {scenarios.map((scenario) => (
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
  );
}
