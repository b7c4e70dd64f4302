/** What is loaded when it is first opened: menu, history, and all else over the conversation. */
import { lazyPart } from "../../ui/lazyPart.js";
import { composerPart } from "../composer/later.js";

/** The panels. */
export const panelsPart = lazyPart(async () => (await composerPart.load()).panelsPart.load());

/** What opens over the conversation, and the message about what was done there. */
export const Panels = panelsPart.component((part) => part.Panels);

/** Changes the title of the open conversation, in the header. */
export const TitleField = panelsPart.component((part) => part.TitleField);
