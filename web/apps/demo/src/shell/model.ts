import { createCaller } from "./http.ts";

/** A provider whose models can be connected. */
export interface Provider {
  name: string;
  label: string;
  /** The first is the usual one. With a `host` others will do, too. */
  models: readonly string[];
  /** What a key is sent to. Absent if none is needed. */
  host?: string;
  hasKey?: boolean;
}

/** The model that answers, named `provider/model`, and those that could. */
export interface Connection {
  model: string;
  scripted: boolean;
  providers: readonly Provider[];
}

const call = createCaller("/demo");

/** The model of the server. A key goes there with `connect`, and never comes back. */
export const modelApi = {
  read: (signal?: AbortSignal) => call<Connection>("/model", signal),
  connect: (model: string, key: string, signal?: AbortSignal) =>
    call<Connection>("/model", signal, { model, ...(key && { key }) }, "PUT"),
  disconnect: (signal?: AbortSignal) => call<Connection>("/model", signal, undefined, "DELETE"),
};
