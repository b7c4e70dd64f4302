import type { ComponentProps } from "react";

interface ButtonProps extends ComponentProps<"button"> {
  /** What it means; by default neither the main thing nor a side matter. */
  look?: "primary" | "danger" | "ghost";
  /** Stands at the beginning of its row, apart from the others. */
  isFirst?: boolean;
  /** Does the focus go to it when it appears in place of what had it? */
  isNext?: boolean;
}

/** A button of a card. */
export function Button({ look, isFirst, isNext, ...props }: ButtonProps) {
  const className = `ps-button${look ? ` ps-${look}` : ""}${isFirst ? " ps-first" : ""}`;
  return <button type="button" className={className} data-focus={isNext || undefined} {...props} />;
}
