/**
 * What all random choices of the tests begin with. It is the same in every run, unless
 * `PAGESIDE_SEED` says otherwise: a number, or `new` for one that is drawn and printed.
 */
export const seed: number = read(process.env["PAGESIDE_SEED"]);

function read(wish: string | undefined): number {
  if (!wish) return 0;
  if (wish !== "new") {
    const given = Number(wish);
    if (Number.isSafeInteger(given)) return given;
    throw new Error(`PAGESIDE_SEED=${wish}: it is a number, or new`);
  }
  const drawn = Math.floor(Math.random() * 2 ** 31);
  console.warn(`PAGESIDE_SEED=${drawn}`);
  return drawn;
}
