import { Button } from "../ui/Button.tsx";
import { Field } from "../ui/Field.tsx";
import { useFlash } from "../ui/hooks.ts";
import { dateInput, PickMany } from "./FiltersBar.tsx";
import { useEdited } from "./parts.tsx";
import { clean, same } from "./filters.ts";
import { phaseLabel, phases, statusLabel } from "./trial-view.ts";
import type { TrialForm, TrialResults } from "./types.ts";

interface TrialSearchFormProps {
  /** What was searched last. */
  form: TrialForm;
  facets: TrialResults["facets"] | undefined;
  onSearch(form: TrialForm): void;
}

const inputs = [
  ["condition", "Condition", { placeholder: "e.g. leukemia" }],
  ["intervention", "Intervention", { placeholder: "e.g. venetoclax" }],
  ["sponsor", "Sponsor", {}],
  ["text", "Words", { placeholder: "e.g. remission" }],
  ["startFrom", "Started from", { placeholder: "e.g. 2020", ...dateInput }],
  ["startTo", "Started until", { placeholder: "e.g. 2024-06", ...dateInput }],
] as const;

/** The search form. Texts are searched with Enter or the button, phases and statuses at once. */
export function TrialSearchForm({ form, facets, onSearch }: TrialSearchFormProps) {
  const [draft, setDraft] = useEdited(form);
  const flash = useFlash(form);
  const searchAtOnce = (next: TrialForm) => {
    setDraft(next);
    onSearch(next);
  };
  const counts = new Map(facets?.phases.map(({ value, count }) => [value, count]));
  const listOf = (name: "phases" | "statuses") => ({
    chosen: draft[name] ?? [],
    onChange: (values: string[]) => searchAtOnce({ ...draft, [name]: values }),
  });
  return (
    <form
      className="panel form"
      aria-label="Trial search"
      data-flash={flash}
      onSubmit={(event) => {
        event.preventDefault();
        onSearch(draft);
      }}
    >
      <div className="trial-fields">
        {inputs.map(([name, label, more]) => (
          <Field
            key={name}
            label={label}
            {...more}
            value={draft[name] ?? ""}
            onChange={({ target }) => setDraft({ ...draft, [name]: target.value })}
          />
        ))}
      </div>
      <div className="row">
        <div className="row" role="group" aria-label="Filters">
          <PickMany
            label="Phase"
            labelOf={phaseLabel}
            options={phases.map((value) => ({ value, count: counts.get(value) ?? 0 }))}
            {...listOf("phases")}
          />
          <PickMany label="Status" labelOf={statusLabel} options={facets?.statuses ?? []} {...listOf("statuses")} />
          {Object.keys(clean(draft)).length > 0 && (
            <Button kind="quiet" onClick={() => searchAtOnce({})}>
              Clear the form
            </Button>
          )}
        </div>
        <span className="spring" />
        {!same(draft, form) && <span className="muted">Not searched yet</span>}
        <Button type="submit" kind="primary" icon="search">
          Search
        </Button>
      </div>
    </form>
  );
}
