import type { PagesideClient } from "@pageside/core";
import { useCallback, useEffect, useRef } from "react";

/**
 * Leaves a selection out of what is sent, as long as it is the same: what the user selects next
 * goes along again. A switch in "what the assistant sees" stays as it is.
 */
export function useLeftOut(client: PagesideClient): (id: string) => void {
  const left = useRef(new Map<string, string | undefined>());

  useEffect(
    () =>
      client.subscribePage(() => {
        for (const [id, value] of left.current) {
          if (valueOf(client, id) === value) continue;
          left.current.delete(id);
          client.setIncluded("context", id, true);
        }
      }),
    [client],
  );

  return useCallback(
    (id) => {
      left.current.set(id, valueOf(client, id));
      client.setIncluded("context", id, false);
    },
    [client],
  );
}

const valueOf = (client: PagesideClient, id: string) => client.getContext([id]).find((item) => item.id === id)?.value;
