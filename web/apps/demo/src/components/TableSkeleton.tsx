/** Grey lines where rows will be. */
export function TableSkeleton() {
  return (
    <div className="skeleton" role="status">
      <span className="sr-only">Loading</span>
      {Array.from({ length: 14 }, (_, row) => (
        <div className="skeleton-row" key={row}>
          <i style={{ width: 128 }} />
          <i style={{ width: 36 }} />
          <i style={{ width: 36 }} />
          <i style={{ width: `${24 + ((row * 17) % 30)}%` }} />
          <i style={{ width: 56 }} />
        </div>
      ))}
    </div>
  );
}
