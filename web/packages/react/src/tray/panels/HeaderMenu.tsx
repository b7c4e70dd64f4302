import type { TokenUsage } from "@pageside/core";
import { useAssistantContext } from "../../context.js";
import { useAssistantSnapshot } from "../../hooks/useAssistant.js";
import { CopyIcon, PencilIcon, PlusIcon } from "../../ui/icons.js";
import { fileNameOf, toMarkdown, type MarkdownOptions } from "./export.js";
import { DownloadIcon, EyeIcon, KeyboardIcon, TrashIcon } from "../../ui/partIcons.js";
import { Menu, type MenuItem } from "./Menu.js";
import type { PanelsProps } from "./Panels.js";
import { usePanelLabels, type PanelLabels } from "../../labels/panels.js";
import type { ThreadActions } from "./useThreadActions.js";
import type { Toast } from "./useToast.js";

interface HeaderMenuProps extends PanelsProps {
  toast: Toast;
  actions: ThreadActions;
  onNew: () => void;
  onClose: () => void;
}

/** What can be done with the conversation and the tray. */
export function HeaderMenu(props: HeaderMenuProps) {
  const { layout, layouts, choose, showPanel, toast, actions, toolLabels, onNew, onClose } = props;
  const { client } = useAssistantContext("HeaderMenu");
  const labels = usePanelLabels();
  const isEmpty = useAssistantSnapshot(({ messages }) => messages.length === 0);
  const usage = useAssistantSnapshot((thread) => thread.usage);
  const cost = useAssistantSnapshot((thread) => thread.cost);

  const write = () => {
    const snapshot = client.getSnapshot();
    const options: MarkdownOptions = { labels, toolLabels, title: snapshot.title || labels.untitled };
    return { markdown: toMarkdown(snapshot, options), name: fileNameOf(options.title) };
  };
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(write().markdown);
      toast.show({ text: labels.copiedMarkdown });
    } catch {
      toast.show({ text: labels.copyFailed });
    }
  };
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
  const groups = [
    {
      items: [
        item(labels.newConversation, <PlusIcon />, onNew, { disabled }),
        item(labels.rename, <PencilIcon />, () => showPanel("rename"), { disabled }),
        item(labels.exportMarkdown, <DownloadIcon />, () => download(write()), { disabled }),
        item(labels.copyMarkdown, <CopyIcon />, () => void copy(), { disabled }),
      ],
    },
    { items: [item(labels.whatItSees, <EyeIcon />, () => showPanel("sees"))] },
    {
      label: labels.layout,
      items: layouts.map((each) =>
        item(labels.layoutName(each), undefined, () => choose(each), { checked: each === layout }),
      ),
    },
    {
      items: [
        item(labels.shortcuts, <KeyboardIcon />, () => showPanel("shortcuts")),
        item(labels.deleteThread, <TrashIcon />, remove, { disabled, danger: true }),
      ],
    },
  ];
  const shown = groups.filter(({ items }) => items.length > 0);
  return <Menu label={labels.menu} groups={shown} note={noteOf(labels, usage, cost)} onClose={onClose} />;
}

/** What all models used together, and what that cost; nothing where no count is known. */
function noteOf(labels: PanelLabels, usage: readonly TokenUsage[] = [], cost?: number): string | undefined {
  const sum = (name: "inputTokens" | "cachedInputTokens" | "outputTokens") =>
    usage.reduce((total, { [name]: count = 0 }) => total + count, 0);
  const [input, output] = [sum("inputTokens"), sum("outputTokens")];
  return input + output > 0 ? labels.usage(input, sum("cachedInputTokens"), output, cost) : undefined;
}

function download({ markdown, name }: { markdown: string; name: string }) {
  const url = URL.createObjectURL(new Blob([markdown], { type: "text/markdown;charset=utf-8" }));
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
