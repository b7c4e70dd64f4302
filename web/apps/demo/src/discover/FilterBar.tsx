import { useRef, type ComponentProps } from "react";
import { Button, IconButton } from "../ui/Button.tsx";
import { Field } from "../ui/Field.tsx";
import { Popover } from "../ui/Popover.tsx";
import type { Filter } from "./types.ts";
import { useDiscover } from "./use-discover.ts";
import { filterLabel, filterOps } from "./view.ts";

/** The filters as chips, and the button that adds one. */
export function FilterBar() {
  const { snapshot, dispatch, flash } = useDiscover();
  const { filters } = snapshot.view;
  const bar = useRef<HTMLDivElement>(null);
  const remove = (index: number) => {
    dispatch({ type: "set", filters: filters.toSpliced(index, 1) });
    // The button that had the focus is gone.
    bar.current?.querySelector<HTMLElement>(".filter-add")?.focus();
  };
  return (
    <div className="filters" ref={bar} {...flash("filters")}>
      <ul className="filter-chips" aria-label="Filters">
        {filters.map((filter, index) => (
          <FilterChip key={index} filter={filter} index={index} onRemove={() => remove(index)} />
        ))}
      </ul>
      <FilterPopover
        label="New filter"
        className="button button-quiet filter-add"
        icon="plus"
        text="Add filter"
        filter={{ field: "status", op: "is", value: "" }}
        verb="Add filter"
        onSubmit={(filter) => dispatch({ type: "add-filter", filter })}
      />
    </div>
  );
}

function FilterChip({ filter, index, onRemove }: { filter: Filter; index: number; onRemove(): void }) {
  const { snapshot, dispatch } = useDiscover();
  const { field, op, value, disabled } = filter;
  const label = filterLabel(filter);
  return (
    <li className="chip" data-disabled={disabled || undefined} data-not={op === "is not" || undefined}>
      <button
        type="button"
        className="chip-toggle"
        aria-pressed={!disabled}
        aria-label={`Filter ${label} is on`}
        title={disabled ? "Switch on" : "Switch off"}
        onClick={() => dispatch({ type: "toggle-filter", index })}
      />
      <FilterPopover
        label={`Edit filter ${label}`}
        className="chip-label ellipsis"
        title="Edit"
        aria-label={`Edit filter ${label}`}
        text={
          <>
            <span className="strong">{field}</span> <span className="chip-op">{op}</span>{" "}
            <code>{value || "empty"}</code>
          </>
        }
        filter={filter}
        verb="Save"
        onSubmit={(changed) =>
          dispatch({ type: "set", filters: snapshot.view.filters.with(index, { ...filter, ...changed }) })
        }
      />
      <IconButton icon="cross" size={12} label={`Remove filter ${label}`} onClick={onRemove} />
    </li>
  );
}

interface FilterPopoverProps extends Omit<ComponentProps<typeof Popover>, "children" | "onSubmit"> {
  filter: Filter;
  /** On the button that submits. */
  verb: string;
  onSubmit(filter: Filter): void;
}

function FilterPopover({ filter, verb, onSubmit, ...popover }: FilterPopoverProps) {
  const fields = useDiscover().snapshot.info?.fields ?? [];
  const submit = (data: FormData) => {
    const text = (name: string) => (data.get(name) as string).trim();
    onSubmit({ field: text("field"), op: text("op") as Filter["op"], value: text("value") });
  };
  return (
    <Popover {...popover}>
      <form className="popover-form" action={submit}>
        <Field as="select" label="Field" name="field" defaultValue={filter.field}>
          {fields.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </Field>
        <Field as="select" label="Operator" name="op" defaultValue={filter.op}>
          {filterOps.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </Field>
        <Field
          label="Value"
          name="value"
          defaultValue={filter.value}
          data-autofocus
          spellCheck={false}
          autoComplete="off"
        />
        <Button type="submit" kind="primary" data-close>
          {verb}
        </Button>
      </form>
    </Popover>
  );
}
