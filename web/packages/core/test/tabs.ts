/** What tabs of one browser share, for tests. */

export class TestStorage {
  readonly items = new Map<string, string>();
  getItem = (key: string) => this.items.get(key) ?? null;
  setItem = (key: string, value: string) => void this.items.set(key, value);
  removeItem = (key: string) => void this.items.delete(key);
}

/** Web Locks, as far as claims use them. */
export class TestLocks {
  readonly held = new Set<string>();

  async query(): Promise<LockManagerSnapshot> {
    return { held: [...this.held].map((name) => ({ name })) };
  }

  async request(name: string, _: { ifAvailable: true }, hold: (lock: object | null) => unknown): Promise<void> {
    if (this.held.has(name)) {
      await hold(null);
      return;
    }
    this.held.add(name);
    await hold({ name });
    this.held.delete(name);
  }
}

export class TestDocument extends EventTarget {
  visibilityState = "visible";

  show(visibilityState: "visible" | "hidden"): void {
    this.visibilityState = visibilityState;
    this.dispatchEvent(new Event("visibilitychange"));
  }
}

/** A moment that a test decides. */
export function gate(): { opened: Promise<void>; open(): void } {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}
