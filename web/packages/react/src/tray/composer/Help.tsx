import type { PagesideClient, SlashCommand } from "@pageside/core";
import { useEffect, useId, useRef, type ReactNode } from "react";
import { useComposerLabels } from "../../labels/composer.js";
import { IconButton } from "../../ui/Button.js";
import { toolTitle } from "../../ui/format.js";
import { CloseIcon } from "../../ui/icons.js";
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
  const id = useId();
  const panel = useRef<HTMLDivElement>(null);
  const tools = client.getTools();
  const seen = client
    .getContextEntries()
    .filter(({ id, auto, label }) => label !== undefined || (auto && client.isIncluded("context", id)));
  useEffect(() => panel.current?.focus({ preventScroll: true }), []);
  return (
    <div
      ref={panel}
      className="ps-popover ps-help"
      role="dialog"
      aria-labelledby={id}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        onClose();
      }}
    >
      <div className="ps-popover-head ps-row">
        <h3 className="ps-grow ps-text-md" id={id}>
          {labels.help}
        </h3>
        <IconButton isSmall label={labels.close} onClick={onClose}>
          <CloseIcon />
        </IconButton>
      </div>
      <div className="ps-help-body ps-text-md" tabIndex={0} role="group" aria-labelledby={id}>
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
    </div>
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
