/** What is loaded when the tray opens: commands, mentions and files. */
import { lazyPart } from "../../ui/lazyPart.js";
import { transcriptPart } from "../transcript/later.js";

/** The message box beyond writing and sending. */
export const composerPart = lazyPart(async () => (await transcriptPart.load()).loadComposer(), transcriptPart);

/** Everything in the message box beyond writing and sending text. */
export const Parts = composerPart.component((part) => part.Parts);
