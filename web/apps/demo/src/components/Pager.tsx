import { Icon } from "./Icon.tsx";

interface PagerProps {
  page: number;
  pageSize: number;
  total: number;
  /** How many rows a page may have, the smallest number first. */
  sizes: readonly number[];
  /** How many rows there is a way to, where not to all of them. */
  most?: number;
  onPage(page: number): void;
  onPageSize(pageSize: number): void;
}

const num = (value: number) => value.toLocaleString("en");

/** Which rows are shown, and the way to the others. */
export function Pager({ page, pageSize, total, sizes, most = total, onPage, onPageSize }: PagerProps) {
  const last = Math.max(1, Math.ceil(Math.min(total, most) / pageSize));
  const first = (page - 1) * pageSize + 1;
  if (total <= Math.min(...sizes)) return null;
  return (
    <nav className="pager" aria-label="Pages">
      <label className="pager-size wide-only">
        <span className="sr-only">Rows per page</span>
        <select
          className="input input-small"
          value={pageSize}
          onChange={(event) => onPageSize(Number(event.target.value))}
        >
          {sizes.map((size) => (
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
        title={page === last && total > most ? `Only the first ${num(most)} rows can be paged through` : undefined}
        disabled={page >= last}
        onClick={() => onPage(page + 1)}
      >
        <Icon name="chevronRight" />
      </button>
    </nav>
  );
}
