// What the application shows beside the chat, for both versions of CopilotKit.

const query = new URLSearchParams(location.search);

/** What the test asks for in the address. */
export const wanted = {
  runtimeUrl: query.get("runtime"),
  threadId: query.get("thread"),
  single: query.has("single") || undefined,
  suggestions: query.has("suggestions"),
  predictions: query.has("predictions"),
  threads: query.has("threads"),
};

export const basket = ["Apple", "Pear"];

/** The page's own part: its colour, what it shares with the assistant, and what went wrong. */
export function Page({ colour, state, setState, error, children }) {
  return (
    <aside>
      <p data-testid="colour">{colour}</p>
      <p data-testid="state">{JSON.stringify(state ?? {})}</p>
      <button onClick={() => setState({ ...state, colour: "blue" })}>Share blue</button>
      {error && <p data-testid="error">{error}</p>}
      {children}
    </aside>
  );
}

/** A tool's card while its arguments come and after. */
export function Chart({ title, values, status }) {
  return (
    <figure data-testid="chart" data-status={status}>
      <figcaption>{title ?? ""}</figcaption>
      {(values ?? []).join(", ")}
    </figure>
  );
}

export function Seats({ seats, respond, result }) {
  return (
    <fieldset data-testid="seats">
      {respond &&
        seats?.map((seat) => (
          <button key={seat} onClick={() => respond(seat)}>
            {seat}
          </button>
        ))}
      {result !== undefined && `Seat ${result}`}
    </fieldset>
  );
}

/** An interrupt: an approval, or a question with its options. */
export function Interrupt({ interrupt, resolve }) {
  const options = interrupt.responseSchema?.properties?.answer?.enum ?? [];
  return (
    <fieldset data-testid="interrupt">
      <legend>{interrupt.message}</legend>
      {options.map((option) => (
        <button key={option} onClick={() => resolve({ answer: option })}>
          {option}
        </button>
      ))}
      {options.length === 0 && <button onClick={() => resolve({ approved: true })}>Approve</button>}
      {options.length === 0 && <button onClick={() => resolve({ approved: false })}>Deny</button>}
    </fieldset>
  );
}
