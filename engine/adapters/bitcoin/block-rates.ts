import type { BlockRate } from '../../legs/onchain/port.ts';

/** Older ones are forgotten. */
const longest = 1_008;

/**
 * What the last blocks asked, each read once: `read` is given heights, `atOnce` of them at most, and says null of a
 * block that tells nothing. So that a look never takes long, a list that begins empty fills over several of them, from
 * the newest block back. A block that a reorganisation took away still says what was asked then.
 */
export function blockRates(
  tip: () => Promise<{ readonly height: number }>,
  read: (heights: readonly number[]) => Promise<readonly (number | null)[]>,
  atOnce: number,
): (count: number) => Promise<readonly BlockRate[]> {
  const rates = new Map<number, number | null>();
  let last: Promise<unknown> = Promise.resolve();

  async function look(count: number): Promise<readonly BlockRate[]> {
    const { height } = await tip();
    const heights = Array.from({ length: Math.min(count, longest, height) }, (_, i) => height - i);
    const unread = heights.filter((one) => !rates.has(one)).slice(0, atOnce);
    const answers = unread.length === 0 ? [] : await read(unread);
    for (const [i, one] of unread.entries()) rates.set(one, answers[i] ?? null);
    for (const old of rates.keys()) if (old <= height - longest) rates.delete(old);
    return heights.toReversed().flatMap((one) => {
      const rate = rates.get(one) ?? null;
      return rate === null ? [] : [{ height: one, rate }];
    });
  }

  return (count) => {
    // One at a time: claims look together when a block comes.
    const turn = last.then(
      () => look(count),
      () => look(count),
    );
    last = turn.catch(() => undefined);
    return turn;
  };
}
