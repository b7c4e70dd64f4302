import { useEffect, useId, useLayoutEffect, useRef, useState, type FormEvent } from "react";
import { Button, IconButton } from "../ui/Button.tsx";
import { Field } from "../ui/Field.tsx";
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
  const { model, scripted } = connection;
  const { pending, failure, attempt, leave } = useAttempt(onChange, onClose);
  const dialog = useModal(failure);
  const providers = withOllama(connection.providers);
  const [chosen, choose] = useState(() => providerOf(connection));
  const provider = providers.find(({ name }) => name === chosen)!;
  const failed = failure instanceof HttpError ? failure.details.field : undefined;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const entered = new FormData(event.currentTarget);
    const text = (name: string) => ((entered.get(name) as string | null) ?? "").trim();
    void attempt("connect", (signal) => api.connect(`${chosen}/${text("model")}`, text("key"), signal));
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
      <form method="dialog" className="connect-form" autoComplete="off" onSubmit={submit}>
        <div className="connect-head">
          <h2 id={`${id}-title`}>Connect a model</h2>
          <IconButton icon="cross" label="Close" onClick={leave} />
        </div>
        <p id={`${id}-now`} className="muted">
          <span className="strong">{scripted ? "The scripted model" : model}</span> answers now
          {scripted ? ": it plays written rules, offline and without a key." : "."}
        </p>
        <fieldset className="connect-providers">
          <legend>Provider</legend>
          {providers.map((each) => (
            <Choice key={each.name} provider={each} isChosen={each === provider} onChoose={choose} />
          ))}
        </fieldset>
        <Fields key={chosen} provider={provider} current={model} failed={failed} errorId={`${id}-error`} />
        <p id={`${id}-error`} className="form-note connect-note" role="alert" data-bad>
          {failure?.message}
        </p>
        <div className="connect-foot">
          {!scripted && (
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

/**
 * Opens the dialog with the focus on what is to be typed; after a failure, on what is to blame.
 * Closing gives the focus back.
 */
function useModal(failure: unknown) {
  const dialog = useRef<HTMLDialogElement>(null);
  // A passive effect would close it when it is no longer in the document, and lose the focus.
  useLayoutEffect(() => {
    const element = dialog.current!;
    element.showModal();
    [...element.querySelectorAll<HTMLElement>("[name=model], [name=key]:enabled")].at(-1)?.focus();
    return () => element.close();
  }, []);
  useEffect(() => dialog.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus(), [failure]);
  return dialog;
}

/** Does one thing at a time, until it is left. */
function useAttempt(onChange: () => void, onClose: () => void) {
  const [pending, setPending] = useState<"connect" | "disconnect">();
  const [failure, setFailure] = useState<Error>();
  const running = useRef<AbortController>(undefined);
  const attempt = async (what: "connect" | "disconnect", change: (signal: AbortSignal) => Promise<unknown>) => {
    if (running.current) return;
    const { signal } = (running.current = new AbortController());
    setPending(what);
    setFailure(undefined);
    try {
      await change(signal);
      onChange();
      onClose();
    } catch (error) {
      if (signal.aborted) return;
      setFailure(error as Error);
      setPending(undefined);
      running.current = undefined;
    }
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

interface ChoiceProps {
  provider: Provider;
  isChosen: boolean;
  onChoose(name: string): void;
}

function Choice({ provider: { name, label, host, models }, isChosen, onChoose }: ChoiceProps) {
  return (
    <label className="connect-provider">
      <input
        type="radio"
        name="provider"
        checked={isChosen}
        disabled={models.length === 0}
        onChange={() => onChoose(name)}
      />
      <span>
        {label}
        <small>{host ? "with a key" : models.length > 0 ? "on this machine" : "is not running"}</small>
      </span>
    </label>
  );
}

interface FieldsProps {
  provider: Provider;
  /** The model that answers now. */
  current: string;
  /** The name of the field that is to blame for a failure. */
  failed: string | undefined;
  errorId: string;
}

/** The model, from a list where there are no others, and the key of those that need one. */
function Fields({ provider, current, failed, errorId }: FieldsProps) {
  const { name, label, models, host, hasKey } = provider;
  const list = useId();
  const usual = current.startsWith(`${name}/`) ? current.slice(name.length + 1) : models[0];
  const common = (field: string) => ({
    name: field,
    ...(failed === field && { "aria-invalid": true, "aria-describedby": errorId }),
  });
  const model = { label: "Model", defaultValue: usual, ...common("model") };
  const options = models.map((each) => <option key={each}>{each}</option>);
  return (
    <>
      {host ? (
        <Field {...model} required maxLength={200} spellCheck={false} autoCapitalize="none" list={list} />
      ) : (
        <Field as="select" {...model}>
          {options}
        </Field>
      )}
      <datalist id={list}>{options}</datalist>
      <Field
        label="API key"
        {...common("key")}
        type="password"
        autoComplete="off"
        spellCheck={false}
        maxLength={512}
        required={host !== undefined && !hasKey}
        disabled={!host}
        placeholder={hasKey ? "Leave it empty to use the one that is set" : undefined}
        hint={host ? `Sent to ${host} alone, and kept in the demo's memory.` : `${label} needs none.`}
      />
    </>
  );
}
