import { TopBarSlot } from "../shell/shell-context.tsx";
import { useDiscover } from "../app/discover-context.ts";
import { Icon } from "./Icon.tsx";

/** What Discover shows in the shell's top bar: the data source. */
export function TopBar() {
  const { info, infoError } = useDiscover().snapshot;
  return (
    <TopBarSlot>
      {info && (
        <div className="source" title={info.source.file || info.source.label}>
          <Icon name="database" size={15} />
          <span className="source-name">{info.source.name}</span>
          {info.source.generated ? (
            <span className="badge">generated sample</span>
          ) : (
            <span className="source-label wide-only">{info.source.label}</span>
          )}
        </div>
      )}
      {!info && infoError && <div className="source">No data source</div>}
    </TopBarSlot>
  );
}
