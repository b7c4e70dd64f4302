/** Loads what hooks need only once something is asked, selected or cut, or in an older browser. */
export const loadHooksPart = () => import("./part.js");

/** What is loaded. */
export type HooksPart = Awaited<ReturnType<typeof loadHooksPart>>;

/** Uses it once it is there. Where it cannot be loaded, the console is told what does not work. */
export function withHooksPart(use: (part: HooksPart) => void, without: string): void {
  loadHooksPart().then(use, (error: unknown) => console.warn(`Pageside: ${without}.`, error));
}
