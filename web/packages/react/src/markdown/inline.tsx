import type { Token, Tokens } from "marked";
import { type ReactNode, useContext, useState } from "react";
import { useLabels } from "../labels/useLabels.js";
import { ImageIcon } from "../ui/icons.js";
import { decodeEntities } from "./entities.js";
import { MarksContext } from "./marks.js";
import { known, type KnownToken } from "./token.js";
import { namesHost, safeUrl } from "./url.js";

const MAX_DEPTH = 24;

interface InlineContext {
  /** Links must not nest or contain controls. */
  inLink: boolean;
  depth: number;
  /** Draws a text with its marks. */
  mark?: (text: string) => ReactNode;
}

/** The inline content of a block. */
export function Inline({ tokens }: { tokens: readonly Token[] }): ReactNode {
  const mark = useContext(MarksContext);
  return render(tokens, { inLink: false, depth: 0, mark });
}

function render(tokens: readonly Token[], context: InlineContext): ReactNode {
  const inner = { ...context, depth: context.depth + 1 };
  return tokens.map((token, index) => renderToken(known(token), index, inner));
}

function renderToken(token: KnownToken, key: number, context: InlineContext): ReactNode {
  if (context.depth > MAX_DEPTH) return token.raw;
  switch (token.type) {
    case "strong":
      return <strong key={key}>{render(token.tokens, context)}</strong>;
    case "em":
      return <em key={key}>{render(token.tokens, context)}</em>;
    case "del":
      return <del key={key}>{render(token.tokens, context)}</del>;
    case "codespan":
      return <code key={key}>{token.text}</code>;
    case "br":
      return <br key={key} />;
    case "link":
      return <Link key={key} token={token} context={context} />;
    case "image":
      return <Image key={key} token={token} inLink={context.inLink} />;
    case "escape":
      return token.text;
    case "checkbox":
      return null;
    case "text":
      return token.tokens ? render(token.tokens, context) : <Text key={key} text={token.text} context={context} />;
    default:
      return token.raw;
  }
}

/** A text without markup. */
function Text({ text, context: { mark, inLink } }: { text: string; context: InlineContext }) {
  const decoded = decodeEntities(text);
  return mark && !inLink && decoded.includes("[") ? mark(decoded) : decoded;
}

function Link({ token, context }: { token: Tokens.Link; context: InlineContext }) {
  const content = render(token.tokens, { ...context, inLink: true });
  const url = context.inLink ? undefined : safeUrl(token.autolink ? token.href : decodeEntities(token.href));
  if (!url) return content;
  const target = url.external ? { target: "_blank" } : undefined;
  return (
    <>
      <a href={url.href} rel="noopener noreferrer nofollow ugc" title={token.title ?? undefined} {...target}>
        {content}
      </a>
      {url.host && !namesHost(plainText(token.tokens), url) && <span className="ps-link-host"> ({url.host})</span>}
    </>
  );
}

function Image({ token, inLink }: { token: Tokens.Image; inLink: boolean }) {
  const url = safeUrl(decodeEntities(token.href));
  const alt = decodeEntities(token.text);
  if (!url || inLink || url.href.startsWith("mailto:")) return alt;
  return <RemoteImage src={url.href} host={url.host} alt={alt} />;
}

/** The visible text of inline tokens. */
export function plainText(tokens: readonly Token[]): string {
  return tokens
    .map(known)
    .map((token) => {
      if ("tokens" in token && token.tokens) return plainText(token.tokens);
      if (token.type === "br") return " ";
      const text = "text" in token ? token.text : "";
      return token.type === "codespan" || token.type === "escape" ? text : decodeEntities(text);
    })
    .join("");
}

interface RemoteImageProps {
  src: string;
  host?: string;
  alt: string;
}

/**
 * An image that is fetched only after a click. A model chose its address, and fetching it could
 * leak what the model put into it.
 */
export function RemoteImage({ src, host, alt }: RemoteImageProps) {
  const labels = useLabels();
  const [wanted, setWanted] = useState<string>();
  if (wanted === src) {
    return <img className="ps-md-image" src={src} alt={alt} referrerPolicy="no-referrer" decoding="async" />;
  }
  return (
    <button type="button" className="ps-button ps-image-gate ps-muted" title={src} onClick={() => setWanted(src)}>
      <ImageIcon />
      <span className="ps-image-gate-text">
        {labels.showImage(alt)}
        {host && <span className="ps-link-host"> {host}</span>}
      </span>
    </button>
  );
}
