/** Responses: streams of frames, which can be broken, and JSON. */

/** Milliseconds between two signs of life. */
const KEEP_ALIVE = 15_000;

/**
 * A response of server-sent events. `register` takes what breaks the connection, and returns what
 * is called when it has ended.
 */
export function streamOf(
  frames: AsyncIterable<string>,
  signal: AbortSignal,
  register: (cut: () => void) => () => void = () => () => undefined,
): Response {
  const encoder = new TextEncoder();
  let leave = () => {};
  const body = new ReadableStream<Uint8Array>({
    cancel: () => leave(),
    async start(controller) {
      let isOver = false;
      const end = (finish: () => void) => {
        if (isOver) return;
        isOver = true;
        clearInterval(beat);
        release();
        finish();
      };
      // As the server does: a client drops a stream that is silent too long, under fake timers too.
      const beat = setInterval(() => controller.enqueue(encoder.encode(": keep-alive\n\n")), KEEP_ALIVE);
      const release = register(() => end(() => controller.error(new TypeError("network error"))));
      signal.addEventListener("abort", () => end(() => controller.error(signal.reason)), { once: true });
      leave = () => end(() => undefined);
      try {
        for await (const frame of frames) {
          if (isOver) return;
          controller.enqueue(encoder.encode(frame));
        }
        end(() => controller.close());
      } catch (cause) {
        end(() => controller.error(cause));
      }
    },
  });
  return new Response(body, { headers: { "Content-Type": "text/event-stream", "Cache-Control": "no-cache" } });
}

/** A response of JSON. */
export function jsonOf(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json", ...headers } });
}

/** A refusal, in the form a Pageside server has for it. */
export function refusal(
  status: number,
  code: string,
  message: string,
  { details, retryAfter }: { details?: object; retryAfter?: number } = {},
): Response {
  const headers: Record<string, string> = retryAfter === undefined ? {} : { "Retry-After": String(retryAfter) };
  return jsonOf({ error: { code, message, ...(details && { details }) } }, status, headers);
}
