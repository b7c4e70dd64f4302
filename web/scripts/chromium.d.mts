import type { Browser } from "playwright-core";

export function findChromium(): string | undefined;
export function launch(executablePath?: string): Promise<Browser>;
