import { Icon } from "../../components/Icon.tsx";
import { pageSizes } from "../state/article-view.ts";
import { num } from "./text.ts";

interface PagerProps {
  page: number;
  pageSize: number;
  total: number;
  onPage(page: number): void;
  onPageSize(pageSize: number): void;
}

/** Which rows are shown, and the way to the others. */
export function Pager({ page, pageSize, total, onPage, onPageSize }: PagerProps) {
  const last = Math.max(1, Math.ceil(total / pageSize));
  const first = (page - 1) * pageSize + 1;
  if (total <= pageSizes[0]) return null;
  return (
    <nav className="pager" aria-label="Pages">
      <label className="pager-size wide-only">
        <span className="sr-only">Rows per page</span>
        <select
          className="input input-small"
          value={pageSize}
          onChange={(event) => onPageSize(Number(event.target.value))}
        >
          {pageSizes.map((size) => (
            <option key={size} value={size}>
              {size} rows
            </option>
          ))}
        </select>
      </label>
      <span className="pager-range" aria-live="polite">
        {num(first)}–{num(Math.min(page * pageSize, total))} <span className="muted">of {num(total)}</span>
      </span>
      <button
        type="button"
        className="icon-button"
        aria-label="Previous page"
        disabled={page <= 1}
        onClick={() => onPage(page - 1)}
      >
        <Icon name="chevronLeft" />
      </button>
      <button
        type="button"
        className="icon-button"
        aria-label="Next page"
        disabled={page >= last}
        onClick={() => onPage(page + 1)}
      >
        <Icon name="chevronRight" />
      </button>
    </nav>
  );
}
