import type { Page } from "playwright-core";

export function describe(page: Page): Promise<string>;
export function settled(page: Page): Promise<void>;
export function watch(page: Page, type?: string): Page;
