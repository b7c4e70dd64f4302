import { ApiError, type Api } from "../api/client.ts";
import type { Alert, Cell, Info, RowDetail } from "../api/types.ts";
import { narrowings, type Hint } from "./hints.ts";
import { initialState, reduce, type Action, type State } from "./reducer.ts";
import { requestOf, type Results } from "./results.ts";
import { decodeView, encodeView } from "./url.ts";
import { changedParts, sourceName, type View } from "./view.ts";

/** Less than this share of the log is few. */
const fewShare = 0.02;

/** The browser's address bar, as far as Discover needs it. */
export interface Address {
  read(): string;
  push(search: string): void;
  replace(search: string): void;
  /** Calls back when the user went back or forward. Returns how to stop. */
  onNavigate(listener: () => void): () => void;
}

/** An open row: its fields once they are here. */
export interface Detail {
  id: string;
  data: RowDetail | null;
  error: ApiError | null;
}

/** A row that the user ticked, as it was then. */
export interface SelectedRow {
  id: string;
  fields: Record<string, Cell>;
}

/** An immutable picture of the page. */
export interface Snapshot extends State {
  /** Of the source that the query reads. */
  info: Info | null;
  selected: readonly SelectedRow[];
  /** The saved alerts; `null` until they are here. */
  alerts: readonly Alert[] | null;
  /** The alert that was deleted last, until it is brought back or forgotten. */
  deletedAlert: Alert | null;
  /** How often something other than its button asked for the list of alerts. */
  alertsAsked: number;
  infoError: ApiError | null;
  results: Results;
  detail: Detail | null;
  /** Why there are no results, or few; empty while there are many. */
  hints: Hint[];
}

/**
 * The page without its looks: keeps the state, the URL and the server's answers together.
 * It has never heard of React.
 */
export class Discover {
  readonly #api: Api;
  readonly #address: Address;
  readonly #listeners = new Set<() => void>();
  #snapshot: Snapshot;
  #query: { key: string; abort: AbortController; done: Promise<void> } | null = null;
  #detailAbort: AbortController | null = null;
  #stopListening: (() => void) | null = null;
  #log: Info | null = null;

  constructor(api: Api, address: Address) {
    this.#api = api;
    this.#address = address;
    this.#snapshot = {
      ...initialState(decodeView(address.read())),
      info: null,
      infoError: null,
      selected: [],
      alerts: null,
      deletedAlert: null,
      alertsAsked: 0,
      results: { status: "loading", data: null },
      detail: null,
      hints: [],
    };
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  getSnapshot = (): Snapshot => this.#snapshot;

  /** Loads what the URL asks for and follows it until `stop`. */
  start(): void {
    this.#stopListening = this.#address.onNavigate(() =>
      this.#apply({ type: "navigate", view: decodeView(this.#address.read()) }),
    );
    this.loadInfo();
    void this.loadAlerts();
    this.#load();
    this.#loadDetail();
  }

  stop(): void {
    this.#stopListening?.();
    this.#query?.abort.abort();
    this.#query = null;
    this.#detailAbort?.abort();
    this.#snapshot = { ...this.#snapshot, detail: null };
  }

  dispatch = (action: Action): void => {
    const before = this.#snapshot.view;
    this.#apply(action);
    this.#writeAddress(before, this.#snapshot.view);
  };

  /** Asks again, even though nothing changed. */
  refresh = (): void => {
    if (!this.#snapshot.info) this.loadInfo();
    this.#query?.abort.abort();
    this.#query = null;
    this.#load();
  };

  /**
   * Resolves when the newest query has been answered: also when others overtook the one that was
   * running.
   */
  async settled(): Promise<Results> {
    for (let waited: unknown; this.#query && this.#query !== waited;) {
      waited = this.#query;
      await this.#query.done;
    }
    return this.#snapshot.results;
  }

  loadInfo(): void {
    this.#api.info().then(
      (info) => {
        this.#log = info;
        this.#set({ info: infoFor(info, this.#snapshot.view), infoError: null });
      },
      (error: unknown) => this.#set({ infoError: asApiError(error) }),
    );
  }

  /** Ticks a row, or takes the tick away. */
  toggleRow = (row: SelectedRow): void => {
    const { selected } = this.#snapshot;
    const others = selected.filter(({ id }) => id !== row.id);
    this.#set({ selected: others.length < selected.length ? others : [...selected, row] });
  };

  selectRows = (selected: readonly SelectedRow[]): void => this.#set({ selected });

  async loadAlerts(): Promise<void> {
    try {
      this.#set({ alerts: await this.#api.alerts() });
    } catch {
      // The list stays as it was; the next change asks again.
    }
  }

  async deleteAlert(id: string): Promise<void> {
    this.#set({ deletedAlert: await this.#api.deleteAlert(id) });
    await this.loadAlerts();
  }

  /** Brings the alert back that was deleted last. */
  async restoreAlert(): Promise<void> {
    const { deletedAlert } = this.#snapshot;
    if (!deletedAlert) return;
    await this.#api.restoreAlert(deletedAlert.id);
    this.#set({ deletedAlert: null });
    await this.loadAlerts();
  }

  /** Opens the list of alerts. */
  showAlerts = (): void => this.#set({ alertsAsked: this.#snapshot.alertsAsked + 1 });

  /** Says which alert was deleted elsewhere (`null`: forget it), and reads the list again. */
  alertsChanged(deletedAlert: Alert | null = this.#snapshot.deletedAlert): void {
    this.#set({ deletedAlert });
    void this.loadAlerts();
  }

  #set(patch: Partial<Snapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...patch };
    for (const listener of this.#listeners) listener();
  }

  #apply(action: Action): void {
    const { view, draft, change, flash, info, selected } = this.#snapshot;
    const next = reduce({ view, draft, change, flash }, action);
    const another = sourceName(next.view.query) !== sourceName(view.query);
    this.#set({
      ...next,
      info: another && this.#log ? infoFor(this.#log, next.view) : info,
      selected: changedParts(view, next.view).length > 0 ? [] : selected,
    });
    this.#load();
    this.#loadDetail();
  }

  #writeAddress(before: View, after: View): void {
    const search = encodeView(after);
    if (before === after || search === this.#address.read()) return;
    const onlyAnotherRow = before.row !== null && after.row !== null && before.row !== after.row;
    if (onlyAnotherRow) this.#address.replace(search);
    else this.#address.push(search);
  }

  #load(): void {
    const { view } = this.#snapshot;
    const key = JSON.stringify(requestOf(view));
    if (this.#query?.key === key) return;
    this.#query?.abort.abort();
    const abort = new AbortController();
    const query = { key, abort, done: Promise.resolve() };
    this.#query = query;
    this.#set({ results: { status: "loading", data: this.#snapshot.results.data }, hints: [] });
    query.done = this.#fetch(view, abort.signal).catch(() => undefined);
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
      this.#set({ results: { status: "error", data: this.#snapshot.results.data, error: asApiError(error) } });
    }
  }

  /** A URL may name a page that no longer exists. */
  #toLastPage(total: number): void {
    const { view } = this.#snapshot;
    this.#apply({ type: "set-page", page: Math.ceil(total / view.pageSize) });
    this.#address.replace(encodeView(this.#snapshot.view));
  }

  /** Few, and more than one thing narrows the view: what each of them does is worth knowing. */
  #isFew(matched: number, view: View): boolean {
    const all = this.#snapshot.info?.total ?? 0;
    return matched < all * fewShare && narrowings(view).length > 1;
  }

  async #explain(view: View, signal: AbortSignal): Promise<void> {
    const found: Hint[] = narrowings(view);
    this.#set({ hints: found });
    const counts = await Promise.all(
      found.map((hint) =>
        this.#api.query({ ...requestOf(hint.without), pageSize: 1 }, signal).then(
          (result) => result.matched,
          () => undefined,
        ),
      ),
    );
    if (signal.aborted) return;
    this.#set({ hints: found.map((hint, index) => ({ ...hint, matched: counts[index] })) });
  }

  #loadDetail(): void {
    const id = this.#snapshot.view.row;
    if (id === (this.#snapshot.detail?.id ?? null)) return;
    this.#detailAbort?.abort();
    if (id === null) return this.#set({ detail: null });
    const abort = new AbortController();
    this.#detailAbort = abort;
    // The last row's fields stay until the new ones are here, so that stepping through rows does
    // not flicker.
    this.#set({ detail: { id, data: this.#snapshot.detail?.data ?? null, error: null } });
    this.#api.row(id, abort.signal, rowSource(this.#snapshot.view)).then(
      (data) => !abort.signal.aborted && this.#set({ detail: { id, data, error: null } }),
      (error: unknown) => !abort.signal.aborted && this.#set({ detail: { id, data: null, error: asApiError(error) } }),
    );
  }
}

function rowSource({ query }: View): string | undefined {
  const name = sourceName(query);
  return name === "access_log" ? undefined : name;
}

/** What there is to know about the source that a view reads. */
function infoFor(log: Info, view: View): Info {
  const source = log.sources.find(({ name }) => name === sourceName(view.query));
  if (!source || source === log.sources[0]) return log;
  const { name, label, total, time, fields } = source;
  return { ...log, source: { ...log.source, name, label }, total, time, fields };
}

function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError(error instanceof Error ? error.message : "Something went wrong.", "unknown", 0);
}
