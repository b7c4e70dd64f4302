/** Frames as responses: streams that go on as long as there is something to tell, and that can be broken. */

/** A response of server-sent events. `register` takes what breaks the connection. */
export function streamOf(
  frames: AsyncIterable<string>,
  signal: AbortSignal,
  register: (cut: () => void) => () => void,
): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      let isOver = false;
      const end = (finish: () => void) => {
        if (isOver) return;
        isOver = true;
        release();
        finish();
      };
      const release = register(() => end(() => controller.error(new TypeError("network error"))));
      signal.addEventListener("abort", () => end(() => controller.error(signal.reason)), { once: true });
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
