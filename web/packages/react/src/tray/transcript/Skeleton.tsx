import { useLabels } from "../../labels/useLabels.js";

/** Stands where turns will stand. */
export function Skeleton() {
  const labels = useLabels();
  return (
    <div className="ps-skeleton ps-shimmer ps-stack" role="img" aria-label={labels.loading}>
      <span />
      <span />
      <span />
    </div>
  );
}
