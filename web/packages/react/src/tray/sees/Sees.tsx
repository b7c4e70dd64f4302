import type { Place } from "@pageside/core";
import type { ReactNode } from "react";
import { useAssistantContext } from "../../context.js";
import { usePanelLabels } from "../../labels/panels.js";
import { useAssistantSnapshot } from "../../hooks/useAssistant.js";
import { tokensOfPage, tokensOfServer } from "./size.js";
import { AllowedTools } from "./AllowedTools.js";
import { SeenRow } from "./SeenRow.js";
import { ServerParts, ServerTools } from "./ServerPart.js";
import { useDisclosure } from "./useDisclosure.js";
import { sizeOf, useSees, type SeenItem } from "./useSees.js";

/** The server's default. */
const DEFAULT_BUDGET = 1500;

interface SeesProps {
  /** The tokens of page context that the server takes. */
  budget?: number;
  /** Names of tools on screen, by tool name. */
  toolLabels?: Readonly<Record<string, string>>;
}

/**
 * Everything that goes to the model: what the page sends along with a message, with a switch for
 * each, and what the server adds.
 */
export function Sees({ budget = DEFAULT_BUDGET, toolLabels }: SeesProps) {
  const { client } = useAssistantContext("Sees");
  const labels = usePanelLabels();
  const { place, context, tools, instructions } = useSees(client, toolLabels);
  const told = useDisclosure(client, place);
  const state = useAssistantSnapshot((thread) => thread.state);
  const list = (items: readonly SeenItem[]) =>
    items.length > 0 && (
      <ul>
        {items.map((item) => (
          <SeenRow key={item.id} item={item} onSwitch={(on) => client.setIncluded(item.kind, item.id, on)} />
        ))}
      </ul>
    );
  const section = (title: string, size: number | undefined, body: ReactNode) => (
    <section aria-label={title}>
      <h3 className="ps-panel-title ps-text-xs">
        {title}
        {size !== undefined && size > 0 && <span>{labels.tokens(size)}</span>}
      </h3>
      {body}
    </section>
  );
  const none = (text: string) => <p className="ps-panel-empty ps-muted">{text}</p>;

  return (
    <div className="ps-panel-body ps-sees ps-text-md">
      <p className="ps-muted">{labels.seesHint}</p>
      <Budget used={sizeOf(context)} budget={budget} total={tokensOfPage(client) + tokensOfServer(told, state)} />
      {section(labels.place, undefined, place ? <PlaceParts place={place} /> : none(labels.noPlace))}
      {section(labels.onThisPage, sizeOf(context), list(context) || none(labels.nothingHere))}
      {section(labels.tools("page"), sizeOf(tools), list(tools) || none(labels.nothingHere))}
      {told && told !== "failed" && <ServerTools tools={told.tools} names={toolLabels} />}
      <AllowedTools />
      {instructions.length > 0 && section(labels.instructions("page"), sizeOf(instructions), list(instructions))}
      {told === "failed" ? none(labels.disclosureFailed) : told && <ServerParts told={told} />}
    </div>
  );
}

function Budget({ used, budget, total }: { used: number; budget: number; total: number }) {
  const labels = usePanelLabels();
  const text = labels.tokensOf(used, budget);
  const isOver = used > budget;
  return (
    <div className="ps-budget ps-text-sm" data-over={isOver || undefined}>
      <div
        className="ps-bar"
        role="meter"
        aria-label={labels.onThisPage}
        aria-valuemin={0}
        aria-valuemax={budget}
        aria-valuenow={Math.min(used, budget)}
        aria-valuetext={text}
      >
        <span style={{ inlineSize: `${Math.min(100, (used / budget) * 100)}%` }} />
      </div>
      <p>
        <span>{text}</span>
        <span className="ps-muted">{labels.tokensInAll(total)}</span>
      </p>
      {isOver && <p className="ps-over">{labels.overBudget}</p>}
    </div>
  );
}

function PlaceParts({ place }: { place: Place }) {
  const labels = usePanelLabels();
  const { scope = {}, ...path } = place;
  const parts = [
    ...(["page", "tab", "subtab"] as const).map((part) => [labels.kindName(part), path[part]] as const),
    ...Object.entries(scope).map(([kind, id]) => [labels.kindName("scope"), `${kind} ${id}`] as const),
  ];
  return (
    <dl className="ps-place">
      {parts.map(
        ([name, value]) =>
          value && (
            <div key={`${name} ${value}`}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
