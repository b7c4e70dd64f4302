/** The address as it is: whoever tells it, it is told once. */
import type { PagesideClient } from "@pageside/core";

/** What one component says of it. Of what two say, the innermost counts. */
export interface AddressTeller {
  order: number;
  description?: string;
  source?: string;
  /** Reads the address, with this component's `decode`; undefined where it has none. */
  read?: () => unknown;
}

/** What the address is called where nobody says otherwise. */
export const DESCRIPTION = "Address of the page the user is on";
const ID = "page-address";

const tellers = new WeakMap<PagesideClient, readonly AddressTeller[]>();
const undos = new WeakMap<PagesideClient, () => void>();

/**
 * Tells the address, unless somebody does already. `plain` reads it where nobody has a way of their
 * own.
 */
export function tellAddress(client: PagesideClient, teller: AddressTeller, plain: () => unknown): () => void {
  const change = (next: readonly AddressTeller[]) => {
    tellers.set(client, next);
    if (next.length === 0) return undos.get(client)?.();
    const { description = DESCRIPTION } = innermost(next, "description") ?? {};
    const value = innermost(next, "read")?.read ?? plain;
    const source = innermost(next, "source")?.source;
    undos.set(client, client.registerContext({ id: ID, description, source, value, kind: "page" }));
  };
  change([...(tellers.get(client) ?? []), teller].sort((a, b) => a.order - b.order));
  return () => change((tellers.get(client) ?? []).filter((other) => other !== teller));
}

/** Of those who say something of that kind, the one that is within the others. */
function innermost(all: readonly AddressTeller[], what: keyof AddressTeller): AddressTeller | undefined {
  return all.findLast((each) => each[what] !== undefined);
}
