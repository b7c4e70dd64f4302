import type { ClientError, PagesideClient, ThreadAllowance } from "@pageside/core";
import { useEffect, useState } from "react";
import { useAssistantSnapshot } from "../../hooks/useAssistant.js";

interface ThreadAllowances {
  /** Those of the open thread that hold on the branch that is shown. */
  all: readonly ThreadAllowance[];
  /** Did reading or revoking them fail? */
  failed: boolean;
  /** Revokes it. */
  revoke(id: string): void;
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
    let isOver = false;
    const show = (all: readonly ThreadAllowance[], failed = false) => {
      if (!isOver) setRead({ threadId, all, failed });
    };
    client.threads.allowances(threadId).then(
      (all) => show(all.filter(({ active }) => active)),
      (cause) => show([], !isUnknown(cause)),
    );
    return () => {
      isOver = true;
    };
  }, [client, threadId, status]);

  const { all, failed } = read?.threadId === threadId ? read : { all: [], failed: false };
  const revoke = (id: string) => {
    setRead({ threadId, all: all.filter((each) => each.id !== id), failed: false });
    client.threads.revoke(threadId, id).catch((cause: unknown) => {
      if (!isUnknown(cause)) setRead({ threadId, all, failed: true });
    });
  };
  return { all, failed, revoke };
}

/** Reports whether the thread has not begun, or the allowance is gone already. */
const isUnknown = (cause: unknown) => (cause as { error?: Partial<ClientError> }).error?.code === "not_found";
