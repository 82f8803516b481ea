/**
 * Clients read the fee as a fraction and multiply in eighteen decimals, where some rates come out below what they are:
 * such a client shows a fee of one sat less than the create then takes (facts/clients.md 34).
 */
export function readTooLow(bps: number): boolean {
  return BigInt(Math.round((bps / 10_000) * 1e18)) < BigInt(bps) * 10n ** 14n;
}

/** The nearest rate, below first, that clients read as it is. */
export function readable(bps: number): number {
  for (let away = 1; ; away++)
    for (const near of [bps - away, bps + away]) if (near >= 0 && !readTooLow(near)) return near;
}

/** The highest rate up to this one that clients read as it is; 0 is one. */
export function readableDown(bps: number): number {
  let at = bps;
  while (readTooLow(at)) at--;
  return at;
}
