import { createContext, useCallback, useContext, useEffect, useMemo, useRef, useState, type RefObject } from "react";
import { useLatest, useLayoutEffect } from "../../hooks/effects.js";
import { Follower, type Tell } from "./follower.js";

/**
 * Call before something the reader opens changes its height: the transcript then stays where it is.
 */
export const HoldContext = createContext<() => void>(() => {});

/** Whether something of the transcript is open, and opening or closing it. What is above stays. */
export function useToggle(): [isOpen: boolean, toggle: () => void] {
  const hold = useContext(HoldContext);
  const [isOpen, setOpen] = useState(false);
  const toggle = () => {
    hold();
    setOpen(!isOpen);
  };
  return [isOpen, toggle];
}

interface Follow {
  scrollerRef: RefObject<HTMLDivElement | null>;
  contentRef: RefObject<HTMLDivElement | null>;
  onScroll: () => void;
  /** Is the end in view? */
  atEnd: boolean;
  /** Has something been written below since the reader scrolled up? */
  unseen: boolean;
  scrollToEnd: () => void;
  hold: () => void;
}

/**
 * Where the transcript stands. A thread is opened at its end. A question that was just asked
 * (`asking`) goes to the top, with room below for its answer, which is then written without moving
 * anything. A reader at the end of what is written follows it, until they scroll up. `key` names
 * the thread and the last question.
 */
export function useFollow(key: string, asking: boolean): Follow {
  const scrollerRef = useRef<HTMLDivElement>(null);
  const contentRef = useRef<HTMLDivElement>(null);
  const { atEnd, unseen, tell } = useView(key);
  const [follower] = useState(() => new Follower(tell));
  const latest = useLatest(asking);

  useEffect(() => {
    if (scrollerRef.current && contentRef.current) return follower.watch(scrollerRef.current, contentRef.current);
  }, [follower]);
  useLayoutEffect(() => {
    if (scrollerRef.current && contentRef.current)
      follower.begin(scrollerRef.current, contentRef.current, latest.current);
  }, [key, follower, latest]);

  const moves = useMemo(
    () => ({
      onScroll: () => follower.scrolled(),
      scrollToEnd: () => follower.goToEnd(),
      hold: () => follower.hold(),
    }),
    [follower],
  );
  return useMemo(() => ({ scrollerRef, contentRef, atEnd, unseen, ...moves }), [atEnd, unseen, moves]);
}

/** What is known of the view. With a new key it is at the end. */
function useView(key: string): { atEnd: boolean; unseen: boolean; tell: Tell } {
  const latest = useLatest(key);
  const [view, setView] = useState({ key, atEnd: true, unseen: false });
  const tell = useCallback<Tell>(
    (atEnd, unseen = false) => {
      const key = latest.current;
      setView((before) => {
        const stillUnseen = !atEnd && (unseen || (before.key === key && before.unseen));
        const isSame = before.key === key && before.atEnd === atEnd && before.unseen === stillUnseen;
        return isSame ? before : { key, atEnd, unseen: stillUnseen };
      });
    },
    [latest],
  );
  const isOld = view.key !== key;
  return { atEnd: isOld || view.atEnd, unseen: !isOld && view.unseen, tell };
}
