import type { ComponentProps } from "react";

interface ButtonProps extends ComponentProps<"button"> {
  /** What it means; by default neither the main thing nor a side matter. */
  look?: "primary" | "danger" | "ghost";
  /** Does the focus go to it when it appears in place of what had it? */
  isNext?: boolean;
}

/** A button of a card. */
export function Button({ look, isNext, ...props }: ButtonProps) {
  const className = `ps-button${look ? ` ps-${look}` : ""}`;
  return <button type="button" className={className} data-focus={isNext || undefined} {...props} />;
}
