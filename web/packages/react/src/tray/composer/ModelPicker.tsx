import type { Effort } from "@pageside/core";
import { useState } from "react";
import { useModelChoice } from "../../hooks/useModelChoice.js";
import { useComposerLabels } from "../../labels/composer.js";
import { panelsPart } from "../panels/load.js";

const Menu = panelsPart.component((part) => part.Menu);

/** Which model answers, and how hard it thinks. Nothing where there is no choice. */
export function ModelPicker() {
  const { choices, model, effort, choose } = useModelChoice();
  const labels = useComposerLabels();
  const [isOpen, setOpen] = useState(false);
  if (!model || (choices.length < 2 && !model.efforts)) return null;

  const models = choices.map(({ id, label, efforts }) => ({
    label,
    checked: id === model.id,
    // An effort that the other model offers too stays.
    onPick: () => void choose(id, effort && efforts?.includes(effort) ? effort : undefined),
  }));
  const levels: (Effort | undefined)[] = model.efforts ? [undefined, ...model.efforts] : [];
  const efforts = levels.map((level) => ({
    label: labels.effortName(level),
    checked: level === effort,
    onPick: () => void choose(model.id, level),
  }));
  const text = effort ? `${model.label} · ${labels.effortName(effort)}` : model.label;
  const groups = [
    { label: labels.model, items: models },
    { label: labels.effort, items: efforts },
  ];
  return (
    <span className="ps-model">
      <button
        type="button"
        className="ps-meter"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-label={`${labels.model}: ${text}`}
        title={`${labels.model}: ${text}`}
        onClick={() => setOpen(!isOpen)}
      >
        {text}
      </button>
      {isOpen && (
        <Menu
          label={labels.model}
          groups={groups.filter(({ items }) => items.length > 1)}
          onClose={() => setOpen(false)}
        />
      )}
    </span>
  );
}
