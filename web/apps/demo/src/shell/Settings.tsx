import { useAssistantActions } from "@pageside/react";
import { Button } from "../ui/Button.tsx";
import { Icon } from "../ui/Icon.tsx";
import { Popover } from "../ui/Popover.tsx";
import { useLoad } from "../ui/hooks.ts";
import { createCaller } from "./http.ts";
import type { Connection } from "./model.ts";
import { useTheme } from "./theme.ts";

interface ModelProps {
  connection: Connection | undefined;
  onConnect(): void;
}

/** The model that answers, or what connects one. */
export function ModelButton({ connection, onConnect }: ModelProps) {
  if (!connection) return null;
  const { model, scripted } = connection;
  return (
    <button
      type="button"
      className="model-pill"
      data-scripted={scripted || undefined}
      aria-haspopup="dialog"
      aria-label={scripted ? undefined : `Model: ${model}`}
      title={scripted ? "The scripted model answers now" : "Connect another model"}
      onClick={onConnect}
    >
      <span className="model-dot" />
      <span className="model-name">{scripted ? "Connect a model" : model}</span>
    </button>
  );
}

/** The model, the theme, and a link to the inspector. */
export function SettingsPanel({ connection, onConnect }: ModelProps) {
  const [theme, choose] = useTheme();
  return (
    <Popover label="Settings" align="end" className="icon-button" aria-label="Settings" title="Settings" icon="gear">
      <div className="stack">
        {connection && (
          <section>
            <h2 className="popover-title">Model</h2>
            <button
              type="button"
              className="menu-item model-item"
              data-close // first: the dialog gives the focus back to what has it now
              aria-haspopup="dialog"
              onClick={onConnect}
            >
              <span>
                Connect a model…
                <small>{connection.scripted ? "The scripted model" : connection.model} answers now</small>
              </span>
            </button>
          </section>
        )}
        <section>
          <h2 className="popover-title">Appearance</h2>
          <div className="row" role="group" aria-label="Theme">
            {(["light", "dark"] as const).map((each) => (
              <Button
                key={each}
                kind={theme === each ? "soft" : "quiet"}
                aria-pressed={theme === each}
                onClick={() => choose(each)}
              >
                {each === "light" ? "Light" : "Dark"}
              </Button>
            ))}
          </div>
        </section>
        <InspectorLink />
      </div>
    </Popover>
  );
}

const inspector = createCaller("/v1/inspector");

/** Leads to this conversation's newest run. Absent if the server keeps no runs. */
function InspectorLink() {
  const { threadId } = useAssistantActions().client.getSnapshot();
  const { data } = useLoad("runs", (signal) =>
    inspector<{ runs: { id: string; threadId: string }[] }>("/runs", signal),
  );
  if (!data) return null;
  const newest = data.runs.find((run) => run.threadId === threadId) ?? data.runs[0];
  return (
    <section>
      <h2 className="popover-title">Behind the answers</h2>
      <a
        className="menu-item"
        href={`/inspector#${new URLSearchParams({ ...(newest && { run: newest.id }), from: location.href }).toString()}`}
        target="_blank"
        rel="noopener"
      >
        <Icon name="external" size={15} />
        <span>
          Inspector
          <small>Prompts, tool calls and events of each run</small>
        </span>
      </a>
    </section>
  );
}
