// The scenarios every stock client must run without an error, a warning or a surprise: title →
// (start, world) → plays it.
import { answers } from "./answers.mjs";
import { approvals } from "./approvals.mjs";
import { basics } from "./basics.mjs";
import { binary } from "./binary.mjs";
import { branches } from "./branches.mjs";
import { cards } from "./cards.mjs";
import { follow } from "./follow.mjs";
import { habits } from "./habits.mjs";
import { holders } from "./holders.mjs";
import { mixed } from "./mixed.mjs";
import { questions } from "./questions.mjs";
import { remote } from "./remote.mjs";
import { sharing } from "./sharing.mjs";
import { wandering } from "./wander.mjs";

const parts = [
  basics,
  answers,
  cards,
  mixed,
  approvals,
  questions,
  sharing,
  branches,
  follow,
  habits,
  holders,
  wandering,
  remote,
  binary,
];

export const scenarios = Object.assign({}, ...parts);

const titles = parts.flatMap(Object.keys);
if (titles.length !== Object.keys(scenarios).length) throw new Error("two scenarios have the same title");
