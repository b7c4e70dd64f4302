// What tests wait for may take its time on a busy machine: one second, as vitest and the Testing
// Library have it, is too little.
import { afterEach, beforeAll, vi } from "vitest";

const PATIENCE = 30_000;

const { waitFor, waitUntil } = vi;
vi.waitFor = (callback, options) => waitFor(callback, patient(options));
vi.waitUntil = (callback, options) => waitUntil(callback, patient(options));

const patient = <T extends { timeout?: number }>(options: number | T | undefined) =>
  typeof options === "number" ? options : { timeout: PATIENCE, interval: 20, ...options };

// jsdom has no modal dialogs.
if (typeof HTMLDialogElement !== "undefined") {
  HTMLDialogElement.prototype.showModal = function () {
    this.open = true;
  };
  HTMLDialogElement.prototype.close = function () {
    this.open = false;
  };
}

let unmount = () => {};

beforeAll(async () => {
  if (typeof document === "undefined") return;
  const { cleanup, configure } = await import("@testing-library/react");
  configure({ asyncUtilTimeout: PATIENCE });
  unmount = cleanup;
});

// Test files share React and the document: what one leaves behind is not for the next. Tests need
// not put back what they replace.
afterEach(() => {
  // What stands over faked timers goes before them, or it would put them back.
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.useRealTimers();
  const environment = globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean };
  const pending = environment.IS_REACT_ACT_ENVIRONMENT !== undefined;
  delete environment.IS_REACT_ACT_ENVIRONMENT;
  unmount();
  if (typeof document !== "undefined") forget();
  if (pending) throw new Error("This test does not await one of its calls of act().");
});

/** Each test is a new visitor of an empty page. */
function forget(): void {
  document.body.replaceChildren();
  localStorage.clear();
  sessionStorage.clear();
  history.replaceState(null, "", "/");
}
