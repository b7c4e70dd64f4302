import { Deleted, IconButton } from "../ui/Button.tsx";
import { Popover } from "../ui/Popover.tsx";
import { num } from "../ui/text.ts";
import { useDiscover } from "./use-discover.ts";

const buttonId = "alerts";

/** Opens the list of alerts. */
export const showAlerts = () => document.querySelector<HTMLElement>(`#${buttonId}[aria-expanded=false]`)?.click();

/** The saved alerts. */
export function AlertsMenu() {
  const { snapshot, model } = useDiscover();
  const { alerts, deletedAlert } = snapshot;
  if (alerts.length === 0 && !deletedAlert) return null;
  return (
    <Popover
      id={buttonId}
      label="Alerts"
      align="end"
      className="button button-quiet"
      title="Alerts"
      icon="alert"
      text={
        <>
          <span className="wide-text">Alerts</span>
          <span className="count">{alerts.length}</span>
        </>
      }
    >
      {() => (
        <div className="list">
          <ul>
            {alerts.map(({ id, name, fired, peak, interval, query }) => (
              <li key={id} className="list-row">
                <div>
                  <strong>{name}</strong>
                  <small>
                    Would have fired {fired === 1 ? "once" : `${num(fired)} times`} in this log; at most {num(peak)} in{" "}
                    {interval}
                  </small>
                  <code>{query}</code>
                </div>
                <IconButton
                  icon="cross"
                  label={`Delete ${name}`}
                  title="Delete"
                  size={14}
                  onClick={() => void model.deleteAlert(id)}
                />
              </li>
            ))}
          </ul>
          {deletedAlert && <Deleted name={deletedAlert.name} onUndo={() => void model.restoreAlert()} />}
        </div>
      )}
    </Popover>
  );
}
