import type { RequestListener } from "node:http";

export function listen(answer: RequestListener): Promise<{ url: string; port: number; stop(): Promise<void> }>;
