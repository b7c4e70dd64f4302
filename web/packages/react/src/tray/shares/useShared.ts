import { membersOf } from "@pageside/core/messages";
import type { PagesideClient } from "@pageside/core";
import { readShared, type SharedThread } from "@pageside/core/server";
import { useCallback, useEffect, useState } from "react";
import { codeOf } from "../../ui/errors.js";

/** Why a shared thread cannot be read: the link, the reader, or anything else. */
export type Unread = "ended" | "signedOut" | "notPermitted" | "failed";

interface Read {
  shared?: SharedThread;
  unread?: Unread;
}

/** Reads a shared thread, and again with `retry`. */
export function useShared(client: PagesideClient, token: string): Read & { retry: () => void } {
  const [read, setRead] = useState<Read>({});
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const left = new AbortController();
    readShared(client, token, left.signal).then(
      (shared) => setRead({ shared }),
      (cause: unknown) => left.signal.aborted || setRead({ unread: reasonOf(cause) }),
    );
    return () => left.abort();
  }, [client, token, attempt]);
  const retry = useCallback(() => {
    setRead({});
    setAttempt((now) => now + 1);
  }, []);
  return { ...read, retry };
}

function reasonOf(cause: unknown): Unread {
  const { status } = membersOf(cause);
  if (status === 404) return "ended";
  if (codeOf(cause) === "not_permitted") return "notPermitted";
  return status === 401 ? "signedOut" : "failed";
}
