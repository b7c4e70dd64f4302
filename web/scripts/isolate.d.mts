export function isolate(css: string): string;
