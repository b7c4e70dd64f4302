import { TopBarSlot } from "../shell/shell-context.tsx";
import { useDiscover } from "../app/discover-context.ts";
import { AlertsMenu } from "./AlertsMenu.tsx";
import { SourceMenu } from "./SourceMenu.tsx";

/** What Discover shows in the shell's top bar: the data source. */
export function TopBar() {
  const { info, infoError } = useDiscover().snapshot;
  return (
    <TopBarSlot>
      <SourceMenu />
      <AlertsMenu />
      {!info && infoError && <div className="source">No data source</div>}
    </TopBarSlot>
  );
}
