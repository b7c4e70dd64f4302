import { useId, useLayoutEffect, useRef, useState, type FormEvent } from "react";
import { Button, IconButton } from "../ui/Button.tsx";
import { Field } from "../ui/Field.tsx";
import { messageOf } from "../ui/text.ts";
import { HttpError } from "./http.ts";
import { modelApi, type Connection, type Provider } from "./model.ts";

interface ConnectDialogProps {
  connection: Connection;
  /** Called after another model was connected, before `onClose`. */
  onChange(): void;
  onClose(): void;
  api?: typeof modelApi;
}

/**
 * Connects another model. The key is in the form alone, until it is sent: in no state, no storage
 * and no address.
 */
export function ConnectDialog({ connection, onChange, onClose, api = modelApi }: ConnectDialogProps) {
  const id = useId();
  const { dialog, form } = useModal();
  const { pending, failure, attempt, leave } = useAttempt(onChange, onClose);
  const providers = withOllama(connection.providers);
  const [chosen, choose] = useState(() => providerOf(connection));
  const provider = providers.find(({ name }) => name === chosen)!;
  const fields = { provider, connection, failed: failure?.field, errorId: `${id}-error` };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const entered = new FormData(event.currentTarget);
    const text = (name: string) => ((entered.get(name) as string | null) ?? "").trim();
    void attempt("connect", (signal) => api.connect(`${provider.name}/${text("model")}`, text("key"), signal)).then(
      (field) => field && (form.current?.elements.namedItem(field) as HTMLElement | null)?.focus(),
    );
  };
  return (
    <dialog
      ref={dialog}
      className="connect"
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-now`}
      onCancel={(event) => {
        event.preventDefault(); // React takes it away
        leave();
      }}
    >
      {/* Should the script fail, "dialog" keeps the key out of an address. */}
      <form ref={form} method="dialog" className="connect-form" autoComplete="off" onSubmit={submit}>
        <div className="connect-head">
          <h2 id={`${id}-title`}>Connect a model</h2>
          <IconButton icon="cross" label="Close" onClick={leave} />
        </div>
        <Now id={`${id}-now`} connection={connection} />
        <Providers providers={providers} chosen={chosen} onChoose={choose} />
        <ModelField key={`model ${chosen}`} {...fields} />
        <KeyField key={`key ${chosen}`} {...fields} />
        <p id={fields.errorId} className="form-note connect-note" role="alert" data-bad>
          {failure?.message}
        </p>
        <div className="connect-foot">
          {!connection.scripted && (
            <Button
              kind="quiet"
              aria-disabled={pending !== undefined}
              onClick={() => void attempt("disconnect", api.disconnect)}
            >
              {pending === "disconnect" ? "Going back…" : "Back to the scripted model"}
            </Button>
          )}
          <span className="spring" />
          <Button onClick={leave}>Cancel</Button>
          <Button type="submit" kind="primary" className="connect-submit" aria-disabled={pending !== undefined}>
            {pending === "connect" ? "Connecting…" : "Connect"}
          </Button>
        </div>
        <p className="sr-only" role="status">
          {pending === "connect" && "Asking the model a first question"}
        </p>
      </form>
    </dialog>
  );
}

/** Opens the dialog with the focus on what is to be typed. Closing gives the focus back. */
function useModal() {
  const dialog = useRef<HTMLDialogElement>(null);
  const form = useRef<HTMLFormElement>(null);
  // A passive effect would close it when it is no longer in the document, and lose the focus.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    const find = (selector: string) => element?.querySelector<HTMLElement>(selector);
    (find("[name=key]:not(:disabled)") ?? find("[name=model]"))?.focus();
    return () => element?.close();
  }, []);
  return { dialog, form };
}

/** Does one thing at a time. It resolves with the field that is to blame, if one is. */
function useAttempt(onChange: () => void, onClose: () => void) {
  const [pending, setPending] = useState<"connect" | "disconnect">();
  const [failure, setFailure] = useState<{ message: string; field?: string }>();
  const running = useRef<AbortController>(undefined);
  const attempt = async (what: "connect" | "disconnect", change: (signal: AbortSignal) => Promise<unknown>) => {
    if (running.current) return undefined;
    const { signal } = (running.current = new AbortController());
    setPending(what);
    setFailure(undefined);
    try {
      await change(signal);
      onChange();
      onClose();
    } catch (error) {
      if (signal.aborted) return undefined;
      const field = error instanceof HttpError ? error.details.field : undefined;
      setFailure({ message: messageOf(error), field });
      setPending(undefined);
      running.current = undefined;
      return field;
    }
    return undefined;
  };
  const leave = () => {
    running.current?.abort();
    onClose();
  };
  return { pending, failure, attempt, leave };
}

function providerOf({ model, providers }: Connection): string {
  const [name] = model.split("/");
  return providers.some((provider) => provider.name === name) ? name! : providers[0]!.name;
}

/** Offers Ollama even while none runs, as what could be. */
const withOllama = (providers: readonly Provider[]): readonly Provider[] =>
  providers.some(({ name }) => name === "ollama")
    ? providers
    : [...providers, { name: "ollama", label: "Ollama", models: [] }];

function Now({ id, connection: { model, scripted } }: { id: string; connection: Connection }) {
  return (
    <p id={id} className="muted">
      {scripted ? (
        <>
          <span className="strong">The scripted model</span> answers now: it plays written rules, offline and without a
          key.
        </>
      ) : (
        <>
          <span className="strong">{model}</span> answers now.
        </>
      )}
    </p>
  );
}

interface ProvidersProps {
  providers: readonly Provider[];
  chosen: string;
  onChoose(name: string): void;
}

function Providers({ providers, chosen, onChoose }: ProvidersProps) {
  return (
    <fieldset className="connect-providers">
      <legend>Provider</legend>
      {providers.map(({ name, label, host, models }) => (
        <label key={name} className="connect-provider">
          <input
            type="radio"
            name="provider"
            checked={name === chosen}
            disabled={models.length === 0}
            onChange={() => onChoose(name)}
          />
          <span>
            {label}
            <small>{host ? "with a key" : models.length > 0 ? "on this machine" : "is not running"}</small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

interface FieldsProps {
  provider: Provider;
  connection: Connection;
  /** The name of the field that is to blame for a failure. */
  failed: string | undefined;
  errorId: string;
}

const blame = (isBlamed: boolean, errorId: string) => isBlamed && { "aria-invalid": true, "aria-describedby": errorId };

function ModelField({ provider, connection, failed, errorId }: FieldsProps) {
  const { name, models, host } = provider;
  const list = useId();
  const now = connection.model.startsWith(`${name}/`) ? connection.model.slice(name.length + 1) : models[0];
  const common = { label: "Model", name: "model", defaultValue: now, ...blame(failed === "model", errorId) };
  if (!host)
    return (
      <Field as="select" {...common}>
        {models.map((model) => (
          <option key={model}>{model}</option>
        ))}
      </Field>
    );
  return (
    <>
      <Field {...common} required maxLength={200} spellCheck={false} autoCapitalize="none" list={list} />
      <datalist id={list}>
        {models.map((model) => (
          <option key={model} value={model} />
        ))}
      </datalist>
    </>
  );
}

function KeyField({ provider: { label, host, hasKey }, failed, errorId }: FieldsProps) {
  const hint = host ? `Sent to ${host} alone, and kept in the demo's memory.` : `${label} needs none.`;
  const placeholder = hasKey ? "Leave it empty to use the one that is set" : "";
  return (
    <Field
      label="API key"
      name="key"
      type="password"
      autoComplete="off"
      spellCheck={false}
      maxLength={512}
      required={host !== undefined && !hasKey}
      disabled={!host}
      placeholder={host && placeholder}
      hint={hint}
      {...blame(failed === "key", errorId)}
    />
  );
}
