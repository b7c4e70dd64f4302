import { IconButton } from "./Button.tsx";
import { num } from "./text.ts";

interface PagerProps {
  page: number;
  pageSize: number;
  total: number;
  /** How many rows a page may have, the smallest number first. */
  sizes: readonly number[];
  /** How many rows can be paged through, if not all. */
  most?: number;
  onPage(page: number): void;
  onPageSize(pageSize: number): void;
}

/** Which rows are shown, and the way to the others. */
export function Pager({ page, pageSize, total, sizes, most = total, onPage, onPageSize }: PagerProps) {
  const last = Math.max(1, Math.ceil(Math.min(total, most) / pageSize));
  if (total <= Math.min(...sizes)) return null;
  return (
    <nav className="pager" aria-label="Pages">
      <select
        className="input input-small wide-only"
        aria-label="Rows per page"
        value={pageSize}
        onChange={(event) => onPageSize(Number(event.target.value))}
      >
        {sizes.map((size) => (
          <option key={size} value={size}>
            {size} rows
          </option>
        ))}
      </select>
      <span className="pager-range" aria-live="polite">
        {num((page - 1) * pageSize + 1)}–{num(Math.min(page * pageSize, total))}{" "}
        <span className="muted">of {num(total)}</span>
      </span>
      <IconButton icon="chevronLeft" label="Previous page" disabled={page <= 1} onClick={() => onPage(page - 1)} />
      <IconButton
        icon="chevronRight"
        label="Next page"
        title={page === last && total > most ? `Only the first ${num(most)} rows can be paged through` : "Next page"}
        disabled={page >= last}
        onClick={() => onPage(page + 1)}
      />
    </nav>
  );
}
