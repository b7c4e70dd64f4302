import { useEffect, useMemo, useRef, useState } from "react";
import { useLayoutEffect } from "../../hooks/effects.js";
import { useMedia } from "../../ui/useMedia.js";
import { dictate, findRecogniser, joined, languageOf, type Dictation, type DictationProblem } from "./dictation.js";
import type { Box } from "./types.js";
import type { Write } from "./useWriter.js";

/** Writes what the user says at the caret. Undefined where it can't, or must not. */
export function useDictation({ area, threadId, state, voice }: Box, isOpen: boolean, write: Write) {
  const Recogniser = useMemo(() => findRecogniser(), []);
  const [isListening, setListening] = useState(false);
  const [problem, setProblem] = useState<DictationProblem>();
  const session = useRef<{ dictation: Dictation; written: string }>(undefined);
  const isTouch = useMedia("(hover: none) and (pointer: coarse)");

  const leave = () => {
    session.current = undefined;
    setListening(false);
  };
  const abort = () => {
    session.current?.dictation.abort();
    leave();
  };
  const stop = () => {
    session.current?.dictation.stop();
    setListening(false);
  };

  const start = () => {
    const element = area.current;
    if (!element || !Recogniser) return;
    abort();
    const { value, selectionStart, selectionEnd } = element;
    const [before, after] = [value.slice(0, selectionStart), value.slice(selectionEnd)];
    const onText = (text: string) => {
      const spoken = joined(before, text);
      const written = after ? joined(spoken, after) : spoken;
      if (session.current) session.current.written = written;
      write(written, spoken.length);
    };
    const onEnd = (cause?: DictationProblem) => {
      leave();
      setProblem(cause);
    };
    setProblem(undefined);
    setListening(true);
    session.current = {
      dictation: dictate(Recogniser, languageOf(element), isTouch, { onText, onEnd }),
      written: value,
    };
    // The keys go on: Enter sends, Escape stops. On a touch screen a keyboard would come up.
    if (!isTouch) element.focus({ preventScroll: true });
  };

  // Somebody else wrote: the user by hand, or the message was sent.
  useLayoutEffect(() => {
    if (session.current && session.current.written !== state.text) abort();
  });
  useEffect(() => {
    const onHide = () => document.hidden && abort();
    document.addEventListener("visibilitychange", onHide);
    return () => {
      document.removeEventListener("visibilitychange", onHide);
      abort();
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the functions only use what stays
  }, [threadId, isOpen]);

  if (voice === false || !Recogniser) return undefined;
  const toggle = () => (isListening ? stop() : start());
  return { isListening, problem, toggle, stop, closeProblem: () => setProblem(undefined) };
}

/** Dictating, as `useDictation` returns it. */
export type Dictating = ReturnType<typeof useDictation>;
