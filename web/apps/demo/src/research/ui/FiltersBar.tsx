import { useState } from "react";
import { Icon } from "../../components/Icon.tsx";
import { Popover } from "../../components/Popover.tsx";
import { useInfo } from "../info.ts";
import { cleanFilters, filterNames, hasFilters, isDate, listFilters } from "../state/filters.ts";
import type { Filters } from "../types.ts";
import { Field } from "./Field.tsx";
import { PickMany } from "./PickMany.tsx";

interface FiltersBarProps {
  filters: Filters;
  onChange(filters: Filters): void;
  flash?: "a" | "b";
}

/** Date, publication type, heading and journal. */
export function FiltersBar({ filters, onChange, flash }: FiltersBarProps) {
  const info = useInfo();
  return (
    <div className="filters-bar" role="group" aria-label="Filters" data-flash={flash}>
      <DatePick filters={filters} onChange={onChange} />
      {listFilters.map((name) => (
        <PickMany
          key={name}
          label={filterNames[name]}
          options={info?.[name] ?? []}
          chosen={filters[name] ?? []}
          onChange={(values) => onChange(cleanFilters({ ...filters, [name]: values }))}
          free={name !== "types"}
        />
      ))}
      {hasFilters(filters) && (
        <button type="button" className="button button-quiet" onClick={() => onChange({})}>
          Clear filters
        </button>
      )}
    </div>
  );
}

function DatePick({ filters, onChange }: FiltersBarProps) {
  const { from, to } = filters;
  const label = from && to ? `${from} to ${to}` : from ? `Since ${from}` : to ? `Until ${to}` : "Any date";
  return (
    <Popover
      label="Publication date"
      button={(props) => (
        <button {...props} type="button" className="pick" data-on={from || to ? "" : undefined}>
          <Icon name="clock" size={14} />
          <span>{label}</span>
          <Icon name="chevronDown" size={13} />
        </button>
      )}
    >
      {(close) => <DateForm filters={filters} onChange={onChange} close={close} />}
    </Popover>
  );
}

function DateForm({ filters, onChange, close }: FiltersBarProps & { close(): void }) {
  const [from, setFrom] = useState(filters.from ?? "");
  const [to, setTo] = useState(filters.to ?? "");
  const wrong = (text: string) =>
    text.trim() && !isDate(text.trim()) ? "Write 2024, 2024-05 or 2024-05-17." : undefined;
  const order =
    isDate(from.trim()) && isDate(to.trim()) && from.trim() > `${to.trim()}~` ? "Ends before it begins." : undefined;
  return (
    <form
      className="date-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (wrong(from) || wrong(to) || order) return;
        onChange(cleanFilters({ ...filters, from, to }));
        close();
      }}
    >
      <Field label="From" error={wrong(from)}>
        {(props) => (
          <input
            {...props}
            className="input"
            placeholder="2020"
            value={from}
            onChange={(e) => setFrom(e.target.value)}
          />
        )}
      </Field>
      <Field label="To" error={wrong(to) ?? order}>
        {(props) => (
          <input
            {...props}
            className="input"
            placeholder="2024-06"
            value={to}
            onChange={(e) => setTo(e.target.value)}
          />
        )}
      </Field>
      <button type="submit" className="button button-primary">
        Apply
      </button>
    </form>
  );
}
