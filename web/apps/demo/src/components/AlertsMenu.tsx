import { useEffect, useRef } from "react";
import { useDiscover } from "../app/discover-context.ts";
import type { Alert } from "../api/types.ts";
import { Icon } from "./Icon.tsx";
import { Popover } from "./Popover.tsx";
import "./menus.css";

/** The saved alerts. */
export function AlertsMenu() {
  const { snapshot, model } = useDiscover();
  const { alerts, deletedAlert, alertsAsked } = snapshot;
  const anchor = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const button = anchor.current?.querySelector<HTMLButtonElement>("button[aria-haspopup]");
    if (alertsAsked > 0 && button?.getAttribute("aria-expanded") === "false") button.click();
  }, [alertsAsked]);
  if (!alerts) return null;
  return (
    <div ref={anchor} className="alerts-anchor">
      <Popover
        label="Alerts"
        align="end"
        button={(props) => (
          <button type="button" className="button button-quiet" title="Alerts" {...props}>
            <Icon name="alert" size={14} />
            <span className="wide-text">Alerts</span>
            {alerts.length > 0 && <span className="count">{alerts.length}</span>}
          </button>
        )}
      >
        {() => (
          <div className="alerts">
            {alerts.length === 0 && (
              <p className="alerts-empty">
                No alerts. Ask the assistant, for example: “Alert me when there are more than 20 404s in an hour”.
              </p>
            )}
            <ul>
              {alerts.map((alert) => (
                <AlertRow key={alert.id} alert={alert} onDelete={() => void model.deleteAlert(alert.id)} />
              ))}
            </ul>
            {deletedAlert && (
              <p className="alerts-undo" role="status">
                <span>“{deletedAlert.name}” deleted</span>
                <button type="button" className="button button-soft" onClick={() => void model.restoreAlert()}>
                  <Icon name="undo" size={14} />
                  Undo
                </button>
              </p>
            )}
          </div>
        )}
      </Popover>
    </div>
  );
}

function AlertRow({ alert, onDelete }: { alert: Alert; onDelete(): void }) {
  const times = alert.fired === 1 ? "once" : `${alert.fired.toLocaleString("en")} times`;
  return (
    <li className="alert-row">
      <div>
        <strong>{alert.name}</strong>
        <span className="muted">
          Would have fired {times} in this log; at most {alert.peak.toLocaleString("en")} in {alert.interval}
        </span>
        <code>{alert.query}</code>
      </div>
      <button
        type="button"
        className="icon-button"
        aria-label={`Delete ${alert.name}`}
        title="Delete"
        onClick={onDelete}
      >
        <Icon name="cross" size={14} />
      </button>
    </li>
  );
}
