import type { ThreadSnapshot } from "@pageside/core";
import { useAssistantContext } from "../../context.js";
import { useAssistantSnapshot } from "../../hooks/useAssistant.js";
import { usePanelLabels } from "../../labels/panels.js";
import { CopyIcon, PencilIcon, PlusIcon } from "../../ui/icons.js";
import { DownloadIcon, EyeIcon, KeyboardIcon, ShareIcon, TrashIcon } from "../../ui/partIcons.js";
import { saveMarkdown, toMarkdown, wholeThread, type MarkdownOptions } from "./export.js";
import { Menu, type MenuItem } from "./Menu.js";
import type { Toast } from "./Toast.js";
import type { PanelsProps } from "./types.js";
import type { ThreadActions } from "./useThreadActions.js";
import { useUsageNote } from "./useUsageNote.js";

interface HeaderMenuProps extends PanelsProps {
  toast: Toast;
  actions: ThreadActions;
  onNew: () => void;
  onClose: () => void;
}

/** The menu of the conversation and the tray. */
export function HeaderMenu(props: HeaderMenuProps) {
  const { layout, layouts, choose, showPanel, actions, onNew, onClose } = props;
  const { client } = useAssistantContext("HeaderMenu");
  const labels = usePanelLabels();
  const isEmpty = useAssistantSnapshot(({ messages }) => messages.length === 0);
  const canShare = useAssistantSnapshot(({ sharing }) => sharing === true);
  const note = useUsageNote(client);

  const { save, copy } = useExport(props);
  const remove = () => {
    const { threadId, title = "" } = client.getSnapshot();
    actions.remove({ id: threadId, title });
  };

  const item = (label: string, icon: MenuItem["icon"], onPick: () => void, more?: Partial<MenuItem>): MenuItem => ({
    label,
    icon,
    onPick,
    ...more,
  });
  const disabled = isEmpty;
  const hasServer = !client.identity.direct;
  const groups = [
    {
      items: [
        item(labels.newConversation, <PlusIcon />, onNew, { disabled }),
        ...(hasServer ? [item(labels.rename, <PencilIcon />, () => showPanel("rename"), { disabled })] : []),
        item(labels.exportMarkdown, <DownloadIcon />, () => void save(), { disabled }),
        item(labels.copyMarkdown, <CopyIcon />, () => void copy(), { disabled }),
        ...(canShare ? [item(labels.share, <ShareIcon />, () => showPanel("share"), { disabled })] : []),
      ],
    },
    { items: [item(labels.whatItSees(), <EyeIcon />, () => showPanel("sees"))] },
    {
      label: labels.layout,
      items: layouts.map((each) =>
        item(labels.layoutName(each), undefined, () => choose(each), { checked: each === layout }),
      ),
    },
    {
      items: [
        item(labels.shortcuts, <KeyboardIcon />, () => showPanel("shortcuts")),
        ...(hasServer ? [item(labels.deleteThread, <TrashIcon />, remove, { disabled, danger: true })] : []),
      ],
    },
  ];
  const shown = groups.filter(({ items }) => items.length > 0);
  return <Menu label={labels.menu} groups={shown} note={note} onClose={onClose} />;
}

/** Saves and copies the conversation as Markdown. */
function useExport({ toast, toolLabels }: Pick<HeaderMenuProps, "toast" | "toolLabels">) {
  const { client } = useAssistantContext("HeaderMenu");
  const labels = usePanelLabels();
  const optionsOf = ({ title }: ThreadSnapshot): MarkdownOptions => ({
    labels,
    toolLabels,
    title: title || labels.untitled,
  });
  const whole = () =>
    wholeThread(client, labels).catch((cause: Error) => {
      toast.show({ text: cause.message });
    });
  const save = async () => {
    const snapshot = await whole();
    if (snapshot) saveMarkdown(snapshot, optionsOf(snapshot));
  };
  const copy = async () => {
    const snapshot = await whole();
    if (!snapshot) return;
    try {
      await navigator.clipboard.writeText(toMarkdown(snapshot, optionsOf(snapshot)));
      toast.show({ text: labels.copied });
    } catch {
      toast.show({ text: labels.copyFailed });
    }
  };
  return { save, copy };
}
