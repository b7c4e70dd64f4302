import { useEffect, useRef, useState } from "react";
import { useDiscover } from "../app/discover-context.ts";
import type { Cell, Filter } from "../api/types.ts";
import type { Detail } from "../state/discover.ts";
import { rowId } from "../state/results.ts";
import { CellValue } from "./cells.tsx";
import { Icon } from "./Icon.tsx";
import "./detail.css";

/** The open request, beside the table. */
export function DetailFlyout() {
  const { snapshot, dispatch } = useDiscover();
  const { detail } = snapshot;
  return detail && <Flyout detail={detail} onClose={() => dispatch({ type: "open-row", row: null })} />;
}

function Flyout({ detail, onClose }: { detail: Detail; onClose(): void }) {
  const panel = useRef<HTMLElement>(null);
  const latest = useRef(detail.id);
  useEffect(() => {
    latest.current = detail.id;
    rowElement(detail.id)?.scrollIntoView({ block: "nearest" });
  }, [detail.id]);
  useEffect(() => {
    panel.current?.focus({ preventScroll: true });
    return () => rowElement(latest.current)?.querySelector<HTMLElement>(".row-open")?.focus();
  }, []);
  return (
    <aside
      className="detail"
      aria-label="Request"
      ref={panel}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onClose();
      }}
    >
      <header className="detail-head">
        <h2 className="detail-title">Request</h2>
        <span className="muted detail-id">#{detail.id}</span>
        <span className="spring" />
        <Steps id={detail.id} />
        <button type="button" className="icon-button" aria-label="Close request" title="Close (Esc)" onClick={onClose}>
          <Icon name="cross" />
        </button>
      </header>
      <div className="detail-body" aria-busy={!detail.data && !detail.error}>
        {detail.error && (
          <p className="detail-error" role="alert">
            <Icon name="alert" size={14} />
            {detail.error.message}
          </p>
        )}
        {detail.data && <Fields fields={detail.data.fields} />}
        {detail.data && <Raw text={detail.data.raw} />}
      </div>
    </aside>
  );
}

function rowElement(id: string): HTMLElement | null {
  return document.querySelector(`tr[data-row="${CSS.escape(id)}"]`);
}

/** To the row above and below on this page of the results. */
function Steps({ id }: { id: string }) {
  const { snapshot, dispatch } = useDiscover();
  const { data } = snapshot.results;
  const ids = data?.kind === "rows" ? data.rows.map((row) => rowId(data, row)) : [];
  const at = ids.indexOf(id);
  const step = (to: number) => ids[to] && dispatch({ type: "open-row", row: ids[to] });
  return (
    <>
      <button
        type="button"
        className="icon-button"
        aria-label="Previous request"
        disabled={at <= 0}
        onClick={() => step(at - 1)}
      >
        <Icon name="chevronLeft" />
      </button>
      <button
        type="button"
        className="icon-button"
        aria-label="Next request"
        disabled={at < 0 || at >= ids.length - 1}
        onClick={() => step(at + 1)}
      >
        <Icon name="chevronRight" />
      </button>
    </>
  );
}

function Fields({ fields }: { fields: Record<string, Cell> }) {
  const { snapshot, dispatch } = useDiscover();
  const known = snapshot.info?.fields ?? [];
  return (
    <dl className="fields">
      {known.map(({ name, type }) => {
        const value = fields[name] ?? null;
        return (
          <div className="field" key={name}>
            <dt>{name}</dt>
            <dd>
              <CellValue column={{ name, type }} value={value} />
            </dd>
            <dd className="field-actions">
              {value !== null && value !== "" && type !== "time" && (
                <FilterButtons
                  field={name}
                  value={value}
                  onFilter={(filter) => dispatch({ type: "add-filter", filter })}
                />
              )}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

interface FilterButtonsProps {
  field: string;
  value: Cell;
  onFilter(filter: Filter): void;
}

function FilterButtons({ field, value, onFilter }: FilterButtonsProps) {
  const text = String(value);
  return (
    <>
      <button
        type="button"
        className="icon-button icon-button-small"
        aria-label={`Filter for ${field} ${text}`}
        title="Filter for this value"
        onClick={() => onFilter({ field, op: "is", value: text })}
      >
        <Icon name="plus" size={14} />
      </button>
      <button
        type="button"
        className="icon-button icon-button-small"
        aria-label={`Filter out ${field} ${text}`}
        title="Filter this value out"
        onClick={() => onFilter({ field, op: "is not", value: text })}
      >
        <Icon name="minus" size={14} />
      </button>
    </>
  );
}

function Raw({ text }: { text: string }) {
  const [copied, setCopied] = useState(false);
  const copy = () => {
    void navigator.clipboard.writeText(text).then(() => {
      setCopied(true);
      setTimeout(() => setCopied(false), 2000);
    });
  };
  return (
    <section className="raw" aria-label="Log line">
      <header>
        <h3>Log line</h3>
        <button type="button" className="button button-quiet" onClick={copy}>
          <Icon name={copied ? "check" : "copy"} size={14} />
          {copied ? "Copied" : "Copy"}
        </button>
      </header>
      <pre>{text}</pre>
    </section>
  );
}
