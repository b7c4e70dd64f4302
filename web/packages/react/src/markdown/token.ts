import type { MarkedToken, Token } from "marked";

/** A text that is shown as it was written. */
export interface PlainToken {
  type: "plain";
  raw: string;
  text: string;
  /** Does it go on with the text of the token before it? */
  follows?: boolean;
}

/** A token that is drawn: marked's, or plain text. */
export type KnownToken = MarkedToken | PlainToken;

/** Narrows marked's type, which leaves room for tokens of extensions. There are none but ours. */
export const known = (token: Token) => token as KnownToken;
