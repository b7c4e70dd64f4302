/** For tests of hooks: a page, and the server behind its client. */
import { renderHook } from "@testing-library/react";
import { Fragment, StrictMode, type ReactNode } from "react";
import { json, setUp } from "../../core/test/server.js";
import { AssistantProvider } from "../src/index.js";

export function openPage({ strict = true } = {}) {
  const { server, client } = setUp();
  server.routes.set("/v1/agents/default/capabilities", () => json({}));
  const Mode = strict ? StrictMode : Fragment;
  const Page = ({ children, open = false }: { children?: ReactNode; open?: boolean }) => (
    <Mode>
      <AssistantProvider client={client} defaultOpen={open}>
        {children}
      </AssistantProvider>
    </Mode>
  );
  /** Renders a component of the page that does nothing else. */
  const mount = <Result,>(hook: () => Result) => renderHook(hook, { wrapper: Page });
  return { server, client, Page, mount };
}
