import { forwardRef, type ComponentPropsWithoutRef } from "react";

type ButtonElementProps = ComponentPropsWithoutRef<"button">;

interface ButtonProps extends ButtonElementProps {
  /** What it means; by default neither the main thing nor a side matter. */
  look?: "primary" | "danger" | "ghost";
  /** Does the focus go to it when it appears in place of what had it? */
  isNext?: boolean;
}

/** A button with a text. */
export const Button = forwardRef<HTMLButtonElement, ButtonProps>(function Button(
  { look, isNext, className, ...props },
  ref,
) {
  const classes = ["ps-button", look && `ps-${look}`, className].filter(Boolean).join(" ");
  return <button ref={ref} type="button" className={classes} data-focus={isNext || undefined} {...props} />;
});

interface IconButtonProps extends ButtonElementProps {
  /** Its name, which is its tooltip, too, unless there is a `title`. */
  label: string;
  /** Does it stand in a row of text? */
  isSmall?: boolean;
}

/** A button that is only an icon. */
export const IconButton = forwardRef<HTMLButtonElement, IconButtonProps>(function IconButton(
  { label, isSmall, className, ...props },
  ref,
) {
  const classes = ["ps-icon-button", isSmall && "ps-small", className].filter(Boolean).join(" ");
  return <button ref={ref} type="button" className={classes} aria-label={label} title={label} {...props} />;
});
