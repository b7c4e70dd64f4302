import { HttpError } from "../shell/http.ts";
import { Store } from "../ui/store.ts";
import { messageOf } from "../ui/text.ts";
import type { Api } from "./api.ts";
import { narrowings, type Hint } from "./hints.ts";
import { initialState, reduce, type Action, type State } from "./reducer.ts";
import { requestOf } from "./results.ts";
import type { Alert, Cell, Info, QueryResult, RowDetail } from "./types.ts";
import { decodeView, encodeView } from "./url.ts";
import { changedParts, sourceName, type View } from "./view.ts";

/** A result below this share of the log counts as few. */
const fewShare = 0.02;

/** The part of the browser's address bar that Discover needs. */
export interface Address {
  read(): string;
  push(search: string): void;
  replace(search: string): void;
  /** Calls back when the user goes back or forward. The function undoes it. */
  onNavigate(listener: () => void): () => void;
}

/**
 * The answer to the current view's query. While it loads, and after an error, `data` is the
 * previous answer.
 */
export type Results =
  | { status: "loading"; data: QueryResult | null }
  | { status: "ready"; data: QueryResult }
  | { status: "error"; data: QueryResult | null; error: HttpError };

/** A row of requests; a ticked one as it was when ticked. */
export interface Row {
  id: string;
  fields: Record<string, Cell>;
}

/** The whole page at one time. */
export interface Snapshot extends State {
  /** The source that the query reads; `null` until it is loaded. */
  info: Info | null;
  selected: readonly Row[];
  alerts: readonly Alert[];
  /** The alert that was deleted last, until it is brought back. */
  deletedAlert: Alert | null;
  results: Results;
  /** The open row: its fields once they are loaded. */
  detail: { id: string; data: RowDetail | null; error: HttpError | null } | null;
  /** Why there are few results or none; empty if there are many. */
  hints: Hint[];
}

/** The page's model: keeps the state, the URL and the server's answers in step. */
export class Discover extends Store<Snapshot> {
  readonly #api: Api;
  readonly #address: Address;
  #query: { key: string; abort: AbortController; done: Promise<void> } | null = null;
  #detailAbort = new AbortController();
  #stopListening: (() => void) | null = null;
  #log: Info | null = null;

  constructor(api: Api, address: Address) {
    super({
      ...initialState(decodeView(address.read())),
      info: null,
      selected: [],
      alerts: [],
      deletedAlert: null,
      results: { status: "loading", data: null },
      detail: null,
      hints: [],
    });
    this.#api = api;
    this.#address = address;
  }

  /** Loads what the URL asks for and follows it until `stop`. */
  start(): void {
    this.#stopListening = this.#address.onNavigate(() =>
      this.#apply({ type: "navigate", view: decodeView(this.#address.read()) }),
    );
    this.#loadInfo();
    void this.loadAlerts();
    this.#load();
    this.#loadDetail();
  }

  stop(): void {
    this.#stopListening?.();
    this.#query?.abort.abort();
    this.#query = null;
    this.#detailAbort.abort();
    this.#set({ detail: null });
  }

  dispatch = (action: Action): void => {
    const before = this.getSnapshot().view;
    this.#apply(action);
    this.#writeAddress(before, this.getSnapshot().view);
  };

  /** Repeats the query. */
  refresh = (): void => {
    if (!this.#log) this.#loadInfo();
    this.#load({ again: true });
  };

  /** Resolves when the newest query has been answered. */
  async settled(): Promise<Results> {
    for (let waited: unknown; this.#query && this.#query !== waited;) {
      waited = this.#query;
      await this.#query.done;
    }
    return this.getSnapshot().results;
  }

  /** Ticks or unticks a row. */
  toggleRow(row: Row): void {
    const { selected } = this.getSnapshot();
    const others = selected.filter(({ id }) => id !== row.id);
    this.selectRows(others.length < selected.length ? others : [...selected, row]);
  }

  selectRows(selected: readonly Row[]): void {
    this.#set({ selected });
  }

  /** Reads the list of alerts, and says which one was deleted elsewhere. Best effort. */
  async loadAlerts(deletedAlert = this.getSnapshot().deletedAlert): Promise<void> {
    const alerts = await this.#api.alerts().catch(() => this.getSnapshot().alerts);
    this.#set({ alerts, deletedAlert });
  }

  async deleteAlert(id: string): Promise<void> {
    await this.loadAlerts(await this.#api.deleteAlert(id));
  }

  /** Restores the alert that was deleted last. */
  async restoreAlert(): Promise<void> {
    await this.#api.restoreAlert(this.getSnapshot().deletedAlert!.id);
    await this.loadAlerts(null);
  }

  #set(patch: Partial<Snapshot>): void {
    const next = { ...this.getSnapshot(), ...patch };
    this.set({ ...next, info: this.#log && infoFor(this.#log, next.view) });
  }

  #loadInfo(): void {
    this.#api.info().then(
      (log) => {
        this.#log = log;
        this.#set({});
      },
      () => undefined, // the query fails too, and offers to ask again
    );
  }

  #apply(action: Action): void {
    const before = this.getSnapshot();
    const next = reduce(before, action);
    const isSame = changedParts(before.view, next.view).length === 0;
    this.#set({ ...next, selected: isSame ? before.selected : [] });
    this.#load();
    this.#loadDetail();
  }

  #writeAddress(before: View, after: View): void {
    const search = encodeView(after);
    if (before === after || search === this.#address.read()) return;
    const onlyAnotherRow = before.row !== null && after.row !== null && before.row !== after.row;
    this.#address[onlyAnotherRow ? "replace" : "push"](search);
  }

  #load({ again = false } = {}): void {
    const { view } = this.getSnapshot();
    const key = JSON.stringify(requestOf(view));
    if (this.#query?.key === key && !again) return;
    this.#query?.abort.abort();
    const abort = new AbortController();
    const query = (this.#query = { key, abort, done: Promise.resolve() });
    this.#set({ results: { status: "loading", data: this.getSnapshot().results.data }, hints: [] });
    query.done = this.#fetch(view, abort.signal);
  }

  async #fetch(view: View, signal: AbortSignal): Promise<void> {
    try {
      const data = await this.#api.query(requestOf(view), signal);
      if (signal.aborted) return;
      if (data.rows.length === 0 && data.total > 0 && view.page > 1) return this.#toLastPage(data.total);
      this.#set({ results: { status: "ready", data } });
      if (data.total === 0 || this.#isFew(data.matched, view)) void this.#explain(view, signal);
    } catch (error) {
      if (signal.aborted) return;
      this.#set({ results: { status: "error", data: this.getSnapshot().results.data, error: asHttpError(error) } });
    }
  }

  /** A URL may name a page that no longer exists. */
  #toLastPage(total: number): void {
    this.#apply({ type: "set", page: Math.ceil(total / this.getSnapshot().view.pageSize) });
    this.#address.replace(encodeView(this.getSnapshot().view));
  }

  /**
   * Reports whether there are few results and several narrowings, whose effects are worth counting.
   */
  #isFew(matched: number, view: View): boolean {
    return matched < (this.getSnapshot().info?.total ?? 0) * fewShare && narrowings(view).length > 1;
  }

  async #explain(view: View, signal: AbortSignal): Promise<void> {
    const hints = narrowings(view);
    this.#set({ hints });
    const counted = hints.map(async (hint) => {
      const result = await this.#api.query({ ...requestOf(hint.without), pageSize: 1 }, signal).catch(() => undefined);
      return { ...hint, matched: result?.matched };
    });
    const all = await Promise.all(counted);
    if (!signal.aborted) this.#set({ hints: all });
  }

  #loadDetail(): void {
    const { view, detail } = this.getSnapshot();
    const id = view.row;
    if (id === (detail?.id ?? null)) return;
    this.#detailAbort.abort();
    if (id === null) return this.#set({ detail: null });
    const { signal } = (this.#detailAbort = new AbortController());
    // The last row's fields stay until the new ones are loaded, without a flicker.
    this.#set({ detail: { id, data: detail?.data ?? null, error: null } });
    this.#api.row(id, sourceName(view.query), signal).then(
      (data) => signal.aborted || this.#set({ detail: { id, data, error: null } }),
      (error: unknown) => signal.aborted || this.#set({ detail: { id, data: null, error: asHttpError(error) } }),
    );
  }
}

/** The info of the source that a view reads. */
function infoFor(log: Info, view: View): Info {
  const source = log.sources.find(({ name }) => name === sourceName(view.query));
  if (!source || source === log.sources[0]) return log;
  const { name, label, total, time, fields } = source;
  return { ...log, source: { ...log.source, name, label }, total, time, fields };
}

const asHttpError = (error: unknown) =>
  error instanceof HttpError ? error : new HttpError(messageOf(error), "unknown", 0);
