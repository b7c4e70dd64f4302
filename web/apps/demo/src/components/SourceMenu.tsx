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
  return (
    <Popover
      label="Data source"
      button={(props) => (
        <button
          type="button"
          className="button button-quiet source"
          title={info.source.file || info.source.label}
          {...props}
        >
          <Icon name="database" size={15} />
          <span className="source-name">{info.source.name}</span>
          {info.source.generated ? (
            <span className="badge">generated sample</span>
          ) : (
            <span className="source-label wide-only">{info.source.label}</span>
          )}
          <Icon name="chevronDown" size={13} />
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
