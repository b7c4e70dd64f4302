import { useState } from "react";
import { useTheme } from "../app/theme.ts";
import { Icon } from "../components/Icon.tsx";
import { Popover } from "../components/Popover.tsx";
import { Glyph } from "./Glyph.tsx";
import { InspectorLink } from "./InspectorLink.tsx";
import { AboutScript } from "./ModelBadge.tsx";
import type { ModelChoice, Settings } from "./settings.ts";

/** The model, the theme, and the way to the inspector. */
export function SettingsPanel({ settings }: { settings: Settings }) {
  return (
    <Popover
      label="Settings"
      align="end"
      button={(props) => (
        <button {...props} type="button" className="icon-button" aria-label="Settings" title="Settings">
          <Glyph name="gear" size={17} />
        </button>
      )}
    >
      {() => (
        <div className="settings">
          <ModelChoices settings={settings} />
          <ThemeChoice />
          <InspectorLink />
        </div>
      )}
    </Popover>
  );
}

function ModelChoices({ settings }: { settings: Settings }) {
  const { status, models, current, scripted, error } = settings;
  return (
    <section>
      <h2 className="popover-title">Model</h2>
      {status === "loading" && <p className="settings-text muted">Asking the server…</p>}
      {error && (
        <p className="settings-text settings-error" role="alert">
          {error}
        </p>
      )}
      {status === "ready" && models.length === 0 && (
        <div className="model-about">
          {scripted ? (
            <AboutScript />
          ) : (
            <p className="muted">
              <strong>{current}</strong>, chosen when the server was started.
            </p>
          )}
        </div>
      )}
      {models.length > 0 && <ModelList settings={settings} />}
    </section>
  );
}

function ModelList({ settings: { models, current, choose } }: { settings: Settings }) {
  const [busy, setBusy] = useState<string>();
  const pick = async ({ name }: ModelChoice) => {
    setBusy(name);
    await choose(name);
    setBusy(undefined);
  };
  return (
    <div role="radiogroup" aria-label="Model" className="model-list">
      {models.map((model) => (
        <label key={model.name} className="model-choice" data-off={!model.available || undefined}>
          <input
            type="radio"
            name="model"
            checked={model.name === current}
            disabled={!model.available || busy !== undefined}
            onChange={() => void pick(model)}
          />
          <span>
            <span className="model-choice-label">{model.label}</span>
            <span className="model-choice-why">{model.available ? model.name : model.why}</span>
          </span>
          {busy === model.name && <Icon name="spinner" size={14} spin />}
        </label>
      ))}
    </div>
  );
}

function ThemeChoice() {
  const [theme, toggle] = useTheme();
  return (
    <section>
      <h2 className="popover-title">Appearance</h2>
      <div className="segments" role="group" aria-label="Theme">
        {(["light", "dark"] as const).map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={theme === each}
            onClick={() => {
              if (theme !== each) toggle();
            }}
          >
            {each === "light" ? "Light" : "Dark"}
          </button>
        ))}
      </div>
    </section>
  );
}
