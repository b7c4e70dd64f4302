import { useAssistantContext } from "../../context.js";
import { RenameField } from "./RenameField.js";

export interface TitleFieldProps {
  title: string;
  onDone: () => void;
}

/** The title of the open conversation, being changed in the header. */
export function TitleField({ title, onDone }: TitleFieldProps) {
  const { client } = useAssistantContext("TitleField");
  const save = (name: string) => client.threads.rename(client.getSnapshot().threadId, name);
  return <RenameField title={title} onSave={save} onDone={onDone} />;
}
