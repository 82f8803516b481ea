import { expect, test, vi } from 'vitest';
import { withBriefReads } from '../../engine/runtime/brief-reads.ts';
import type { Ports } from '../../engine/runtime/ports.ts';

/** Ports over a Bitcoin chain that counts what it is questions, and answers when it is let. */
function counted() {
  const questions: string[] = [];
  const waiting: { resolve(): void; reject(cause: Error): void }[] = [];
  function ask(question: string): Promise<number> {
    questions.push(question);
    const nth = questions.length;
    return new Promise((resolve, reject) => waiting.push({ resolve: () => resolve(nth), reject }));
  }
  const bitcoin = { tip: () => ask('tip'), feeRate: (blocks: number) => ask(`rate ${blocks}`) };
  const ports = withBriefReads({ bitcoin, arkade: null, lightning: null } as unknown as Ports);
  if (ports.bitcoin === null) throw new Error('the chain is gone');
  return { questions, waiting, bitcoin: ports.bitcoin };
}

test('effects that run at once share one reading of the tip, and one of each fee estimate', async () => {
  const { questions, waiting, bitcoin } = counted();
  const all = [bitcoin.tip(), bitcoin.tip(), bitcoin.feeRate(2), bitcoin.feeRate(6), bitcoin.feeRate(2)];
  for (const { resolve } of waiting) resolve();
  expect([await Promise.all(all), questions]).toEqual([
    [1, 1, 2, 3, 2],
    ['tip', 'rate 2', 'rate 6'],
  ]);
});

test('a tip counts for a fifth of a second from when it came, however long it took', async () => {
  vi.useFakeTimers();
  try {
    const { questions, waiting, bitcoin } = counted();
    const first = bitcoin.tip();
    vi.advanceTimersByTime(5_000);
    const second = bitcoin.tip();
    waiting[0]?.resolve();
    await Promise.all([first, second]);
    vi.advanceTimersByTime(199);
    await bitcoin.tip();
    expect(questions).toEqual(['tip']);
    vi.advanceTimersByTime(1);
    void bitcoin.tip();
    expect(questions).toEqual(['tip', 'tip']);
  } finally {
    vi.useRealTimers();
  }
});

test('a failure is heard by those who waited for it, and the next one asks again', async () => {
  const { questions, waiting, bitcoin } = counted();
  const both = Promise.allSettled([bitcoin.tip(), bitcoin.tip()]);
  waiting[0]?.reject(new Error('away'));
  expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const again = bitcoin.tip();
  waiting[1]?.resolve();
  expect([await again, questions.length]).toEqual([2, 2]);
});
