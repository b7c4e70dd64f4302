import type { Token, Tokens } from "marked";
import { createElement, memo, type ReactNode } from "react";
import { useLabels } from "../labels/useLabels.js";
import { CodeBlock } from "./CodeBlock.js";
import { Inline } from "./inline.js";
import { known } from "./token.js";

/** Deeper nesting is shown as its source. */
const MAX_DEPTH = 24;

interface BlockProps<T extends Token = Token> {
  token: T;
  /** Is it still being written? */
  open: boolean;
  version: string;
  depth?: number;
  /** Of a heading; default 3. */
  level?: number;
}

/** Blocks with the same source look the same, unless one is open: its end is drawn differently. */
function same(a: Readonly<BlockProps>, b: Readonly<BlockProps>): boolean {
  if (a.open || b.open || a.version !== b.version || a.depth !== b.depth || a.level !== b.level) return false;
  return a.token === b.token || (a.token.type === b.token.type && a.token.raw === b.token.raw);
}

/** One block of a document. */
export const BlockView = memo(function BlockView({ token, open, version, depth = 0, level }: BlockProps): ReactNode {
  if (depth > MAX_DEPTH) return <p className="ps-md-plain">{token.raw}</p>;
  const block = known(token);
  switch (block.type) {
    case "paragraph":
      return (
        <p>
          <Inline tokens={block.tokens} />
        </p>
      );
    case "text":
      return <Inline tokens={block.tokens ?? [token]} />;
    case "heading":
      return <Heading token={block} level={level} />;
    case "code":
      return <CodeBlock code={block.text} language={languageOf(block.lang)} open={open} />;
    case "list":
      return <List token={block} open={open} version={version} depth={depth} />;
    case "table":
      return <Table token={block} open={open} version={version} />;
    case "blockquote":
      return <blockquote>{renderBlocks(block.tokens, open, version, depth + 1)}</blockquote>;
    case "hr":
      return <hr />;
    case "plain":
      return (
        <p className="ps-md-plain" data-follows={block.follows || undefined}>
          {block.raw}
        </p>
      );
    case "space":
    case "def":
    case "checkbox":
      return null;
    default:
      return <Inline tokens={[token]} />;
  }
}, same);

function renderBlocks(tokens: readonly Token[], open: boolean, version: string, depth: number): ReactNode {
  return tokens.map((token, index) => (
    <BlockView key={index} token={token} open={open && index === tokens.length - 1} version={version} depth={depth} />
  ));
}

/** The first word of a fence's info string. */
function languageOf(info = ""): string {
  return /^[^\s{]*/.exec(info.trim())?.[0] ?? "";
}

function Heading({ token, level = 3 }: { token: Tokens.Heading; level?: number }) {
  return createElement(`h${level}`, { className: `ps-md-h${token.depth}` }, <Inline tokens={token.tokens} />);
}

/**
 * The levels of the headings among some blocks. The tray's title is the second level, so an
 * answer's headings begin at the third, and none is more than one below the one before, whatever
 * the model wrote. `above` is that of the last one above them.
 */
export function headingLevels(tokens: readonly Token[], above = 2): (number | undefined)[] {
  let before = above;
  return tokens.map(known).map((token) => {
    if (token.type !== "heading") return undefined;
    before = Math.min(token.depth + 2, before + 1, 6);
    return before;
  });
}

function List({ token, open, version, depth = 0 }: BlockProps<Tokens.List>) {
  const items = token.items.map((item, index) => (
    <Item
      key={index}
      token={item}
      open={open && index === token.items.length - 1}
      version={version}
      depth={depth + 1}
    />
  ));
  if (!token.ordered)
    return <ul className={token.items.some((item) => item.task) ? "ps-md-tasks" : undefined}>{items}</ul>;
  return <ol start={token.start === "" || token.start === 1 ? undefined : token.start}>{items}</ol>;
}

/** What follows can make an item loose, so its source alone does not determine its look. */
const Item = memo(
  function Item({ token, open, version, depth = 0 }: BlockProps<Tokens.ListItem>) {
    return (
      <li className={token.task ? "ps-md-task" : undefined}>
        {token.task && <TaskMark done={token.checked === true} />}
        {token.task ? (
          <div className="ps-grow">{renderBlocks(token.tokens, open, version, depth)}</div>
        ) : (
          renderBlocks(token.tokens, open, version, depth)
        )}
      </li>
    );
  },
  (a, b) => same(a, b) && a.token.loose === b.token.loose && a.token.task === b.token.task,
);

function TaskMark({ done }: { done: boolean }) {
  const { task } = useLabels();
  return <span className="ps-md-check" role="img" aria-label={task(done)} data-done={done || undefined} />;
}

function Table({ token, open, version }: BlockProps<Tokens.Table>) {
  const { table } = useLabels();
  return (
    <div className="ps-md-table" role="group" aria-label={table} tabIndex={0}>
      <table>
        <thead>
          <Row cells={token.header} head open={open} version={version} />
        </thead>
        {token.rows.length > 0 && (
          <tbody>
            {token.rows.map((cells, index) => (
              <Row key={index} cells={cells} open={open && index === token.rows.length - 1} version={version} />
            ))}
          </tbody>
        )}
      </table>
    </div>
  );
}

interface RowProps {
  cells: readonly Tokens.TableCell[];
  head?: boolean;
  open: boolean;
  version: string;
}

const Row = memo(
  function Row({ cells, head = false }: RowProps) {
    return (
      <tr>
        {cells.map((cell, index) =>
          createElement(
            head ? "th" : "td",
            { key: index, "data-align": cell.align ?? undefined, scope: head ? "col" : undefined },
            <Inline tokens={cell.tokens} />,
          ),
        )}
      </tr>
    );
  },
  (a, b) =>
    !a.open &&
    !b.open &&
    a.version === b.version &&
    a.cells.length === b.cells.length &&
    a.cells.every((cell, index) => cell.text === b.cells[index]!.text && cell.align === b.cells[index]!.align),
);
