import { createContext, use } from "react";
import { Button } from "../ui/Button.tsx";
import { Field } from "../ui/Field.tsx";
import { Popover } from "../ui/Popover.tsx";
import { num } from "../ui/text.ts";
import { toggled } from "./article-view.ts";
import { clean, datePattern, describeDates, filterNames, listFilters } from "./filters.ts";
import type { Filters, ResearchInfo } from "./types.ts";

/** What the library holds; undefined until it is loaded. */
export const InfoContext = createContext<ResearchInfo | undefined>(undefined);

interface FiltersBarProps {
  filters: Filters;
  onChange(filters: Filters): void;
}

/** Date, publication type, heading and journal. */
export function FiltersBar({ filters, onChange }: FiltersBarProps) {
  const info = use(InfoContext);
  return (
    <div className="row" role="group" aria-label="Filters">
      <DatePick filters={filters} onChange={onChange} />
      {listFilters.map((name) => (
        <PickMany
          key={name}
          label={filterNames[name]}
          options={info?.[name] ?? []}
          chosen={filters[name] ?? []}
          onChange={(values) => onChange(clean({ ...filters, [name]: values }))}
        />
      ))}
      {Object.keys(clean(filters)).length > 0 && (
        <Button kind="quiet" onClick={() => onChange({})}>
          Clear filters
        </Button>
      )}
    </div>
  );
}

/** The format of dates that the browser enforces. */
export const dateInput = { pattern: datePattern, title: "2024, 2024-05 or 2024-05-17" };

function DatePick({ filters, onChange }: FiltersBarProps) {
  const { from, to } = filters;
  return (
    <Popover
      label="Publication date"
      className="button pick"
      data-on={from || to ? "" : undefined}
      icon="clock"
      menu
      text={<span className="ellipsis">{describeDates(from, to, "Since") ?? "Any date"}</span>}
    >
      {(close) => (
        <form
          action={(data) => {
            onChange(clean({ ...filters, from: data.get("from") as string, to: data.get("to") as string }));
            close();
          }}
        >
          <Field label="From" name="from" defaultValue={from} placeholder="e.g. 2020" {...dateInput} />
          <Field label="To" name="to" defaultValue={to} placeholder="e.g. 2024-06" {...dateInput} />
          <Button type="submit" kind="primary">
            Apply
          </Button>
        </form>
      )}
    </Popover>
  );
}

interface PickManyProps {
  label: string;
  options: readonly { value: string; label?: string; count: number }[];
  /** What a value is called whose option has no label. */
  labelOf?(value: string): string;
  chosen: readonly string[];
  onChange(values: string[]): void;
}

/** A button that shows what is chosen from a list, and opens it. */
export function PickMany({ label, options, labelOf = (value) => value, chosen, onChange }: PickManyProps) {
  const others = chosen.filter((value) => !options.some((option) => option.value === value));
  const all = [...others.map((value) => ({ value, count: 0 })), ...options].map((option) => ({
    label: labelOf(option.value),
    ...option,
  }));
  const names = chosen.map((value) => all.find((option) => option.value === value)!.label);
  const several = names.length > 1 ? `${label}: ${names.length}` : undefined;
  return (
    <Popover
      label={label}
      className="button pick"
      data-on={chosen.length > 0 || undefined}
      title={names.join(", ") || undefined}
      aria-label={chosen.length > 0 ? `${label}: ${names.join(", ")}` : label}
      menu
      text={<span className="ellipsis">{several ?? names[0] ?? label}</span>}
    >
      {() => (
        <div>
          {all.map(({ value, label: text, count }) => (
            <label key={value} className="menu-item">
              <input
                type="checkbox"
                checked={chosen.includes(value)}
                onChange={() => onChange(toggled(chosen, value))}
              />
              <span className="spring">{text}</span>
              <span className="count">{num(count)}</span>
            </label>
          ))}
          {chosen.length > 0 && (
            <Button kind="quiet" onClick={() => onChange([])}>
              Clear
            </Button>
          )}
        </div>
      )}
    </Popover>
  );
}
