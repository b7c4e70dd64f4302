import { useEffect, useState } from "react";
import { useLabels } from "../labels/useLabels.js";
import { IconButton } from "./Button.js";
import { copyText } from "./clipboard.js";
import { CheckIcon, CopyIcon } from "./icons.js";

const SHOWN_MS = 2000;

/** Copies a text and says so for two seconds. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const { copied } = useLabels();
  const [done, setDone] = useState(false);

  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => setDone(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [done]);

  const name = done ? copied : label;
  return (
    <IconButton isSmall label={name} data-done={done || undefined} onClick={async () => setDone(await copyText(text))}>
      {done ? <CheckIcon /> : <CopyIcon />}
    </IconButton>
  );
}
