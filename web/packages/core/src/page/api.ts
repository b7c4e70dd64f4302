/** The functions of a client that are about the page. */
import type { ContextRegistry } from "./context.js";
import type { InstructionRegistry, Page, PlaceRegistry } from "./page.js";
import type { ContextEntry, ContextEntryInfo, IncludedKind, InstructionEntry, Place } from "./types.js";

/** What a client knows and says of the page. */
export interface PageApi {
  /** Where the user is. */
  setPlace(place: Place | undefined): void;
  /**
   * A part of where the user is, on top of what `setPlace` said: a layout knows the page, a panel
   * the tab. The newest registration of a field wins.
   */
  registerPlace(part: Partial<Place>): () => void;
  /** The place that `setPlace` and `registerPlace` add up to; undefined without a page. */
  getPlace(): Place | undefined;
  /** The function undoes the registration. */
  registerContext(entry: ContextEntry): () => void;
  /**
   * Background the assistant is told with every run, as system messages. The function undoes the
   * registration.
   */
  registerInstructions(entry: InstructionEntry): () => void;

  /** What would be sent now: for "what the assistant sees". `id` is that of the entry. */
  getContext(mentions?: readonly string[]): { id: string; description: string; value: string }[];
  /**
   * The registered context entries without their values, also those that are switched off: those
   * with a `label` can be mentioned.
   */
  getContextEntries(): ContextEntryInfo[];
  /**
   * The registered instructions, also those that are switched off, in the order in which they are
   * sent.
   */
  getInstructions(): InstructionEntry[];
  /**
   * Switches a context entry (by id), a tool (by name) or instructions (by id) off, or on again:
   * what is off is not sent and not offered, until the client is gone. A context entry that the
   * user mentions is sent anyway.
   */
  setIncluded(kind: IncludedKind, id: string, included: boolean): void;
  /** Reports whether it is switched on. */
  isIncluded(kind: IncludedKind, id: string): boolean;
  /**
   * Calls the listener, at most once a frame, after what the assistant sees has changed: something
   * was registered, undone or switched, or `pageChanged` was called. The function undoes it.
   */
  subscribePage(listener: () => void): () => void;
  /**
   * Says that what registered functions read has changed: the user went to another address, for
   * instance.
   */
  pageChanged(): void;
}

/** What a client knows of its page. */
export interface PageParts {
  readonly page: Page;
  readonly places: PlaceRegistry;
  readonly context: ContextRegistry;
  readonly instructions: InstructionRegistry;
}

/**
 * Makes the functions of a client that are about the page. `offerItems` is called for an entry that
 * keeps more than it sends: it offers the assistant to ask for that, until the function it returns
 * is called.
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
    subscribePage: page.subscribe,
    pageChanged: () => page.changed(),
  };
}
