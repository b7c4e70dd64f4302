import { IconButton } from "../ui/Button.tsx";
import { Flyout } from "../ui/Flyout.tsx";
import { CellValue } from "./cells.tsx";
import type { RowDetail } from "./types.ts";
import { useDiscover } from "./use-discover.ts";

/** The open request. */
export function DetailFlyout() {
  const { snapshot, dispatch } = useDiscover();
  if (!snapshot.detail) return null;
  const { id, data, error } = snapshot.detail;
  return (
    <Flyout
      label="Request"
      id={`#${id}`}
      opener={`tr[data-row="${CSS.escape(id)}"] .row-open`}
      onClose={() => dispatch({ type: "open-row", row: null })}
    >
      {error && (
        <p className="bad" role="alert">
          {error.message}
        </p>
      )}
      {data && <Fields {...data} />}
      {data && (
        <section className="raw" aria-label="Log line">
          <h3>Log line</h3>
          <pre className="well">{data.raw}</pre>
        </section>
      )}
    </Flyout>
  );
}

function Fields({ fields }: RowDetail) {
  const { snapshot, dispatch } = useDiscover();
  const buttons = [
    { op: "is", icon: "plus", verb: "Filter for" },
    { op: "is not", icon: "minus", verb: "Filter out" },
  ] as const;
  return (
    <dl className="fields">
      {(snapshot.info?.fields ?? []).map(({ name, type }) => {
        const value = fields[name] ?? "";
        return (
          <div className="field" key={name}>
            <dt>{name}</dt>
            <dd>
              <CellValue column={{ name, type }} value={value} />
            </dd>
            <dd className="field-actions">
              {value !== "" &&
                type !== "time" &&
                buttons.map(({ op, icon, verb }) => (
                  <IconButton
                    key={op}
                    icon={icon}
                    label={`${verb} ${name} ${value}`}
                    size={14}
                    onClick={() => dispatch({ type: "add-filter", filter: { field: name, op, value: String(value) } })}
                  />
                ))}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
