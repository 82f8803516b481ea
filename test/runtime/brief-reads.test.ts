import { expect, test, vi } from 'vitest';
import { connectBitcoin } from '../../engine/adapters/bitcoin/connect.ts';
import { unix } from '../../engine/domain/time.ts';
import { eachByItself } from '../../engine/runtime/networks/shallow.ts';
import { withBriefReads } from '../../engine/runtime/brief-reads.ts';
import { createContexts } from '../../engine/runtime/networks/create-contexts.ts';
import { wantedRate } from '../../engine/runtime/networks/onchain/wanted-rate.ts';
import type { Ports } from '../../engine/runtime/ports.ts';
import { serveEsplora } from '../../engine/sandbox/wire/esplora.ts';
import { fund, openChain, walletOf } from '../sandbox/bitcoin-support.ts';

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
  const { ports, forget } = withBriefReads({ bitcoin, arkade: null, lightning: null } as unknown as Ports);
  if (ports.bitcoin === null) throw new Error('the chain is gone');
  return { questions, waiting, bitcoin: ports.bitcoin, forget };
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

test('a tip counts for a second from when it came, however long it took', async () => {
  vi.useFakeTimers();
  try {
    const { questions, waiting, bitcoin } = counted();
    const first = bitcoin.tip();
    vi.advanceTimersByTime(5_000);
    const second = bitcoin.tip();
    waiting[0]?.resolve();
    await Promise.all([first, second]);
    vi.advanceTimersByTime(999);
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

test('once a block came nobody hears what was read before, nor what is being read', async () => {
  const { questions, waiting, bitcoin, forget } = counted();
  const before = bitcoin.tip();
  waiting[0]?.resolve();
  await before;
  forget();
  const slow = bitcoin.tip();
  forget();
  const after = bitcoin.tip();
  waiting[2]?.resolve();
  waiting[1]?.reject(new Error('away'));
  const late = bitcoin.tip();
  expect([await Promise.allSettled([slow, after, late]), questions.length]).toEqual([
    [
      { status: 'rejected', reason: new Error('away') },
      { status: 'fulfilled', value: 3 },
      { status: 'fulfilled', value: 3 },
    ],
    3,
  ]);
});

/** An Esplora server over a chain of thirty blocks with a payment each, and what it is asked. */
async function countedServer() {
  const chain = openChain();
  for (let i = 0; i < 30; i++) {
    fund(chain, walletOf('alice').script, 100_000n);
    chain.mine(1);
  }
  const server = await serveEsplora(chain, 0);
  const bitcoin = connectBitcoin({ network: 'regtest', core: null, esplora: [server.url] });
  const paths: string[] = [];
  const usual = globalThis.fetch;
  const spy = vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) => {
    paths.push(new URL(String(input)).pathname);
    return usual(input, init);
  });
  return {
    ports: { bitcoin, arkade: null, lightning: null } as unknown as Ports,
    paths,
    async stop() {
      spy.mockRestore();
      await server.stop();
    },
  };
}

test('twenty claims that are signed, sent and looked at in one second ask a server as often as one does', async () => {
  const { ports, paths, stop } = await countedServer();
  const { bitcoin } = withBriefReads(ports).ports;
  if (bitcoin === null) throw new Error('there is a server');
  await bitcoin.tip();
  const now = 1_700_000_000;
  const look = async (): Promise<void> => {
    await bitcoin.tip();
    await wantedRate(bitcoin, { deadline: unix(now + 3_600), now, doubtAbove: 0 });
  };
  paths.length = 0;
  await look();
  const one = paths.length;
  for (let i = 0; i < 59; i++) await look();
  await stop();
  // Four blocks, three requests each, and an estimate: the tip was read just before.
  expect({ one, all: paths.length }).toEqual({ one: 13, all: 13 });
});

test('what must hold before an act is judged by a tip of its own, whatever was read just before', async () => {
  const questions: string[] = [];
  const bitcoin = {
    tip: async () => (questions.push('tip'), { height: 700, hash: '', mtp: 0, time: 0 }),
    coins: async () => (questions.push('coins'), []),
    feeRate: async () => 1,
    disagreement: () => null,
  };
  const ports = { bitcoin, arkade: null, lightning: null } as unknown as Ports;
  const reading = { height: 700, mtp: unix(1_700_000_000) };
  const clock = { now: () => ({ wall: unix(1_700_000_000), bitcoin: { ...reading, ahead: reading } }) };
  const ceilings = () => ({ claimBps: 500 });
  const brief = withBriefReads(ports).ports;
  const node = { ports, brief, clock, wallets: {}, ceilings, depthOfMuch: eachByItself };
  const contexts = createContexts(node as never)({ row: { subject: 'a swap' } } as never);
  const agreed = { targetAmount: 100_000n, refundLocktime: 800, policy: {} };
  const onlyIf = { paidOut: { script: new Uint8Array(34), outpoint: { txid: '', vout: 0 }, ...agreed } };
  const { judge } = contexts.onchain;
  for (let i = 0; i < 3; i++) {
    await contexts.onchain.ports.bitcoin?.tip();
    await judge.forbidden(onlyIf as never, 0).catch(() => undefined);
  }
  expect(questions).toEqual(['tip', 'tip', 'coins', 'tip', 'coins', 'tip', 'coins']);
});
