// CopilotKit's own chat, which draws markdown with Streamdown.
import { CopilotChat, CopilotChatConfigurationProvider, CopilotKitProvider } from "@copilotkit/react-core/v2";
import "@copilotkit/react-core/v2/styles.css";
import { createRoot } from "react-dom/client";
import { chat, server } from "./where.js";

createRoot(document.getElementById("root")).render(
  <CopilotKitProvider runtimeUrl={`${server}/copilotkit`} showDevConsole={false} enableInspector={false}>
    <CopilotChatConfigurationProvider agentId="default" threadId={chat}>
      <CopilotChat />
    </CopilotChatConfigurationProvider>
  </CopilotKitProvider>,
);
