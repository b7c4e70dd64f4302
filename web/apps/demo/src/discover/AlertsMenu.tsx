import { Popover } from "../ui/Popover.tsx";
import { num } from "../ui/text.ts";
import { NamedList } from "./NamedList.tsx";
import { useDiscover } from "./use-discover.ts";

const buttonId = "alerts";

/** Opens the list of alerts. */
export const showAlerts = () => document.querySelector<HTMLElement>(`#${buttonId}[aria-expanded=false]`)?.click();

/** The saved alerts. */
export function AlertsMenu() {
  const { snapshot, model } = useDiscover();
  const { alerts, deletedAlert } = snapshot;
  if (alerts.length === 0 && !deletedAlert) return null;
  const text = (
    <>
      <span className="wide-text">Alerts</span>
      <span className="count">{alerts.length}</span>
    </>
  );
  return (
    <Popover id={buttonId} label="Alerts" title="Alerts" align="end" icon="alert" text={text}>
      <NamedList
        items={alerts}
        note={({ fired, peak, interval }) => {
          const times = fired === 1 ? "once" : `${num(fired)} times`;
          return `Would have fired ${times} in this log; at most ${num(peak)} in ${interval}`;
        }}
        onDelete={({ id }) => void model.deleteAlert(id)}
        deleted={deletedAlert}
        onUndo={() => void model.restoreAlert()}
      />
    </Popover>
  );
}
