import { useCallback, useSyncExternalStore } from "react";
import { useAssistantContext } from "../context.js";
import { toRenderProps, type ToolRenderer } from "./toolRenderers.js";

/**
 * How the calls of one tool are drawn, or `undefined` where no component registered a `render` for
 * it. For trays of your own; `<AssistantTray>` uses it.
 *
 * @example
 * const renderer = useToolRenderer(call.name);
 * return renderer ? <>{renderer(call)}</> : <DefaultToolCard call={call} />;
 */
export function useToolRenderer(name: string): ToolRenderer | undefined {
  const { renderers } = useAssistantContext("useToolRenderer");
  const read = () => renderers.last(name);
  const render = useSyncExternalStore(renderers.subscribe, read, read);
  const draw = useCallback<ToolRenderer>((call) => render?.(toRenderProps(call)) ?? null, [render]);
  return render && draw;
}
