import type { SuggestedValue } from "@pageside/core";
import { useEffect, useRef, useState, type KeyboardEvent, type RefObject } from "react";
import { useMessageLabels } from "../../labels/messages.js";
import { Revealed } from "../../ui/Revealed.js";
import { watchSizes } from "../../ui/sizes.js";
import { saysOtherwise } from "./saysOtherwise.js";

const ROWS = 2;
const GAP = 8;
/** The width of the chip that shows the others. */
const MORE = 48;

interface ChipsProps {
  values: readonly SuggestedValue[];
  onSend: (value: string) => void;
}

/**
 * Suggested values in two rows, the others behind "+3". One stop of the Tab key; arrows go
 * from chip to chip.
 */
export function Chips({ values, onSend }: ChipsProps) {
  const labels = useMessageLabels();
  const row = useRef<HTMLDivElement>(null);
  const fits = useFitting(row, values);
  const [all, setAll] = useState(false);
  const [current, setCurrent] = useState(0);
  const shown = all ? values.length : Math.min(fits, values.length);
  // There may be fewer values now.
  const stop = Math.min(current, shown < values.length ? shown : values.length - 1);

  const move = (event: KeyboardEvent) => {
    const buttons = [...row.current!.querySelectorAll<HTMLElement>("button:not([hidden])")];
    const at = buttons.findIndex((each) => each === event.target);
    const forward = getComputedStyle(row.current!).direction === "rtl" ? -1 : 1;
    const step = { ArrowRight: forward, ArrowLeft: -forward, Home: -at, End: buttons.length - 1 - at }[event.key];
    const to = step === undefined ? undefined : buttons[at + step];
    if (!to) return;
    event.preventDefault();
    setCurrent(at + step!);
    to.focus();
  };

  return (
    <div ref={row} className="ps-chips ps-flow" onKeyDown={move}>
      {values.map(({ label, value }, index) => (
        <button
          key={`${value} ${index}`}
          type="button"
          className="ps-chip"
          data-chip
          hidden={index >= shown}
          tabIndex={index === stop ? 0 : -1}
          dir="auto"
          onClick={() => onSend(value)}
        >
          <Words label={label} value={value} />
        </button>
      ))}
      {shown < values.length && (
        <button
          type="button"
          className="ps-chip"
          tabIndex={stop === shown ? 0 : -1}
          aria-label={labels.moreSuggestions(values.length - shown)}
          onClick={() => {
            setCurrent(shown - 1);
            setAll(true);
            row.current?.querySelectorAll<HTMLElement>("[data-chip]")[shown - 1]?.focus();
          }}
        >
          <bdi dir="ltr">+{values.length - shown}</bdi>
        </button>
      )}
    </div>
  );
}

/** The label and the text that is sent, if it differs; the text alone if the label begins it. */
export function Words({ label, value }: SuggestedValue) {
  const labels = useMessageLabels();
  if (!saysOtherwise(label, value)) return <bdi>{label}</bdi>;
  if (label.endsWith("…") && value.startsWith(label.slice(0, -1))) return <Revealed text={value} />;
  return (
    <>
      <Revealed text={label} />{" "}
      <span className="ps-sends ps-muted ps-text-xs">
        {labels.sendsWords} <Revealed text={value} />
      </span>
    </>
  );
}

/** How many of the chips fit, measured again whenever the tray or the chips change. */
function useFitting(row: RefObject<HTMLElement | null>, values: readonly SuggestedValue[]): number {
  const [fits, setFits] = useState(values.length);
  const texts = values.map(({ label, value }) => `${label}\n${value}`).join("\n");
  useEffect(() => {
    const element = row.current;
    if (!element) return;
    // All of them are measured, also those that were left out for a narrower tray.
    const chips = [...element.querySelectorAll<HTMLElement>("[data-chip]")];
    const were = chips.map(({ hidden }) => hidden);
    chips.forEach((chip) => (chip.hidden = false));
    const widths = chips.map((chip) => chip.offsetWidth);
    chips.forEach((chip, index) => (chip.hidden = were[index]!)); // which React believes them to be
    return watchSizes(() => setFits(fitting(widths, element.clientWidth)), element);
  }, [row, texts]);
  return fits;
}

/**
 * How many chips of these widths go into the rows, with room for the one that shows the others
 * where not all do. To hide a single one would save nothing: it has a row of its own.
 */
export function fitting(widths: readonly number[], width: number): number {
  if (countFitting(widths, width, 0) >= widths.length - 1) return widths.length;
  return Math.max(1, countFitting(widths, width, MORE + GAP));
}

function countFitting(widths: readonly number[], width: number, kept: number): number {
  let rows = 1;
  let left = width - (rows === ROWS ? kept : 0);
  for (const [index, each] of widths.entries()) {
    if (each > left && left < width) {
      if (++rows > ROWS) return index;
      left = width;
    }
    if (rows === ROWS && each > left - kept && kept > 0) return index;
    left -= each + GAP;
  }
  return widths.length;
}
