/** A press that moves further, in pixels, is taken back, as everywhere. */
const TAKEN_BACK = 8;

/**
 * Gives a pressed button its click even if the text moves it away before the pointer is released,
 * as what is being written does.
 */
export function keepPress({ target, pointerId, clientX, clientY }: PointerEvent): void {
  const button = (target as Element).closest("button");
  if (!button?.setPointerCapture) return;
  const move = (event: PointerEvent) => {
    if (Math.hypot(event.clientX - clientX, event.clientY - clientY) > TAKEN_BACK)
      button.releasePointerCapture(pointerId);
  };
  button.setPointerCapture(pointerId);
  button.addEventListener("pointermove", move);
  button.addEventListener("lostpointercapture", () => button.removeEventListener("pointermove", move), { once: true });
}
