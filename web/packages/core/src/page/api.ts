/** The client's functions for the page. */
import type { ContextRegistry } from "./context.js";
import type { InstructionRegistry, Page, PlaceRegistry } from "./page.js";
import type { Capability, ContextEntry, ContextEntryInfo, IncludedKind, InstructionEntry, Place } from "./types.js";

/** The part of a client that describes the page. */
export interface PageApi {
  /** Where the user is. */
  setPlace(place: Place | undefined): void;
  /**
   * Adds to what `setPlace` says: a layout may know the page and a panel the tab. The newest
   * registration of a field wins. The function undoes it.
   */
  registerPlace(part: Partial<Place>): () => void;
  /** The place from `setPlace` and `registerPlace` together; undefined without a page. */
  getPlace(): Place | undefined;
  /** The function undoes the registration. */
  registerContext(entry: ContextEntry): () => void;
  /**
   * Background for the assistant, sent with every run as system messages. The function undoes the
   * registration.
   */
  registerInstructions(entry: InstructionEntry): () => void;

  /** What would be sent now: for "what the assistant sees". `id` is the entry's. */
  getContext(mentions?: readonly string[]): { id: string; description: string; value: string }[];
  /**
   * The registered context entries without their values, including those that are switched off.
   * Entries with a `label` can be mentioned.
   */
  getContextEntries(): ContextEntryInfo[];
  /**
   * The registered instructions in the order in which they are sent, including those that are
   * switched off.
   */
  getInstructions(): InstructionEntry[];
  /**
   * Switches a context entry (by id), a tool (by name) or instructions (by id) off, or on again.
   * What is off is neither sent nor offered. A context entry that the user mentions is sent anyway.
   */
  setIncluded(kind: IncludedKind, id: string, included: boolean): void;
  /** Reports whether it is switched on. */
  isIncluded(kind: IncludedKind, id: string): boolean;
  /**
   * Leaves out what has this `source` and is not of these capabilities, as `registerPlugin` does.
   * Of several restrictions of a source, each adds what it names. The function undoes it.
   */
  restrict(source: string, capabilities: readonly Capability[]): () => void;
  /** Reports whether the source may contribute this. */
  allows(capability: Capability, source: string | undefined): boolean;
  /**
   * Calls the listener, at most once a frame, when what the assistant sees has changed: a
   * registration, a switch, or a call of `pageChanged`. The function undoes it.
   */
  subscribePage(listener: () => void): () => void;
  /**
   * Announces that the values of registered functions may have changed: after a navigation, for
   * example.
   */
  pageChanged(): void;
}

/** The registries of the page. */
export interface PageParts {
  readonly page: Page;
  readonly places: PlaceRegistry;
  readonly context: ContextRegistry;
  readonly instructions: InstructionRegistry;
}

/**
 * Makes the client's functions for the page. `offerItems` is called for an entry with items: it
 * offers the tool that retrieves them, until the function it returns is called.
 */
export function pageApi({ page, places, context, instructions }: PageParts, offerItems: () => () => void): PageApi {
  return {
    setPlace(place) {
      places.set(place);
      page.changed();
    },
    registerPlace: (part) => page.registered(places.register(part)),
    getPlace: () => places.current(),
    registerContext(entry) {
      const undo = [context.register(entry), ...(entry.items ? [offerItems()] : [])];
      return page.registered(() => undo.forEach((each) => each()));
    },
    registerInstructions: (entry) => page.registered(instructions.register(entry)),
    getContext: (mentions) => context.collect(mentions).map(({ item, detail: { id } }) => ({ id, ...item })),
    getContextEntries: () => context.list(),
    getInstructions: () => instructions.list(),
    setIncluded: (kind, id, included) => page.set(kind, id, included),
    isIncluded: (kind, id) => page.isOn(kind, id),
    restrict: (source, capabilities) => page.restrict(source, capabilities),
    allows: (capability, source) => page.allows(capability, source),
    subscribePage: page.subscribe,
    pageChanged: () => page.changed(),
  };
}
