import { usePageContext } from "@pageside/react";
import { useState } from "react";
import { useArrival } from "../../shell/arrival.ts";
import { Link } from "../../shell/Link.tsx";
import { navigate } from "../../shell/location.ts";
import { useTitle } from "../../shell/shell-context.tsx";
import { researchApi } from "../api.ts";
import { paths } from "../routes.ts";
import { Field } from "../ui/Field.tsx";
import { messageOf } from "../ui/text.ts";

/**
 * A stream begins with a name and a purpose; the rest is filled in on its page, with the
 * assistant's help.
 */
export function NewStreamPage() {
  const [name, setName] = useState("");
  const [purpose, setPurpose] = useState("");
  const [problem, setProblem] = useState<{ name?: string; error?: string }>({});
  const [busy, setBusy] = useState(false);
  useTitle("New stream · Research");
  usePageContext({ page: "streams", description: "Address in Research" });
  useArrival(true);

  const create = async () => {
    if (!name.trim()) return setProblem({ name: "A stream needs a name." });
    setBusy(true);
    try {
      const stream = await researchApi.createStream({
        name: name.trim(),
        purpose: purpose.trim(),
        schema: { fields: [] },
        retrieval: { query: "", filters: {}, maxResults: 200 },
        columns: [],
      });
      navigate(paths.stream(stream.id), { replace: true });
    } catch (error) {
      setProblem({ error: messageOf(error) });
      setBusy(false);
    }
  };

  return (
    <>
      <header className="page-head">
        <h1>New stream</h1>
      </header>
      <form
        className="panel form narrow"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
      >
        <Field label="Name" error={problem.name}>
          {(props) => (
            <input
              {...props}
              className="input"
              value={name}
              maxLength={120}
              onChange={(e) => setName(e.target.value)}
            />
          )}
        </Field>
        <Field label="Purpose" hint="What question it answers. The assistant reads it.">
          {(props) => (
            <textarea
              {...props}
              className="input area"
              rows={3}
              value={purpose}
              onChange={(e) => setPurpose(e.target.value)}
            />
          )}
        </Field>
        {problem.error && (
          <p className="form-note" data-bad role="alert">
            {problem.error}
          </p>
        )}
        <div className="form-actions">
          <Link className="button" href={paths.streams()}>
            Cancel
          </Link>
          <button type="submit" className="button button-primary" disabled={busy}>
            Make the stream
          </button>
        </div>
      </form>
    </>
  );
}
