import { useState } from "react";
import { Icon } from "../../components/Icon.tsx";
import { isDate } from "../state/filters.ts";
import { phaseLabel, statusLabel } from "../state/trial-labels.ts";
import { cleanForm, phases, sameForm } from "../state/trial-view.ts";
import { useFlash } from "../state/use-flash.ts";
import type { Facet, TrialForm, TrialResults } from "../types.ts";
import { Field } from "../ui/Field.tsx";
import { PickMany } from "../ui/PickMany.tsx";

interface TrialSearchFormProps {
  /** What was searched last. */
  form: TrialForm;
  facets: TrialResults["facets"] | undefined;
  onSearch(form: TrialForm): void;
}

/** The search form. Texts are searched with Enter or the button, phases and statuses at once. */
export function TrialSearchForm({ form, facets, onSearch }: TrialSearchFormProps) {
  const [draft, setDraft] = useState(form);
  const [shown, setShown] = useState(form);
  if (!sameForm(shown, form)) {
    // The search came from elsewhere: an accepted suggestion, or the way back.
    setShown(form);
    setDraft(form);
  }
  const flash = useFlash(cleanForm(form));
  const set = (change: Partial<TrialForm>) => setDraft((was) => ({ ...was, ...change }));
  const now = (change: Partial<TrialForm>) => {
    set(change);
    onSearch({ ...draft, ...change });
  };
  const input = (name: "condition" | "intervention" | "sponsor" | "text", label: string, placeholder: string) => (
    <Field label={label}>
      {(props) => (
        <input
          {...props}
          className="input"
          placeholder={placeholder}
          value={draft[name] ?? ""}
          onChange={({ target }) => set({ [name]: target.value })}
        />
      )}
    </Field>
  );
  const dateError = (text: string | undefined) =>
    text?.trim() && !isDate(text.trim()) ? "Write 2024, 2024-05 or 2024-05-17." : undefined;
  const date = (name: "startFrom" | "startTo", label: string, placeholder: string) => (
    <Field label={label} error={dateError(draft[name])}>
      {(props) => (
        <input
          {...props}
          className="input"
          placeholder={placeholder}
          value={draft[name] ?? ""}
          onChange={({ target }) => set({ [name]: target.value })}
        />
      )}
    </Field>
  );
  return (
    <form
      className="panel form trial-form"
      aria-label="Trial search"
      data-flash={flash}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!dateError(draft.startFrom) && !dateError(draft.startTo)) onSearch(draft);
      }}
    >
      <div className="trial-fields">
        {input("condition", "Condition", "leukemia")}
        {input("intervention", "Intervention", "venetoclax")}
        {input("sponsor", "Sponsor", "")}
        {input("text", "Words", "remission")}
        {date("startFrom", "Started from", "2020")}
        {date("startTo", "Started until", "2024-06")}
      </div>
      <div className="filters-row">
        <div className="filters-bar" role="group" aria-label="Filters">
          <PickMany
            label="Phase"
            options={phaseOptions(facets?.phases)}
            chosen={draft.phases ?? []}
            onChange={(values) => now({ phases: values })}
          />
          <PickMany
            label="Status"
            options={statusOptions(facets?.statuses, draft.statuses)}
            chosen={draft.statuses ?? []}
            onChange={(values) => now({ statuses: values })}
          />
          {Object.keys(cleanForm(draft)).length > 0 && (
            <button
              type="button"
              className="button button-quiet"
              onClick={() => {
                setDraft({});
                onSearch({});
              }}
            >
              Clear the form
            </button>
          )}
        </div>
        <span className="spring" />
        {!sameForm(draft, form) && <span className="save-note">Not searched yet</span>}
        <button type="submit" className="button button-primary">
          <Icon name="search" size={14} />
          Search
        </button>
      </div>
    </form>
  );
}

/** In the order of the phases, with their counts. */
function phaseOptions(facets: readonly Facet[] | undefined) {
  return phases.map((value) => ({
    value,
    label: phaseLabel(value),
    count: facets?.find((facet) => facet.value === value)?.count ?? (facets ? 0 : undefined),
  }));
}

/** Those there are, and those that are asked for. */
function statusOptions(facets: readonly Facet[] = [], chosen: readonly string[] = []) {
  const missing = chosen.filter((status) => !facets.some(({ value }) => value === status));
  return [
    ...missing.map((value) => ({ value, label: statusLabel(value), count: 0 })),
    ...facets.map(({ value, label, count }) => ({ value, label, count })),
  ];
}
