import type { Effort, OfferedModel } from "@pageside/core";
import { useAssistantContext } from "../../context.js";
import { useAssistantSnapshot } from "../../hooks/useAssistant.js";
import { useComposerLabels } from "../../labels/composer.js";

/** What one line of the list chooses. */
interface Option {
  model: string;
  effort?: Effort;
  /** What is read. */
  text: string;
}

/** Which model answers, and how hard it thinks. Nothing where there is no choice. */
export function ModelPicker() {
  const { client } = useAssistantContext("Composer");
  const labels = useComposerLabels();
  const choices = useAssistantSnapshot((thread) => thread.choices);
  const picked = useAssistantSnapshot((thread) => thread.picked);
  if (!choices) return null;

  const optionsOf = ({ id, label, efforts = [] }: OfferedModel): Option[] => [
    { model: id, text: label },
    ...efforts.map((effort) => ({ model: id, effort, text: labels.modelWithEffort(label, effort) })),
  ];
  const groups = choices.map((choice) => ({ ...choice, options: optionsOf(choice) }));
  const options = groups.flatMap((group) => group.options);
  if (options.length < 2) return null;

  const isPicked = ({ model, effort }: Option) => model === picked?.model && effort === picked.effort;
  const line = (option: Option) => (
    <option key={option.text} value={options.indexOf(option)}>
      {option.text}
    </option>
  );
  return (
    <select
      className="ps-meter ps-model"
      aria-label={labels.model}
      title={labels.model}
      value={Math.max(options.findIndex(isPicked), 0)}
      onChange={(event) => {
        const { model, effort } = options[Number(event.target.value)]!;
        void client.pickModel(model, effort);
      }}
    >
      {groups.map(({ id, label, options }) =>
        options.length === 1 ? (
          line(options[0]!)
        ) : (
          <optgroup key={id} label={label}>
            {options.map(line)}
          </optgroup>
        ),
      )}
    </select>
  );
}
