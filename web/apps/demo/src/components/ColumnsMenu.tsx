import { useDiscover } from "../app/discover-context.ts";
import type { Column, QueryResult } from "../api/types.ts";
import { idColumn } from "../state/results.ts";
import { Icon } from "./Icon.tsx";
import { Popover } from "./Popover.tsx";

/** Which columns of the requests are shown. */
export function ColumnsMenu({ result, shown }: { result: QueryResult; shown: Column[] }) {
  const { snapshot, dispatch } = useDiscover();
  const all = result.columns.filter((column) => column.name !== idColumn);
  const names = shown.map((column) => column.name);
  const toggle = (name: string) => {
    const next = names.includes(name) ? names.filter((other) => other !== name) : [...names, name];
    if (next.length > 0) dispatch({ type: "set-columns", columns: next });
  };
  return (
    <Popover
      label="Columns"
      align="end"
      button={(props) => (
        <button type="button" className="button button-quiet" {...props}>
          <Icon name="columns" size={14} />
          <span className="wide-text">Columns</span>
          <span className="count">
            {names.length}/{all.length}
          </span>
        </button>
      )}
    >
      {() => (
        <div className="columns">
          {all.map(({ name }) => (
            <label key={name} className="menu-item">
              <input type="checkbox" checked={names.includes(name)} onChange={() => toggle(name)} />
              {name}
            </label>
          ))}
          <button
            type="button"
            className="button button-quiet columns-reset"
            disabled={snapshot.view.columns === null}
            onClick={() => dispatch({ type: "set-columns", columns: null })}
          >
            Usual columns
          </button>
        </div>
      )}
    </Popover>
  );
}
