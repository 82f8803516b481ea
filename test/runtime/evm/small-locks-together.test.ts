import { afterEach, expect, test } from 'vitest';
import { connectEvm } from '../../../engine/adapters/evm/connect.ts';
import { isRefusal } from '../../../engine/domain/errors.ts';
import { asEvmAddress } from '../../../engine/domain/evm.ts';
import { asSha256 } from '../../../engine/domain/hash.ts';
import { sats } from '../../../engine/domain/money.ts';
import { seconds, unix, type ReadClocks } from '../../../engine/domain/time.ts';
import type { StillDeposited, StillOffered } from '../../../engine/legs/evm/conditions.ts';
import { evmFailure } from '../../../engine/legs/evm/failures.ts';
import type { EvmPort, EvmReceipt } from '../../../engine/legs/evm/port.ts';
import { swapKey, type LockTerms } from '../../../engine/legs/evm/swap-key.ts';
import { payoutLeg } from '../../../engine/legs/lightning/timelocks.ts';
import { defaultPolicy as policy } from '../../../engine/legs/timeout-policy.ts';
import { judgeDeposit, judgeEscrow, judgeOffer } from '../../../engine/runtime/networks/evm/judge.ts';
import { createLocksTogether } from '../../../engine/runtime/networks/evm/locks-together.ts';
import { startTellers, type Tellers } from '../../support/evm-tellers.ts';
import { clocksAt } from '../../swap/cases.ts';
import { anyGas, noClaims } from '../support.ts';

/* Locks of clients that are little each, and together are much. */

const network = 'evm:137';
const htlc = asEvmAddress(new Uint8Array(20).fill(0xc1));
const account = asEvmAddress(new Uint8Array(20).fill(0xc4));
const now = unix(1_760_000_000);
const clocksOf = (height: number): ReadClocks => ({ ...clocksAt(now), [network]: { mtp: now, height } });
const offered = payoutLeg({ clocks: clocksOf(1_000), network, finalCltv: 80, policy });
if (isRefusal(offered)) throw new Error(offered.sentence);
const leg = offered;
const waits = expect.objectContaining({ unsafe: 'wait' });

const lockOf = (swap: number): LockTerms => ({
  preimageHash: asSha256(new Uint8Array(32).fill(swap + 1)),
  ...{ amount: 1n, token: account, refundAddress: account, claimAddress: account },
  timelock: BigInt(leg.refundLocktime),
});
const factsOf = (swap: number, value: number, txid = `${swap}`): StillDeposited => ({
  ...{ network, htlc, lock: lockOf(swap), txid, confirmations: 3, agreed: false, value: sats(value) },
  ...{ finalCltv: 80, invoiceExpiresAt: unix(now + 7_200), policy },
});

/** A node that judges locks on a chain whose owner wants so many blocks of them. */
function nodeOn(port: EvmPort, confirmations: readonly [number, number] = [3, 12]) {
  const over = new Set<string>();
  const locks = createLocksTogether(() => ({ ...anyGas(network), confirmations }), {
    isAtStake: () => true,
    isInDoubt: (swap) => !over.has(swap),
  });
  const bitcoin = { disagreement: () => null };
  const ports = { bitcoin, [network]: port } as unknown as Parameters<typeof judgeEscrow>[1]['ports'];
  return {
    over,
    async gives({ txid: swap }: Pick<StillOffered, 'txid'>) {
      const clocks = clocksOf((await port.tip()).height);
      return { ports, clock: { now: () => clocks }, locks, swap };
    },
    async shows(facts: StillOffered) {
      return judgeOffer(facts, { ...(await this.gives(facts)), gasToCome: noClaims.gasToCome, evm: anyGas });
    },
    async pays(facts: StillDeposited) {
      return judgeDeposit(facts, await this.gives(facts), leg.maxTimeoutHeight);
    },
  };
}

/** RPCs that are of one mind; where the locks are mined, and the last block, a test may change. */
function chainInMemory() {
  const chain = { height: 1_002, minedAt: new Map<string, number>(), resting: new Set<string>() };
  const receiptOf = (txid: string): EvmReceipt => {
    const lock = lockOf(Number(txid));
    const height = chain.minedAt.get(txid) ?? 1_000;
    const event = { htlc, preimageHash: lock.preimageHash, key: swapKey(lock), txid, height };
    const what = { is: 'created', terms: lock } as const;
    const events = [{ ...event, blockHash: '', logIndex: 0, what }];
    return { ok: true, height, blockHash: '', cost: 1n, events, transfers: [] };
  };
  const port = {
    async receipt(txid: string) {
      if (chain.resting.has(txid)) throw evmFailure('evm-unclear', 'safe', 'The receipt is too long.');
      return receiptOf(txid);
    },
    isActive: async () => true,
    tip: async () => ({ height: chain.height, hash: '', time: now }),
    rpcs: () => [],
    disagreement: () => null,
    account: () => account,
    sureBalance: async () => 10n ** 20n,
    gasFees: async () => ({ is: 'legacy', price: 1n }),
  } as unknown as EvmPort;
  return { chain, port };
}

test('fault 257, evm: small locks of few blocks are one amount, until they are as deep as much has to be', async () => {
  const { chain, port } = chainInMemory();
  const node = nodeOn(port);
  const all = Array.from({ length: 20 }, (_, i) => factsOf(i, 9_000_000));
  const verdicts = () => Promise.all(all.map((facts) => node.pays(facts)));
  const sentence =
    'The lock has 3 confirmations, and with other new locks it comes to 18000000 sats; above 10000000 sats ' +
    '12 are needed.';
  expect(await verdicts()).toEqual([null, ...all.slice(1).map(() => ({ unsafe: 'wait', sentence }))]);
  chain.height = 1_010;
  expect(await verdicts()).toEqual([null, ...all.slice(1).map(() => waits)]);
  // The first is mined again, higher: each of the others is deep by itself, and nobody waits for a stranger's.
  chain.minedAt.set('0', 1_009);
  chain.height = 1_011;
  expect(await verdicts()).toEqual(all.map(() => null));
  chain.minedAt.set('20', 1_009);
  expect(await node.pays(factsOf(20, 9_000_000))).toEqual(waits);
});

test('fault 257, evm: so are those that a coin on the Bitcoin chain or on Arkade is given for', async () => {
  const { port } = chainInMemory();
  const node = nodeOn(port);
  const locks = async (swap: number) => {
    const facts = factsOf(swap, 9_000_000);
    return judgeEscrow({ ...facts, htlcRefundLocktime: unix(now + 21_600) }, await node.gives(facts));
  };
  expect([await locks(0), await locks(1), await locks(0)]).toEqual([null, waits, null]);
});

test('fault 343, evm: so are those that a secret of ours is shown for', async () => {
  const { chain, port } = chainInMemory();
  const node = nodeOn(port);
  const shows = async (swap: number) => node.shows(factsOf(swap, 9_000_000));
  expect([await shows(0), await shows(1), await shows(0), await node.pays(factsOf(2, 9_000_000))]).toEqual([
    null,
    waits,
    null,
    waits,
  ]);
  chain.height = 1_011;
  expect([await shows(1), await shows(2)]).toEqual([null, null]);
});

test('fault 340, evm: a counted lock whose receipt is too long for now keeps no other from its judgement', async () => {
  const { chain, port } = chainInMemory();
  const node = nodeOn(port);
  expect(await node.pays(factsOf(0, 9_000_000))).toBeNull();
  chain.height = 1_011;
  chain.resting.add('0');
  chain.minedAt.set('1', 1_009).set('2', 1_000);
  // It counts on: nobody has shown that it is deep.
  expect([await node.pays(factsOf(1, 9_000_000)), await node.shows(factsOf(2, 9_000_000))]).toEqual([waits, null]);
  chain.resting.clear();
  expect(await node.pays(factsOf(1, 9_000_000))).toBeNull();
});

test('where one block is enough for any amount no lock waits for another', async () => {
  const { chain, port } = chainInMemory();
  const node = nodeOn(port, [1, 1]);
  const all = Array.from({ length: 20 }, (_, i) => ({ ...factsOf(i, 9_000_000), confirmations: 1 }));
  chain.height = 1_000;
  expect(await Promise.all(all.map((facts) => node.pays(facts)))).toEqual(all.map(() => null));
});

let chain: Tellers;
afterEach(async () => void (await chain?.stop()));

/** Clients' locks of 900,000 sats, as RPCs tell of them that answer or do not. */
async function chainOfTellers(count: number) {
  chain = await startTellers(count, htlc);
  const port = connectEvm({
    ...{ chainId: 137, key: new Uint8Array(32).fill(0x77), boundTo: null, wall: () => chain.now() },
    ...{ rpc: chain.tellers.map(({ url }) => url), maxTipAge: () => seconds(600), agreedBefore: () => null },
  });
  const node = nodeOn(port);
  const txids = Array.from({ length: 5 }, (_, i) => {
    chain.happen(lockOf(i), { is: 'created' });
    return chain.logOf(chain.height(), lockOf(i), { is: 'created' }).txid.slice(2);
  });
  chain.mine(20);
  await port.heads();
  return {
    node,
    pays: (...swaps: readonly number[]) =>
      Promise.all(swaps.map((swap) => node.pays(factsOf(swap, 900_000, txids[swap])))),
    swap: (index: number) => txids[index] ?? '',
    /** The second RPC answers from now on, or does not. */
    async second(answers: boolean) {
      chain.tellers[1]?.behave({ down: !answers });
      while ((await port.heads()).agreed !== answers) await new Promise((resolve) => setTimeout(resolve, 50));
    },
    port,
  };
}

test('fault 257, evm: locks that one RPC of two tells of are one amount, until the other one answers', async () => {
  const { pays, second } = await chainOfTellers(2);
  await second(false);
  const sentence =
    'Too few RPCs answer to agree on the lock, and with others that were believed so it comes to 1800000 sats; above ' +
    '1000000 sats they must agree.';
  const held = { unsafe: 'wait', sentence };
  expect(await pays(0, 1, 2, 3, 4)).toEqual([null, held, held, held, held]);
  await second(true);
  expect(await pays(1)).toEqual([null]);
  // Both showed the first one meanwhile.
  await second(false);
  expect(await pays(2, 3)).toEqual([null, held]);
});

test('fault 257, evm: a lock that one RPC made up leaves no room for another, and one that is over does', async () => {
  const { node, pays, second, swap, port } = await chainOfTellers(2);
  const made = chain.logOf(chain.height() - 15, lockOf(9), { is: 'created' });
  chain.tellers[0]?.behave({ adds: [made] });
  await second(false);
  expect(await node.pays(factsOf(9, 900_000, made.txid.slice(2)))).toBeNull();
  await second(true);
  expect(await pays(0)).toEqual([null]);
  await second(false);
  expect(await pays(1)).toEqual([waits]);
  node.over.add(made.txid.slice(2));
  expect([await pays(1), await pays(2)]).toEqual([[null], [waits]]);
  node.over.add(swap(1));
  expect([await pays(2), port.disagreement()]).toEqual([[null], null]);
});

test('the word of a single RPC counts for any number of locks', async () => {
  const { pays } = await chainOfTellers(1);
  expect(await pays(0, 1, 2, 3, 4)).toEqual([null, null, null, null, null]);
});
