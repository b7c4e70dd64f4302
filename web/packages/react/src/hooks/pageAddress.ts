/** The address of the page as one context entry, however many components describe it. */
import type { PagesideClient } from "@pageside/core";

/** How one component describes the address. Where two differ, the innermost counts. */
interface AddressTeller {
  /** Where the component stands among the others (see `useOrder`). */
  order: number;
  /** What the address is, in words. */
  description?: string;
  /** The component or plug-in that describes it. */
  source?: string;
  /** Reads the address, with this component's `decode`; undefined if it has none. */
  read?: () => unknown;
}

/** What the address is called where nobody says otherwise. */
export const DESCRIPTION = "Address of the page the user is on";
const ID = "page-address";

/** Who describes the address, and what undoes its registration. */
interface Address {
  tellers: readonly AddressTeller[];
  undo?: () => void;
}

const ADDRESS = Symbol("page address");
const addressOf = (client: PagesideClient) => client.extension<Address>(ADDRESS, () => ({ tellers: [] }));

/**
 * Registers the address, or adds a description to the one that is registered. `plain` reads it
 * where no component has a way of its own. Returns what undoes this.
 */
export function tellAddress(client: PagesideClient, teller: AddressTeller, plain: () => unknown): () => void {
  const address = addressOf(client);
  const change = (next: readonly AddressTeller[]) => {
    address.tellers = next;
    if (next.length === 0) return address.undo?.();
    const { description = DESCRIPTION } = innermost(next, "description") ?? {};
    const value = innermost(next, "read")?.read ?? plain;
    const source = innermost(next, "source")?.source;
    address.undo = client.registerContext({ id: ID, description, source, value, kind: "page" });
  };
  change([...address.tellers, teller].sort((a, b) => a.order - b.order));
  return () => change(address.tellers.filter((other) => other !== teller));
}

/** Of the components that say something of that kind, the innermost. */
function innermost(all: readonly AddressTeller[], what: keyof AddressTeller): AddressTeller | undefined {
  return all.findLast((each) => each[what] !== undefined);
}
