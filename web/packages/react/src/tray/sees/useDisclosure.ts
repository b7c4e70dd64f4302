import type { PagesideClient, Place } from "@pageside/core";
import { disclosureOf, type Disclosure } from "@pageside/core/server";
import { useEffect, useState } from "react";
import { useAssistantSnapshot } from "../../hooks/useAssistant.js";

/** What the server says of its part, "failed", or undefined while it is read. */
type Told = Disclosure | "failed" | undefined;

/**
 * What the server adds at the user's place, for the model that answers now; undefined also for a
 * client without a server.
 */
export function useDisclosure(client: PagesideClient, place: Place | undefined): Told {
  const [told, setTold] = useState<{ at: string; is: Told }>();
  const at = useAssistantSnapshot(({ threadId, picked }) => JSON.stringify([place, threadId, picked]));

  useEffect(() => {
    if (client.identity.direct) return;
    let isOver = false;
    const show = (is: Told) => isOver || setTold({ at, is });
    disclosureOf(client).then(show, () => show("failed"));
    return () => {
      isOver = true;
    };
  }, [client, at]);

  return told && told.at === at ? told.is : undefined;
}
