import type { PagesideClient, SlashCommand } from "@pageside/core";
import type { ReactNode } from "react";
import { useComposerLabels } from "../../labels/composer.js";
import { toolTitle } from "../../ui/format.js";
import { Popover } from "./Popover.js";
import { labelOf } from "./usePageEntries.js";

/** The props of `<Help>`. */
export interface HelpProps {
  client: PagesideClient;
  commands: readonly SlashCommand[];
  onClose: () => void;
}

/** Help: the commands, what the assistant can do in the page, and what it sees. */
export function Help({ client, commands, onClose }: HelpProps) {
  const labels = useComposerLabels();
  const tools = client.getTools();
  const seen = client
    .getContextEntries()
    .filter(({ id, auto, label }) => label !== undefined || (auto && client.isIncluded("context", id)));
  return (
    <Popover className="ps-help" title={labels.help} onClose={onClose}>
      {(titleId) => (
        <div className="ps-help-body ps-text-md" tabIndex={0} role="group" aria-labelledby={titleId}>
          <Section title={labels.helpTools}>
            {tools.map(({ name, description }) => [toolTitle(name), description])}
          </Section>
          <Section title={labels.helpContext}>
            {seen.map((entry) => [labelOf(entry), entry.label ? entry.description : ""])}
          </Section>
          {tools.length + seen.length === 0 && <p className="ps-muted">{labels.helpNothing}</p>}
          <Section title={labels.commands}>
            {commands.map(({ command, argumentHint, description }) => [
              argumentHint ? `${command} ${argumentHint}` : command,
              description,
            ])}
          </Section>
        </div>
      )}
    </Popover>
  );
}

function Section({ title, children }: { title: ReactNode; children: (readonly [string, string])[] }) {
  if (children.length === 0) return null;
  return (
    <>
      <h4>{title}</h4>
      <dl>
        {children.map(([term, text], index) => (
          <div key={index}>
            <dt dir="auto">{term}</dt>
            <dd dir="auto">{text}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
