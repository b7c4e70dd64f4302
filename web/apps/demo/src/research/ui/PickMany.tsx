import { useState } from "react";
import { Icon } from "../../components/Icon.tsx";
import { Popover } from "../../components/Popover.tsx";
import { num } from "./text.ts";

export interface PickOption {
  value: string;
  label?: string;
  count?: number;
}

interface PickManyProps {
  label: string;
  options: readonly PickOption[];
  chosen: readonly string[];
  onChange(values: string[]): void;
  /** Values that are not among the options may be typed. */
  free?: boolean;
}

/** A button that says what is chosen of a list, and opens it. */
export function PickMany({ label, options, chosen, onChange, free = false }: PickManyProps) {
  const labelOf = (value: string) => options.find((option) => option.value === value)?.label ?? value;
  const text = chosen.length === 0 ? label : chosen.length === 1 ? labelOf(chosen[0]!) : `${label}: ${chosen.length}`;
  return (
    <Popover
      label={label}
      button={(props) => (
        <button
          {...props}
          type="button"
          className="pick"
          data-on={chosen.length > 0 || undefined}
          title={chosen.map(labelOf).join(", ") || undefined}
          aria-label={chosen.length > 0 ? `${label}: ${chosen.map(labelOf).join(", ")}` : label}
        >
          <span>{text}</span>
          <Icon name="chevronDown" size={13} />
        </button>
      )}
    >
      {() => <Choices {...{ label, options, chosen, onChange, free }} />}
    </Popover>
  );
}

function Choices({ label, options, chosen, onChange, free }: PickManyProps) {
  const [search, setSearch] = useState("");
  const known = new Set(options.map(({ value }) => value));
  const all = [...chosen.filter((value) => !known.has(value)).map((value): PickOption => ({ value })), ...options];
  const needle = search.trim().toLowerCase();
  const shown = all.filter(({ value, label: text }) => (text ?? value).toLowerCase().includes(needle));
  const typed = search.trim();
  const toggle = (value: string) =>
    onChange(chosen.includes(value) ? chosen.filter((each) => each !== value) : [...chosen, value]);
  return (
    <div className="pick-panel">
      {(free || options.length > 10) && (
        <input
          className="input"
          type="search"
          aria-label={`Search ${label.toLowerCase()}`}
          placeholder={free ? "Search, or type another…" : "Search…"}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            const value = shown[0]?.value ?? (free ? typed : "");
            if (value) toggle(value);
            setSearch("");
          }}
        />
      )}
      <div className="pick-list" role="group" aria-label={label}>
        {shown.map((option) => (
          <label key={option.value} className="menu-item">
            <input type="checkbox" checked={chosen.includes(option.value)} onChange={() => toggle(option.value)} />
            <span className="pick-name">{option.label ?? option.value}</span>
            {option.count !== undefined && <span className="count">{num(option.count)}</span>}
          </label>
        ))}
        {shown.length === 0 && !(free && typed) && <p className="form-note">Nothing like “{typed}”.</p>}
        {free && typed && !all.some(({ value }) => value === typed) && (
          <button type="button" className="menu-item" onClick={() => toggle(typed)}>
            Use “{typed}”
          </button>
        )}
      </div>
      {chosen.length > 0 && (
        <button type="button" className="button button-quiet" onClick={() => onChange([])}>
          Clear
        </button>
      )}
    </div>
  );
}
