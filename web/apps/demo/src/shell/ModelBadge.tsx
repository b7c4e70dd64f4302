import { Icon } from "../components/Icon.tsx";
import { Popover } from "../components/Popover.tsx";
import type { Settings } from "./settings.ts";

/** Who answers. The script is shown for what it is, with the way to a real model. */
export function ModelBadge({ settings }: { settings: Settings }) {
  const { status, current, scripted } = settings;
  if (status !== "ready") return null;
  const label = scripted ? "Scripted demo model" : current;
  return (
    <div className="model-badge">
      <Popover
        label="The model"
        align="end"
        button={(props) => (
          <button
            {...props}
            type="button"
            className="model-pill"
            data-scripted={scripted || undefined}
            aria-label={`Model: ${label}`}
          >
            <span className="model-dot" />
            <span className="model-name">{label}</span>
            <Icon name="chevronDown" size={12} />
          </button>
        )}
      >
        {() => <div className="model-about">{scripted ? <AboutScript /> : <AboutModel name={current} />}</div>}
      </Popover>
    </div>
  );
}

export function AboutScript() {
  return (
    <>
      <p className="about-title">No language model answers here</p>
      <p className="muted">
        The demo plays written rules, so it runs offline and without a key. Every number in an answer is computed from
        the page and its tools.
      </p>
      <p className="about-title">Plug in a real one</p>
      <p className="muted">Stop the demo, then start it with one of these:</p>
      <pre className="about-code" tabIndex={0} aria-label="Commands that start the demo with a real model">
        {commands}
      </pre>
    </>
  );
}

const commands = `OPENAI_API_KEY=… pageside demo
ANTHROPIC_API_KEY=… pageside demo
GEMINI_API_KEY=… pageside demo
pageside demo --model ollama/llama3.2`;

function AboutModel({ name }: { name: string }) {
  return (
    <>
      <p className="about-title">{name}</p>
      <p className="muted">
        Answers come from this model. It sees what “What the assistant sees” lists in the conversation, and nothing else
        of the page.
      </p>
    </>
  );
}
