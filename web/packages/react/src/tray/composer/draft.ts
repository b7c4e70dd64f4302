import type { PagesideClient } from "@pageside/core";
import { useEffect, useRef, useState, type RefObject } from "react";
import { useLatest } from "../../hooks/effects.js";

/** In `sessionStorage`: drafts outlive a reload, but not the tab. */
const KEY = "pageside:drafts";

/** Of more drafts the oldest are forgotten. */
const MAX_DRAFTS = 20;

/** The key of a thread without messages: after a reload it has another id. */
const NEW = "";

/** A draft is stored so many milliseconds after its last change. */
const DELAY = 500;

/** The draft under a key; empty if there is none. */
export function readDraft(key: string): string {
  const draft = readAll()[key];
  return typeof draft === "string" ? draft : "";
}

/** Keeps a draft; an empty one is forgotten. */
export function writeDraft(key: string, text: string): void {
  const { [key]: _, ...others } = readAll();
  const kept = Object.entries(others).slice(text ? 1 - MAX_DRAFTS : 0);
  try {
    sessionStorage.setItem(KEY, JSON.stringify(Object.fromEntries(text ? [...kept, [key, text]] : kept)));
  } catch {
    // Storage is full or switched off: the draft lives as long as the page.
  }
}

function readAll(): Record<string, unknown> {
  try {
    const all: Record<string, unknown> | null = JSON.parse(sessionStorage.getItem(KEY) ?? "{}");
    return all ?? {};
  } catch {
    return {};
  }
}

/** The key of the open thread's draft. */
function keyOf(client: PagesideClient): string {
  const { threadId, messages, loading } = client.getSnapshot();
  return messages.length === 0 && !loading ? NEW : threadId;
}

/** The text field whose text is kept. */
interface TextBox {
  read(): string;
  write(text: string): void;
}

/**
 * Keeps the draft of each thread and brings it back with the thread. A message is kept until the
 * server has it; one that it refused for good comes back into the box, if that is empty.
 */
export class DraftKeeper {
  readonly #client: PagesideClient;
  readonly #box: TextBox;
  #thread: string | undefined;
  #key = NEW;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** A message, until its fate is known. `seen`: it was in the queue, or on its way. */
  #pending: { text: string; seen: boolean; onRefused?: (() => void) | undefined } | undefined;

  constructor(client: PagesideClient, box: TextBox) {
    this.#client = client;
    this.#box = box;
  }

  /** Begins. The function ends it. */
  start(): () => void {
    const flush = () => this.#flush();
    this.#follow();
    addEventListener("pagehide", flush);
    const undo = this.#client.subscribe(() => this.#follow());
    return () => {
      undo();
      removeEventListener("pagehide", flush);
      flush();
    };
  }

  /** Call when the user has written. */
  changed(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#flush(), DELAY);
  }

  /**
   * Call when a text was sent. `done` resolves when it was answered, or taken back; `onRefused`
   * brings back its files and mentions.
   */
  submitted(text: string, done: Promise<void> | void, onRefused?: () => void): void {
    this.#forgetTimer();
    const own = (this.#pending = { text, seen: false, onRefused });
    writeDraft(this.#key, text);
    void Promise.resolve(done).then(() => {
      if (this.#pending === own) this.#judge();
    });
  }

  #flush(): void {
    if (this.#timer === undefined) return;
    this.#forgetTimer();
    const text = this.#box.read();
    // With an empty box, the message on its way stays the draft.
    if (text !== "" || !this.#pending) writeDraft(this.#key, text);
  }

  #forgetTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #follow(): void {
    const { threadId } = this.#client.getSnapshot();
    const key = keyOf(this.#client);
    if (threadId !== this.#thread) this.#enter(threadId, key);
    else {
      if (key !== this.#key) this.#rename(key);
      this.#watch();
    }
  }

  #enter(threadId: string, key: string): void {
    const isFirst = this.#thread === undefined;
    this.#flush();
    this.#pending = undefined;
    [this.#thread, this.#key] = [threadId, key];
    // A thread that could not be loaded looks like a new one, and one that is gone gave way to one.
    const { formerId = threadId } = this.#client.getSnapshot();
    const kept = readDraft(key) || readDraft(threadId) || readDraft(formerId);
    if (isFirst ? kept !== "" && this.#box.read() === "" : kept !== this.#box.read()) this.#box.write(kept);
  }

  /**
   * The new thread has its first message, or the one that was remembered turned out to be empty.
   */
  #rename(key: string): void {
    const old = this.#key;
    const text = this.#box.read();
    const own = readDraft(key);
    this.#key = key;
    // The text belongs to another thread.
    if (own && text === readDraft(old) && !this.#pending) return this.#box.write(own);
    this.#forgetTimer();
    const kept = text || (this.#pending ? readDraft(old) : "");
    writeDraft(old, "");
    if (kept) writeDraft(key, kept);
  }

  /** Checks what became of the message. */
  #watch(): void {
    const sent = this.#pending;
    if (!sent) return;
    const { status, queue } = this.#client.getSnapshot();
    if (status === "submitted" || queue.some(({ text }) => text === sent.text)) sent.seen = true;
    else if (sent.seen) this.#judge();
  }

  /** Ends the wait, except after an error that can be tried again. */
  #judge(): void {
    const { error } = this.#client.getSnapshot();
    // The question of a run that failed is in the thread.
    if (!error?.retryable || error.ofRun) this.#settle(error !== undefined && !error.ofRun);
  }

  #settle(isRefused: boolean): void {
    const { text, onRefused } = this.#pending!;
    this.#pending = undefined;
    if (isRefused && this.#box.read() === "") {
      onRefused?.();
      return this.#box.write(text);
    }
    if (readDraft(this.#key) === text && this.#box.read() !== text) writeDraft(this.#key, "");
  }
}

/** A `DraftKeeper` for a text field. */
export function useDraft(
  client: PagesideClient,
  areaRef: RefObject<HTMLTextAreaElement | null>,
  draft: string,
  setDraft: (text: string) => void,
): DraftKeeper {
  const latest = useLatest({ draft, setDraft });
  const [box] = useState<TextBox>(() => ({
    // When the component unmounts, the field is already gone.
    read: () => areaRef.current?.value ?? latest.current.draft,
    write: (text) => latest.current.setDraft(text),
  }));
  const [keeper, setKeeper] = useState(() => ({ client, drafts: new DraftKeeper(client, box) }));
  if (keeper.client !== client) setKeeper({ client, drafts: new DraftKeeper(client, box) });
  const { drafts } = keeper;
  useEffect(() => drafts.start(), [drafts]);

  const before = useRef(draft);
  useEffect(() => {
    if (before.current === draft) return;
    before.current = draft;
    drafts.changed();
  }, [drafts, draft]);
  return drafts;
}
