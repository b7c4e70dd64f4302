import { useId, useState, type KeyboardEvent } from "react";
import { useMessageLabels } from "../../labels/messages.js";
import { BookIcon } from "../../ui/partIcons.js";
import { Disclosure } from "../transcript/Disclosure.js";
import type { Source } from "./answerSources.js";

/** The mark of a source in a text. Title and snippet show on hover and focus; Escape hides them. */
export function SourceMark({ source }: { source: Source }) {
  const { number, title, url, host, snippet } = source;
  const labels = useMessageLabels();
  const [open, setOpen] = useState(false);
  const id = useId();
  const show = () => setOpen(true);
  const hide = () => setOpen(false);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !open) return;
    event.preventDefault();
    event.stopPropagation();
    hide();
  };
  const own = {
    className: "ps-cite",
    "aria-label": labels.sourceMark(number, title),
    "aria-describedby": open ? id : undefined,
    onFocus: show,
    onBlur: hide,
    onKeyDown,
  };
  return (
    <span className="ps-cite-box" onPointerEnter={show} onPointerLeave={hide}>
      {url ? (
        <a {...own} {...linkTo(source)}>
          [{number}]
        </a>
      ) : (
        <button type="button" {...own} onClick={show}>
          [{number}]
        </button>
      )}
      {open && (
        <span className="ps-cite-tip ps-text-sm" role="tooltip" id={id}>
          <strong>{title}</strong>
          {host && <span className="ps-link-host"> {host}</span>}
          {snippet && <span className="ps-source-snippet ps-muted">{snippet}</span>}
        </span>
      )}
    </span>
  );
}

/** What an answer rests on, folded into one line. */
export function SourceList({ sources }: { sources: readonly Source[] }) {
  const labels = useMessageLabels();
  const [open, setOpen] = useState(false);
  return (
    <div className="ps-sources">
      <Disclosure icon={<BookIcon />} open={open} onToggle={setOpen}>
        <span className="ps-tool-label">{labels.sources(sources.length)}</span>
      </Disclosure>
      {open && (
        <ol>
          {sources.map((source) => (
            <li key={source.number} value={source.number}>
              {source.url ? <a {...linkTo(source)}>{source.title}</a> : source.title}
              {source.host && <span className="ps-link-host"> {source.host}</span>}
              {source.snippet && <span className="ps-source-snippet ps-muted">{source.snippet}</span>}
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

/** The attributes of a link to a source. One on the web opens in a new tab. */
const linkTo = ({ url, host }: Source) => ({
  href: url,
  rel: "noopener noreferrer nofollow ugc",
  target: host ? "_blank" : undefined,
});
