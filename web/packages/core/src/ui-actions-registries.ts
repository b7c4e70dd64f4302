/**
 * The actions of each client. Apart, so that what is loaded later finds them without bringing all
 * of them along.
 */
import type { UiActions } from "./types-page.js";
import type { PagesideClient } from "./types.js";

export const registries = new WeakMap<PagesideClient, UiActions>();
