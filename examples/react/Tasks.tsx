import {
  useAssistant,
  useAssistantAction,
  useAssistantPrompts,
  useDynamicContext,
  usePageContext,
  usePayload,
} from "@pageside/react";
import { useEffect, useState } from "react";

interface Task {
  id: number;
  text: string;
  done: boolean;
}

/** A page that the assistant sees and works in: a list of tasks. */
export function Tasks() {
  const [tasks, setTasks] = useState<readonly Task[]>([
    { id: 1, text: "Water the plants", done: false },
    { id: 2, text: "Pay the invoice of March", done: true },
  ]);
  const add = (text: string) => {
    const task = { id: Date.now(), text, done: false };
    setTasks((now) => [...now, task]);
    return task;
  };
  const set = (id: number, done: boolean) =>
    setTasks((now) =>
      now.map((task) => (task.id === id ? { ...task, done } : task)),
    );

  // Where the user is, and what is on screen. Both are read when a message is sent.
  usePageContext({ page: "tasks" });
  useDynamicContext({
    description: "Tasks on screen",
    label: "@tasks",
    value: tasks,
  });

  // What the assistant can do here. The handler always sees the latest state.
  useAssistantAction({
    name: "add_task",
    description: "Adds a task to the list",
    parameters: {
      type: "object",
      properties: { text: { type: "string", minLength: 1 } },
      required: ["text"],
    } as const,
    handler: ({ text }) => add(text),
  });
  useAssistantAction({
    name: "clear_done",
    description: "Removes the tasks that are done",
    requiresConfirmation: "Remove the tasks that are done?",
    handler: () => setTasks((now) => now.filter(({ done }) => !done)),
  });

  // A card that the assistant proposes, and the user accepts or not.
  usePayload<{ text: string }>("task_proposal", {
    title: "Proposed task",
    render: ({ data }) => data.text,
    accept: ({ text }) => add(text),
  });

  return (
    <main>
      <h1>Tasks</h1>
      <ul>
        {tasks.map(({ id, text, done }) => (
          <li key={id}>
            <label>
              <input
                type="checkbox"
                checked={done}
                onChange={(event) => set(id, event.target.checked)}
              />{" "}
              {text}
            </label>
          </li>
        ))}
      </ul>
      <Ask />
    </main>
  );
}

/** A button and a command that send messages. */
function Ask() {
  const { open, isRunning } = useAssistant();
  const { sendMessage, registerCommands } = useAssistantPrompts();
  useEffect(
    () =>
      registerCommands([
        {
          command: "/open",
          description: "Count what is left",
          prompt: "How many tasks are open?",
        },
      ]),
    [registerCommands],
  );
  return (
    <button
      disabled={isRunning}
      onClick={() => {
        open();
        void sendMessage("How many tasks are open?");
      }}
    >
      How many are open?
    </button>
  );
}
