// A server of a test's own.
import { createServer } from "node:http";

/** Answers requests with `answer`, at a free port of this machine, until `stop` is called. */
export async function listen(answer) {
  const server = createServer(answer);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  const stop = () =>
    new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}`, port, stop };
}
