import type { Payload, PayloadProps } from "@pageside/react";

/** What a payload is drawn as: elements and text made by the page, never HTML as text. */
export type Drawn = Node | string | number | null | undefined;

/** How a page draws payloads of a type, and what accepting them does. */
export interface HostPayload extends Omit<Payload, "render" | "deps" | "enabled"> {
  type: string;
  /**
   * Called again whenever the payload changes; a node that it returned before may be returned
   * again.
   */
  render?: (props: PayloadProps<Record<string, unknown>>) => Drawn;
}
