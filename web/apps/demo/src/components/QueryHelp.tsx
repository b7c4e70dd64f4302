import { useDiscover } from "../app/discover-context.ts";
import { Icon } from "./Icon.tsx";
import { Popover } from "./Popover.tsx";

const commands = [
  ["where", "where status >= 500 and path like '/api/%'"],
  ["stats", "stats count() as hits by path"],
  ["sort", "sort - hits"],
  ["head", "head 10"],
  ["fields", "fields timestamp, path, status"],
  ["eval", "eval kb = round(bytes / 1024, 1), day = dayname(timestamp)"],
  ["dedup", "dedup clientip, path"],
  ["rename", "rename clientip as client"],
  ["top, rare", "top 5 path by browser"],
  ["parse", "parse path '/(?<section>[^/]+).*'"],
  ["regex", "regex path = '^/(blog|articles)/'"],
  ["fillnull", "fillnull with 'nobody' in user"],
  ["timechart", "timechart span=1h count() by browser"],
  ["reverse", "reverse"],
] as const;

const examples = [
  "source=access_log | where status = 404 | stats count() as hits by path | sort - hits | head 10",
  "source=access_log | stats count() as requests, sum(bytes) as bytes by clientip | sort - requests | head 20",
  "source=access_log | stats count() as requests by status | sort status",
  "source=access_log | stats count() as requests, count(eval(status >= 400)) as errors by clientip | eval share = round(100 * errors / requests, 1) | sort - errors | head 10",
  "source=access_log | timechart span=6h count() by browser",
  "source=error_summary | sort - requests",
];

/** What can be written in the query bar, and examples to start from. */
export function QueryHelp({ onPick }: { onPick(query: string): void }) {
  const fields = useDiscover().snapshot.info?.fields ?? [];
  return (
    <Popover
      label="Query help"
      align="end"
      button={(props) => (
        <button type="button" className="icon-button query-help" aria-label="Query help" title="Query help" {...props}>
          <Icon name="help" />
        </button>
      )}
    >
      {(close) => (
        <div className="help">
          <h2 className="popover-title">Piped queries</h2>
          <p className="help-text">A source, then commands that each work on what the one before gives.</p>
          <dl className="help-list">
            {commands.map(([name, example]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{example}</dd>
              </div>
            ))}
          </dl>
          <h3 className="popover-title">Examples</h3>
          <ul className="help-examples">
            {examples.map((query) => (
              <li key={query}>
                <button
                  type="button"
                  onClick={() => {
                    close();
                    onPick(query);
                  }}
                >
                  {query}
                </button>
              </li>
            ))}
          </ul>
          <h3 className="popover-title">Fields</h3>
          <dl className="help-list help-fields">
            {fields.map((field) => (
              <div key={field.name}>
                <dt>{field.name}</dt>
                <dd>{field.description}</dd>
              </div>
            ))}
          </dl>
        </div>
      )}
    </Popover>
  );
}
