import { memo, useState } from "react";
import { BlockView, headingLevels } from "./blocks.js";
import { IncrementalLexer } from "./lexer.js";

export interface MarkdownProps {
  /** GitHub-flavoured markdown. Raw HTML in it is shown as text. */
  source: string;
  /** Is it still being written? Its end is then completed, so that half-written markup does not show. */
  streaming?: boolean;
}

/**
 * Shows markdown a model wrote. While the text grows, only the blocks at its end are read and rendered again. No HTML
 * is ever set; links go to http, https, mail or relative targets; an image is fetched only after a click.
 *
 * It is styled inside an element of class `ps-root`.
 */
export const Markdown = memo(function Markdown({ source, streaming = false }: MarkdownProps) {
  const [lexer] = useState(() => new IncrementalLexer());
  const { tokens, open, version } = lexer.read(source, streaming);
  const levels = headingLevels(tokens);
  return (
    <div className="ps-md" dir="auto">
      {tokens.map((token, index) => (
        <BlockView key={index} token={token} open={index === open} version={version} level={levels[index]} />
      ))}
    </div>
  );
});
