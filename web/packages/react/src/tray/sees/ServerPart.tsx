import type { Disclosure, DisclosedModel, DisclosedTool } from "@pageside/core/server";
import type { ReactNode } from "react";
import { tokensOfState } from "./size.js";
import { useAssistantSnapshot } from "../../hooks/useAssistant.js";
import { usePanelLabels } from "../../labels/panels.js";
import type { PanelLabels } from "../../labels/panelEnglish.js";
import { fullToolTitle, humanize } from "../../ui/format.js";

const ROW = { padding: "4px 10px" };

/** The server's own tools, below those of the page. */
export function ServerTools({
  tools,
  names,
}: {
  tools: readonly DisclosedTool[];
  names: Readonly<Record<string, string>> | undefined;
}) {
  // prettier-ignore
  const labels = usePanelLabels();
  if (tools.length === 0) return null;
  return (
    <section aria-label={labels.tools("server")}>
      <h3 className="ps-panel-title ps-text-xs">{labels.tools("server")}</h3>
      <ul>
        {tools.map(({ name, description, effect, approval, when, tokens, ...to }) => {
          const facts = [
            labels.toolEffect(effect),
            approval === "always" && labels.asksFirst,
            when && labels.sometimes,
            whereTo(labels, to),
            tokens > 0 && labels.tokens(tokens),
          ];
          return (
            <Row key={name} title={names?.[name] ?? fullToolTitle(name)} facts={facts.filter(Boolean).join(" · ")}>
              <span className="ps-seen-facts ps-text-sm" dir="auto">
                {firstSentence(description)}
              </span>
            </Row>
          );
        })}
      </ul>
    </section>
  );
}

/** The server's parts of the prompt, the shared state, the models, and where data goes. */
export function ServerParts({ told }: { told: Disclosure }) {
  const labels = usePanelLabels();
  const state = useAssistantSnapshot((thread) => thread.state);
  const tokens = tokensOfState(told.state, state);
  return (
    <>
      {told.instructions.length > 0 && (
        <section aria-label={labels.instructions("operator")}>
          <h3 className="ps-panel-title ps-text-xs">{labels.instructions("operator")}</h3>
          <ul>
            {told.instructions.map(({ name, tokens }, index) => (
              <Row key={index} title={labels.promptPart(...partOf(name))} facts={labels.tokens(tokens)} />
            ))}
          </ul>
        </section>
      )}
      {told.state !== "none" && tokens > 0 && (
        <section aria-label={labels.sharedState}>
          <h3 className="ps-panel-title ps-text-xs">{labels.sharedState}</h3>
          <ul>
            <Row title={labels.stateAccess(told.state)} facts={labels.tokens(tokens)} />
          </ul>
        </section>
      )}
      <section aria-label={labels.whereDataGoes}>
        <h3 className="ps-panel-title ps-text-xs">{labels.whereDataGoes}</h3>
        <ul>
          {told.models.map((model, index) => (
            <Row key={index} title={model.name} facts={modelFacts(labels, model)} />
          ))}
        </ul>
      </section>
    </>
  );
}

const modelFacts = (labels: PanelLabels, { scripted, uses, ...to }: DisclosedModel) =>
  [...uses.map((use) => labels.modelUse(use)), scripted ? labels.modelScripted : whereTo(labels, to)]
    .filter(Boolean)
    .join(" · ");

const whereTo = (labels: PanelLabels, to: { host?: string; private?: boolean }) =>
  (to.host || to.private) && labels.sentTo(to.host);

/** "page discover" → ["page", "Discover"]. */
function partOf(name: string): [kind: string, of: string] {
  const [kind = "", ...of] = name.split(" ");
  return [kind, humanize(of.join(" "))];
}

const firstSentence = (text: string) => /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text;

function Row({ title, facts, children }: { title: string; facts: string; children?: ReactNode }) {
  return (
    <li style={ROW}>
      <div className="ps-seen-text">
        <span className="ps-seen-title" dir="auto">
          {title}
        </span>
        {children}
        <span className="ps-seen-facts ps-text-sm">{facts}</span>
      </div>
    </li>
  );
}
