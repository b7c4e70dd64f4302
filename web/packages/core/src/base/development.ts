/** Reports whether the page is served from this computer: a developer reads its console. */
export function isDevelopment(): boolean {
  return /^(localhost|127\.0\.0\.1|\[::1\])$/.test(globalThis.location?.hostname ?? "");
}
