import type { PagesideClient, ThreadAllowance } from "@pageside/core";
import { useEffect, useState } from "react";
import { useAssistantSnapshot } from "../../hooks/useAssistant.js";
import { codeOf } from "../../ui/errors.js";
import { whileMounted } from "../../ui/whileMounted.js";

interface ThreadAllowances {
  /** Those that hold on the branch of the open thread that is shown, or in all threads. */
  all: readonly ThreadAllowance[];
  /** Did reading or revoking them fail? */
  failed: boolean;
  /** Revokes it. */
  revoke(allowance: ThreadAllowance): void;
}

interface Read {
  threadId: string;
  all: readonly ThreadAllowance[];
  failed: boolean;
}

/** The server's allowances, read whenever a run begins or ends. */
export function useThreadAllowances(client: PagesideClient): ThreadAllowances {
  const threadId = useAssistantSnapshot((snapshot) => snapshot.threadId);
  const status = useAssistantSnapshot((snapshot) => snapshot.status);
  const [read, setRead] = useState<Read>();

  useEffect(() => {
    if (client.identity.direct) return;
    const show = (all: readonly ThreadAllowance[], failed = false) => setRead({ threadId, all, failed });
    const read = (threadId?: string) =>
      client.threads.allowances(threadId).catch((cause: unknown) => {
        if (isUnknown(cause)) return [];
        throw cause;
      });
    return whileMounted(
      Promise.all([read(threadId), read()]),
      (lists) => show(lists.flat().filter(({ active }) => active)),
      () => show([], true),
    );
  }, [client, threadId, status]);

  const { all, failed } = read?.threadId === threadId ? read : { all: [], failed: false };
  const revoke = ({ id, scope }: ThreadAllowance) => {
    setRead({ threadId, all: all.filter((each) => each.id !== id), failed: false });
    client.threads.revoke(scope === "user" ? undefined : threadId, id).catch((cause: unknown) => {
      if (!isUnknown(cause)) setRead({ threadId, all, failed: true });
    });
  };
  return { all, failed, revoke };
}

/** Reports whether the thread has not begun, or the allowance is gone already. */
const isUnknown = (cause: unknown) => codeOf(cause) === "not_found";
