/** What looks through a thread: loaded when the user asks for it. */
import { lazyPart } from "../../ui/lazyPart.js";

/** The box with what it finds. */
export const findPart = lazyPart(() => import("./Find.js"));

/** Looks through a whole thread. */
export const Find = findPart.component((part) => part.Find);
