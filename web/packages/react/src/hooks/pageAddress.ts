/** The address of the page as one context entry, for any number of components that describe it. */
import type { ContextValue, PagesideClient } from "@pageside/core";

/** How one component describes the address. The innermost wins. */
interface AddressTeller {
  /** The component's rank (see `useOrder`). */
  order: number;
  /** What the address is, in words. */
  description?: string;
  /** The component or plug-in that describes it. */
  source?: string;
  /** Reads the address, with this component's `decode`; undefined if it has none. */
  read?: () => ContextValue;
}

/** The default description of the address. */
export const DESCRIPTION = "Address of the page the user is on";
const ID = "page-address";

/** The components that describe the address, and the function that unregisters it. */
interface Address {
  tellers: readonly AddressTeller[];
  undo?: () => void;
}

const ADDRESS = Symbol("page address");
const addressOf = (client: PagesideClient) => client.extension<Address>(ADDRESS, () => ({ tellers: [] }));

/**
 * Registers the address, or adds a description to the one that is registered. `plain` reads it if
 * no component has its own way. The function undoes it.
 */
export function tellAddress(client: PagesideClient, teller: AddressTeller, plain: () => ContextValue): () => void {
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

/** The value of the innermost component that has one. */
function innermost(all: readonly AddressTeller[], what: keyof AddressTeller): AddressTeller | undefined {
  return all.findLast((each) => each[what] !== undefined);
}
