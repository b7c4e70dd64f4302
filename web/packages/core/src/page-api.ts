import { retrieveTool } from "./page/context.js";
import type { Shared } from "./thread/session.js";
import type { FrontendTool, PagesideClient } from "./thread/types.js";

/** What a page tells the assistant: where the user is, context, tools, instructions. */
export function pageOf({ page, places, context, tools, instructions }: Shared) {
  return {
    setPlace(place) {
      places.set(place);
      page.changed();
    },
    registerPlace: (part) => page.registered(places.register(part)),
    getPlace: () => places.current(),
    registerContext(entry) {
      const undo = [context.register(entry)];
      if (entry.items) undo.push(tools.register(retrieveTool(context) as FrontendTool));
      return page.registered(() => undo.forEach((each) => each()));
    },
    registerTool: (tool) => page.registered(tools.register(tool as FrontendTool)),
    registerInstructions: (entry) => page.registered(instructions.register(entry)),
    getContext: (mentions) => context.collect(mentions).map(({ item, detail: { id } }) => ({ id, ...item })),
    getContextEntries: () => context.list(),
    getInstructions: () => instructions.list(),
    getTools: () => tools.list(),
    getToolEntries: () => tools.entries(),
    setIncluded: (kind, id, included) => page.set(kind, id, included),
    isIncluded: (kind, id) => page.isOn(kind, id),
    subscribePage: (listener) => page.subscribe(listener),
    pageChanged: () => page.changed(),
  } satisfies Partial<PagesideClient>;
}
