import { useDiscover } from "../app/discover-context.ts";
import { pageSizes } from "../state/view.ts";
import { Icon } from "./Icon.tsx";

/** Which rows are shown, and the way to the others. */
export function Pager({ total }: { total: number }) {
  const { snapshot, dispatch } = useDiscover();
  const { page, pageSize } = snapshot.view;
  const last = Math.max(1, Math.ceil(total / pageSize));
  const first = (page - 1) * pageSize + 1;
  const go = (to: number) => dispatch({ type: "set-page", page: to });
  if (total <= pageSizes[0]) return null;
  return (
    <nav className="pager" aria-label="Pages">
      <label className="pager-size wide-only">
        <span className="sr-only">Rows per page</span>
        <select
          className="input input-small"
          value={pageSize}
          onChange={(event) => dispatch({ type: "set-page-size", pageSize: Number(event.target.value) })}
        >
          {pageSizes.map((size) => (
            <option key={size} value={size}>
              {size} rows
            </option>
          ))}
        </select>
      </label>
      <span className="pager-range" aria-live="polite">
        {first.toLocaleString("en")}–{Math.min(page * pageSize, total).toLocaleString("en")}{" "}
        <span className="muted">of {total.toLocaleString("en")}</span>
      </span>
      <button
        type="button"
        className="icon-button"
        aria-label="Previous page"
        disabled={page <= 1}
        onClick={() => go(page - 1)}
      >
        <Icon name="chevronLeft" />
      </button>
      <button
        type="button"
        className="icon-button"
        aria-label="Next page"
        disabled={page >= last}
        onClick={() => go(page + 1)}
      >
        <Icon name="chevronRight" />
      </button>
    </nav>
  );
}
