import { pageside, startProgram, type Program } from "../../../../scripts/program.mjs";

/** Starts the demo with the scripted model on a free port. What it shows is up to `flags`. */
export const startServer = (...flags: string[]): Promise<Program> =>
  startProgram(pageside, ["demo", "--listen", "127.0.0.1:0", "--model", "script/demo", ...flags]);
