/** What is loaded when the tray opens: commands, mentions, files, and the messages that wait. */
import { lazyPart } from "../../ui/lazyPart.js";
import { transcriptPart } from "../transcript/later.js";

/** The message box beyond writing and sending. */
export const composerPart = lazyPart(async () => (await transcriptPart.load()).loadComposer(), transcriptPart);

/** Everything in the message box beyond writing and sending text. */
export const Parts = composerPart.component((part) => part.Parts);

/** The messages that wait for the end of a run. */
export const Queue = composerPart.component((part) => part.Queue);
