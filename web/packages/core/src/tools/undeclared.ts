/** A reminder for developers: tools that declare no effect run at once. */

/** Names of tools that delete, send or pay. `pageside check` has the same words. */
const TELLING = /delete|remove|drop|purge|wipe|send|mail|post|publish|share|pay|buy|order|submit|transfer|refund/i;

/** What tests run in has a location on this computer, too. */
const TEST = /jsdom|happy-?dom/i;

/** The tools that were listed since the page was loaded. */
const reminded = new Set<string>();

interface Declaring {
  readonly name: string;
  readonly metadata?: unknown;
}

/**
 * Lists the tools that declare nothing in the console, each once, first those whose names say that
 * they delete, send or pay.
 */
export function remindOfEffects(tools: readonly Declaring[]): void {
  if (TEST.test(navigator.userAgent)) return;
  const names = tools.filter(({ name, metadata }) => !metadata && !reminded.has(name)).map(({ name }) => name);
  if (names.length === 0) return;
  for (const name of names) reminded.add(name);
  names.sort((a, b) => Number(TELLING.test(b)) - Number(TELLING.test(a)));
  console.info(
    `Pageside: these tools declare no \`effect\` and run without asking: ${names.join(", ")}. Declare "read" for what only changes the view, and what deletes, sends or pays.`,
  );
}
