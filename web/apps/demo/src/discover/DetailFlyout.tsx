import { useEffect, useRef } from "react";
import { IconButton } from "../ui/Button.tsx";
import { CellValue } from "./cells.tsx";
import { useDiscover } from "./use-discover.ts";

const rowElement = (id: string) => document.querySelector(`tr[data-row="${CSS.escape(id)}"]`);

/** The open request, beside the table. */
export function DetailFlyout() {
  const { detail } = useDiscover().snapshot;
  return detail && <Flyout {...detail} />;
}

function Flyout({ id, data, error }: NonNullable<ReturnType<typeof useDiscover>["snapshot"]["detail"]>) {
  const { dispatch } = useDiscover();
  const panel = useRef<HTMLElement>(null);
  const latest = useRef(id);
  useEffect(() => {
    latest.current = id;
  }, [id]);
  useEffect(() => {
    panel.current?.focus({ preventScroll: true });
    return () => rowElement(latest.current)?.querySelector<HTMLElement>(".row-open")?.focus();
  }, []);
  const close = () => dispatch({ type: "open-row", row: null });
  return (
    <aside
      className="detail"
      aria-label="Request"
      ref={panel}
      tabIndex={-1}
      onKeyDown={(event) => event.key === "Escape" && close()}
    >
      <header className="detail-head">
        <h2>Request</h2>
        <span className="muted">#{id}</span>
        <span className="spring" />
        <IconButton icon="cross" label="Close request" title="Close (Esc)" onClick={close} />
      </header>
      <div className="detail-body" aria-busy={!data && !error}>
        {error && (
          <p className="bad" role="alert">
            {error.message}
          </p>
        )}
        {data && <Fields fields={data.fields} />}
        {data && (
          <section className="raw" aria-label="Log line">
            <h3>Log line</h3>
            <pre>{data.raw}</pre>
          </section>
        )}
      </div>
    </aside>
  );
}

function Fields({ fields }: { fields: Record<string, string | number | null> }) {
  const { snapshot, dispatch } = useDiscover();
  const add = (field: string, op: "is" | "is not", value: string | number) =>
    dispatch({ type: "add-filter", filter: { field, op, value: String(value) } });
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
              {value !== "" && type !== "time" && (
                <>
                  <IconButton
                    icon="plus"
                    label={`Filter for ${name} ${value}`}
                    size={14}
                    onClick={() => add(name, "is", value)}
                  />
                  <IconButton
                    icon="minus"
                    label={`Filter out ${name} ${value}`}
                    size={14}
                    onClick={() => add(name, "is not", value)}
                  />
                </>
              )}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
