export interface Program {
  url: string;
  log(): string;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export function built(name: string): string;
export const pageside: string;
export function startProgram(
  binary: string,
  args?: readonly string[],
  options?: { cwd?: string; env?: NodeJS.ProcessEnv },
): Promise<Program>;
