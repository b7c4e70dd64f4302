declare module "vitest" {
  interface TaskMeta {
    /** Why tests are skipped: the end of a run says so (scripts/skipped.mjs). */
    skipped?: string | undefined;
  }
}

/**
 * Whether this is `make test-long`, whose tests try every byte, every prefix and every size.
 * `make test` tries a sample of them.
 */
export const isLong = process.env["PAGESIDE_LONG"] === "1";

/** The step by which a loop goes over all positions: 1 in the long version, else `short`. */
export const stride = (short: number): number => (isLong ? 1 : short);

/** Why a test is skipped that `make test` leaves to the long version. */
export const onlyLong = "only in the long version";

/** The options of such a test. */
export const inLong = isLong ? {} : { skip: true, meta: { skipped: onlyLong } };
