/** Transactions on a page of a block. */
const page = 25;

type Get = <T>(path: string, read: (text: string) => T) => Promise<T | null>;

/**
 * What a block asked, in sats per virtual byte: the middle of what its last page of transactions paid, for a block
 * begins with those that pay most. Null for one without transactions.
 */
export async function esploraBlockRate(find: Get, height: number): Promise<number | null> {
  const hash = await find(`/block-height/${height}`, (text) => text.trim());
  if (hash === null || !/^[0-9a-f]{64}$/.test(hash)) return null;
  const count = await find(`/block/${hash}`, (text) => (JSON.parse(text) as { tx_count?: unknown }).tx_count);
  if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 2) return null;
  const start = Math.floor((count - 1) / page) * page;
  const rates = await find(`/block/${hash}/txs/${start}`, (text) => ratesIn(JSON.parse(text), start === 0));
  return rates?.sort((a, b) => a - b)[Math.floor((rates.length - 1) / 2)] ?? null;
}

function ratesIn(rows: unknown, first: boolean): number[] {
  if (!Array.isArray(rows)) throw new Error('it answered no list of transactions');
  return rows.slice(first ? 1 : 0).flatMap((row: { fee?: unknown; weight?: unknown } | null) => {
    const [fee, weight] = [Number(row?.fee), Number(row?.weight)];
    return fee >= 0 && weight > 0 ? [(fee * 4) / weight] : [];
  });
}
