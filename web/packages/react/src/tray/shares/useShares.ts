import type { PagesideClient } from "@pageside/core";
import { listShares, revokeShare, shareThread, type NewThreadShare, type ThreadShare } from "@pageside/core/server";
import { useEffect, useState } from "react";
import { usePanelLabels } from "../../labels/panels.js";
import type { PanelLabels } from "../../labels/panelEnglish.js";
import type { TrayLabels } from "../../labels/types.js";
import { codeOf, errorText } from "../../ui/errors.js";
import { whileMounted } from "../../ui/whileMounted.js";

const DAY = 86_400;

function problemOf(cause: unknown, labels: PanelLabels & TrayLabels): string {
  return labels.shareProblem(codeOf(cause) ?? "") ?? errorText(cause, labels);
}

/** The links to a thread, the newest first, and what can be done with them. */
export function useShares(client: PagesideClient, threadId: string) {
  const labels = usePanelLabels();
  const [shares, setShares] = useState<readonly ThreadShare[]>([]);
  const [created, setCreated] = useState<NewThreadShare>();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();

  useEffect(() => {
    const show = (all: readonly ThreadShare[]) =>
      setShares((made) => [...made, ...all.filter(({ id }) => !made.some((each) => each.id === id))]);
    return whileMounted(listShares(client, threadId), show, () => setProblem(labels.partFailed));
  }, [client, threadId, labels]);

  /** Reports whether it succeeded. */
  const attempt = async (work: () => Promise<void>) => {
    if (busy) return false;
    setBusy(true);
    setProblem(undefined);
    try {
      await work();
      return true;
    } catch (cause) {
      setProblem(problemOf(cause, labels));
      return false;
    } finally {
      setBusy(false);
    }
  };
  const create = (days: number) =>
    attempt(async () => {
      const share = await shareThread(client, threadId, { expiresIn: days * DAY });
      setCreated(share);
      setShares((all) => [share, ...all]);
    });
  const revoke = ({ id }: ThreadShare) =>
    attempt(async () => {
      await revokeShare(client, threadId, id);
      setShares((all) => all.filter((each) => each.id !== id));
      setCreated((now) => (now?.id === id ? undefined : now));
    });
  return { shares, created, busy, problem, create, revoke };
}
