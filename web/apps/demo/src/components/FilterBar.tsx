import { useRef, useState, type FormEvent } from "react";
import { useDiscover } from "../app/discover-context.ts";
import type { Filter, FilterOp } from "../api/types.ts";
import { filterLabel } from "../state/results.ts";
import { filterOps } from "../state/view.ts";
import { Icon } from "./Icon.tsx";
import { Popover } from "./Popover.tsx";
import { useFlash } from "./useFlash.ts";
import "./filter-bar.css";

/** The filters as chips, and the button that adds one. */
export function FilterBar() {
  const { snapshot, dispatch } = useDiscover();
  const { filters } = snapshot.view;
  const bar = useRef<HTMLDivElement>(null);
  const remove = (index: number) => {
    dispatch({ type: "remove-filter", index });
    // The button that had the focus is gone.
    bar.current?.querySelector<HTMLElement>(".filter-add")?.focus();
  };
  return (
    <div className="filters" ref={bar} {...useFlash("filters")}>
      <ul className="filter-chips" aria-label="Filters">
        {filters.map((filter, index) => (
          <li key={index}>
            <FilterChip filter={filter} index={index} onRemove={() => remove(index)} />
          </li>
        ))}
      </ul>
      <Popover
        label="New filter"
        button={(props) => (
          <button type="button" className="filter-add" {...props}>
            <Icon name="plus" size={14} />
            Add filter
          </button>
        )}
      >
        {(close) => (
          <FilterForm
            submitLabel="Add filter"
            onSubmit={(filter) => {
              dispatch({ type: "add-filter", filter });
              close();
            }}
          />
        )}
      </Popover>
    </div>
  );
}

function FilterChip({ filter, index, onRemove }: { filter: Filter; index: number; onRemove(): void }) {
  const { dispatch } = useDiscover();
  const label = filterLabel(filter);
  return (
    <div
      className="chip"
      data-disabled={filter.disabled ? "" : undefined}
      data-not={filter.op === "is not" ? "" : undefined}
    >
      <button
        type="button"
        className="chip-toggle"
        aria-pressed={!filter.disabled}
        aria-label={`Filter ${label} is on`}
        title={filter.disabled ? "Switch on" : "Switch off"}
        onClick={() => dispatch({ type: "toggle-filter", index })}
      >
        <span className="chip-dot" />
      </button>
      <Popover
        label={`Edit filter ${label}`}
        button={(props) => (
          <button type="button" className="chip-label" title="Edit" aria-label={`Edit filter ${label}`} {...props}>
            <span className="chip-field">{filter.field}</span> <span className="chip-op">{filter.op}</span>{" "}
            <span className="chip-value">{filter.value || "empty"}</span>
          </button>
        )}
      >
        {(close) => (
          <FilterForm
            filter={filter}
            submitLabel="Save"
            onSubmit={(changed) => {
              close();
              dispatch({ type: "replace-filter", index, filter: changed });
            }}
          />
        )}
      </Popover>
      <button
        type="button"
        className="chip-remove"
        aria-label={`Remove filter ${label}`}
        title="Remove"
        onClick={onRemove}
      >
        <Icon name="cross" size={12} />
      </button>
    </div>
  );
}

interface FilterFormProps {
  filter?: Filter;
  submitLabel: string;
  onSubmit(filter: Filter): void;
}

function FilterForm({ filter, submitLabel, onSubmit }: FilterFormProps) {
  const fields = useDiscover().snapshot.info?.fields ?? [];
  const [field, setField] = useState(filter?.field ?? "status");
  const [op, setOp] = useState<FilterOp>(filter?.op ?? "is");
  const [value, setValue] = useState(filter?.value ?? "");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit({ ...filter, field, op, value: value.trim() });
  };
  return (
    <form className="filter-form" onSubmit={submit}>
      <div className="filter-form-row">
        <label>
          Field
          <select className="input" value={field} onChange={(event) => setField(event.target.value)}>
            {fields.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label>
          Operator
          <select className="input" value={op} onChange={(event) => setOp(event.target.value as FilterOp)}>
            {filterOps.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      </div>
      <label>
        Value
        <input
          className="input"
          data-autofocus
          value={value}
          spellCheck={false}
          autoComplete="off"
          placeholder={fields.find(({ name }) => name === field)?.description}
          onChange={(event) => setValue(event.target.value)}
        />
      </label>
      <button type="submit" className="button button-primary">
        {submitLabel}
      </button>
    </form>
  );
}
