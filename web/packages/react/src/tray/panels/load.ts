/** The panels, for the message box: a module before those that are loaded with the panels. */
import { lazyPart } from "../../ui/lazyPart.js";

/** What opens over the conversation, and what writes it to a file. */
export const panelsPart = lazyPart(() => import("./part.js"));

/** Asks about a command that is not registered, over the message box. */
export const CommandQuestion = panelsPart.component((part) => part.CommandQuestion);

/** What the assistant can do here, over the message box. */
export const Help = panelsPart.component((part) => part.Help);
