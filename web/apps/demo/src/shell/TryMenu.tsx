import { useState } from "react";
import { createApi } from "../discover/api.ts";
import { researchApi } from "../research/api.ts";
import { parseRoute } from "../research/routes.ts";
import { scenarioHref } from "../research/scenarios.ts";
import type { Scenario } from "../research/types.ts";
import { useAsk } from "../ui/Button.tsx";
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
      <Things />
    </Popover>
  );
}

function Things() {
  const { data = [] } = useLoad("scenarios", researchApi.scenarios);
  const href = useHref();
  const isOnResearch = href.startsWith("/research");
  const isHere = (scenario: Scenario) =>
    isOnResearch && parseRoute(scenarioHref(scenario)).page === parseRoute(href).page;
  const itemsOf = (scenarios: Scenario[]): Item[] =>
    scenarios.map((scenario) => ({
      ...scenario,
      text: `“${scenario.text}”`,
      pick: () => goAndAsk(scenarioHref(scenario), scenario.text),
    }));
  return (
    <div className="scenarios">
      {isOnResearch ? <Group title="On this page" items={itemsOf(data.filter(isHere))} /> : <Questions />}
      {modes.map(({ mode, title, text }) => (
        <Group
          key={mode}
          title={title}
          text={isOnResearch ? text : "On Research"}
          items={itemsOf(data.filter((scenario) => scenario.mode === mode && !isHere(scenario)))}
        />
      ))}
    </div>
  );
}

/** What can be asked on Discover: there is nowhere to go. */
function Questions() {
  const { data } = useLoad("samples", discoverApi.info);
  const ask = useAsk();
  const items = data?.samples.map((question) => ({ id: question, title: question, pick: () => ask(question) })) ?? [];
  return <Group title="On this page" text="Answers from the log" items={items} />;
}

interface Item {
  id: string;
  title: string;
  /** What is asked, where it is not the title. */
  text?: string;
  /** What comes of it. */
  does?: string;
  pick(): void;
}

interface GroupProps {
  title: string;
  text?: string;
  items: readonly Item[];
}

/** So many of a group are shown at first. */
const FEW = 6;

/** Things to try in a column, the others behind "3 more". */
function Group({ title, text, items }: GroupProps) {
  const [isUnfolded, setUnfolded] = useState(false);
  if (items.length === 0) return null;
  const isOpen = isUnfolded || items.length <= FEW + 1;
  const shown = isOpen ? items : items.slice(0, FEW);
  return (
    <section aria-label={title}>
      <h2 className="popover-title">{title}</h2>
      {text && <small className="scenario-group">{text}</small>}
      {shown.map((item, index) => (
        <button
          key={item.id}
          type="button"
          data-close
          className="scenario"
          title={item.does}
          autoFocus={isUnfolded && index === FEW}
          onClick={item.pick}
        >
          <span className="scenario-title">{item.title}</span>
          {item.text && <small className="scenario-text">{item.text}</small>}
        </button>
      ))}
      {!isOpen && (
        <button type="button" className="scenario scenario-more" onClick={() => setUnfolded(true)}>
          {items.length - FEW} more
        </button>
      )}
    </section>
  );
}
