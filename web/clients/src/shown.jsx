// How the pages show what their runtimes hold; the same for each, so that one test reads them all.
import { marked } from "marked";

export function Text({ text }) {
  return <div dangerouslySetInnerHTML={{ __html: marked.parse(text) }} />;
}

export function Reasoning({ text }) {
  return <blockquote>{text}</blockquote>;
}

/** A call of a tool: `answer` is there while it waits for an approval. */
export function Tool({ name, input, output, answer }) {
  return (
    <section aria-label={`tool ${name}`}>
      <code>{JSON.stringify(input)}</code>
      {output !== undefined && <output>{typeof output === "string" ? output : JSON.stringify(output)}</output>}
      {answer && (
        <>
          <button onClick={() => answer(true)}>Approve</button>
          <button onClick={() => answer(false)}>Deny</button>
        </>
      )}
    </section>
  );
}
