import { useAssistantActions } from "@pageside/react";
import { Button } from "../ui/Button.tsx";
import { Icon } from "../ui/Icon.tsx";
import { Popover } from "../ui/Popover.tsx";
import { useLoad } from "../ui/hooks.ts";
import { createCaller } from "./http.ts";
import type { Settings } from "./settings.ts";
import { useTheme } from "./theme.ts";

const isScript = (model: string) => model.startsWith("script/");

/** The model that answers. A scripted model is labelled, with a hint at real ones. */
export function ModelBadge({ current }: Settings) {
  if (!current) return null;
  const scripted = isScript(current);
  const label = scripted ? "Scripted demo model" : current;
  return (
    <Popover
      label="The model"
      align="end"
      className="model-pill"
      data-scripted={scripted || undefined}
      aria-label={`Model: ${label}`}
      menu
      text={
        <>
          <span className="model-dot" />
          <span className="model-name">{label}</span>
        </>
      }
    >
      {() => <div className="model-about">{scripted ? <AboutScript /> : <p>Answers come from {current}.</p>}</div>}
    </Popover>
  );
}

const commands = `OPENAI_API_KEY=… pageside demo
ANTHROPIC_API_KEY=… pageside demo
GEMINI_API_KEY=… pageside demo
pageside demo --model ollama/llama3.2`;

function AboutScript() {
  return (
    <>
      <p className="strong">No language model answers here</p>
      <p className="muted">
        The demo plays written rules, so it runs offline and without a key. Every number in an answer is computed from
        the page and its tools.
      </p>
      <p className="strong">Plug in a real one</p>
      <p className="muted">Stop the demo, then start it with one of these:</p>
      <pre className="well" tabIndex={0} aria-label="Commands that start the demo with a real model">
        {commands}
      </pre>
    </>
  );
}

/** The model, the theme, and a link to the inspector. */
export function SettingsPanel(settings: Settings) {
  return (
    <Popover label="Settings" align="end" className="icon-button" aria-label="Settings" title="Settings" icon="gear">
      {() => (
        <div className="stack">
          <ModelChoices {...settings} />
          <ThemeChoice />
          <InspectorLink />
        </div>
      )}
    </Popover>
  );
}

function ModelChoices({ models, current, error, choose }: Settings) {
  return (
    <section role="radiogroup" aria-label="Model">
      <h2 className="popover-title">Model</h2>
      {error && (
        <p className="form-note" data-bad role="alert">
          {error}
        </p>
      )}
      {models.map(({ name, label, available, why }) => (
        <label key={name} className="menu-item model-choice" data-off={!available || undefined}>
          <input
            type="radio"
            name="model"
            checked={name === current}
            disabled={!available}
            onChange={() => void choose(name)}
          />
          <span>
            <span className="strong">{label}</span>
            <small>{available ? name : why}</small>
          </span>
        </label>
      ))}
    </section>
  );
}

function ThemeChoice() {
  const [theme, choose] = useTheme();
  return (
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
