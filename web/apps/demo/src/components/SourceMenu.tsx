import { useDiscover } from "../app/discover-context.ts";
import { sourceName } from "../state/view.ts";
import { Icon } from "./Icon.tsx";
import { Popover } from "./Popover.tsx";
import "./menus.css";

/** The data source, and the others there are. */
export function SourceMenu() {
  const { snapshot, dispatch } = useDiscover();
  const { info, view } = snapshot;
  if (!info) return null;
  const current = sourceName(view.query);
  const label = info.sources.find(({ name }) => name === current)?.label ?? current;
  return (
    <Popover
      label="Data source"
      button={(props) => (
        <button type="button" className="button source-button" aria-label={`Data source: ${label}`} {...props}>
          <Icon name="database" size={14} />
          <span className="wide-only">{label}</span>
          <Icon name="chevronDown" size={14} />
        </button>
      )}
    >
      {(close) => (
        <ul className="source-list">
          {info.sources.map(({ name, label, description, total }) => (
            <li key={name}>
              <button
                type="button"
                aria-current={name === current}
                onClick={() => {
                  close();
                  dispatch({ type: "set-source", source: name });
                }}
              >
                <strong>{label}</strong>
                <span className="muted">{total.toLocaleString("en")} rows</span>
                <span className="source-text">{description}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </Popover>
  );
}
