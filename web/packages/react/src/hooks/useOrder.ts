import { nextOrder } from "@pageside/core";
import { useState } from "react";

/**
 * Where a component stands among those that register the same name. Parents render before their
 * children, so that the innermost is the highest, while effects run the other way round; and what
 * comes later is above what was there.
 */
export function useOrder(): number {
  const [order] = useState(nextOrder);
  return order;
}
