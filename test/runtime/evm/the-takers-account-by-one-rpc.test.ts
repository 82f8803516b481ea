import { expect, test } from 'vitest';
import { asEvmAddress, nativeCoin, type EvmAddress } from '../../../engine/domain/evm.ts';
import { toHex } from '../../../engine/domain/hex.ts';
import { sats } from '../../../engine/domain/money.ts';
import { unix } from '../../../engine/domain/time.ts';
import type { EvmPort } from '../../../engine/legs/evm/port.ts';
import { evmFailure } from '../../../engine/legs/evm/failures.ts';
import { tokenPermitDigest } from '../../../engine/legs/evm/digests.ts';
import { tokenQuestion } from '../../../engine/runtime/networks/evm/sign.ts';
import { forwardEvm, forwardEvmEffect, type ForwardEvmTerms } from '../../../engine/swap/jobs/forward-evm.ts';
import { swapRow } from '../../store/support.ts';
import { createEvmChain, type EvmChain } from '../../support/evm-chain.ts';
import { aWhile, client, clientSecret, evmScene, network, until, type EvmScene } from './scene.ts';

/* What the account of the owner's own swaps sends (`client` here), by the word of one RPC of two. */

const coin = 10n ** 18n;
const payee = asEvmAddress(new Uint8Array(20).fill(0xd4));
const id = 'f0000000-0000-4000-8000-000000000001';

function chainWithMoney(): EvmChain {
  const chain = createEvmChain(network);
  chain.give(null, client, coin);
  chain.give(chain.token, client, 1_000n);
  return chain;
}

function open({ runtime }: EvmScene, token: EvmAddress, amount: bigint, job = id): void {
  const key = { scheme: 'wallet', index: 0 } as const;
  const most = { gas: 120_000n, mostWei: 10n ** 16n, confirmations: 1 };
  const terms: ForwardEvmTerms = { network, key, token, to: payee, amount, ...most };
  const createdAt = unix(runtime.clock.now().wall);
  const row = swapRow({ id: job, machine: forwardEvm.name, createdAt, terms, progress: { at: 'choosing' } });
  runtime.commits.open(job, () => ({ row, effects: [forwardEvmEffect(terms)] }));
}

const at = ({ store }: EvmScene, job = id) => store.swaps.head(job)?.at;
const signed = ({ store }: EvmScene) => store.transactions.of(id).map(({ purpose, state }) => [purpose, state]);
const arrived = (chain: EvmChain, token: EvmAddress) =>
  chain.replay().state.balances.get(`${toHex(token)} ${toHex(payee)}`) ?? 0n;
const tried = ({ store }: EvmScene, of = id) => store.effects.of(of).some(({ attempts }) => attempts > 0);

test('fault 297, evm: nothing is sent on at a place that one RPC alone names', async () => {
  const chain = chainWithMoney();
  let lies = true;
  const scene = await evmScene({
    chain,
    lying: (honest: EvmPort) => ({
      minedOf: async (of) => (lies ? { mined: 5, alone: true } : honest.minedOf(of)),
    }),
  });
  open(scene, chain.token, 900n);
  await until(() => tried(scene) || signed(scene).length > 0);
  await aWhile();
  expect([signed(scene), chain.pool.size]).toEqual([[], 0]);
  lies = false;
  await scene.runtime.wake();
  await until(() => chain.pool.size > 0);
  chain.mine(2);
  await until(() => at(scene) === 'sent');
  expect(arrived(chain, chain.token)).toBe(900n);
});

test('fault 297, evm: what was sent on is not given up for the count of one RPC alone', async () => {
  const chain = chainWithMoney();
  let lies = false;
  const scene = await evmScene({
    chain,
    lying: (honest: EvmPort) => ({
      minedOf: async (of) => (lies ? { mined: 5, alone: true } : honest.minedOf(of)),
    }),
  });
  open(scene, chain.token, 900n);
  await until(() => chain.pool.size > 0);
  lies = true;
  await aWhile(1_500);
  expect(at(scene)).toBe('sending');
  chain.mine(2);
  await until(() => at(scene) === 'sent');
});

test('fault 357, evm: one after the other is sent on though the account is counted as unused', async () => {
  const chain = chainWithMoney();
  const scene = await evmScene({ chain, lying: () => ({ minedOf: async () => ({ mined: 0 }) }) });
  for (const job of [id, id.replace('f', 'e'), id.replace('f', 'd')]) {
    open(scene, chain.token, 300n, job);
    await until(() => chain.pool.size > 0);
    chain.mine(2);
    await until(() => at(scene, job) === 'sent');
  }
  expect(arrived(chain, chain.token)).toBe(900n);
});

test('fault 298, evm: more coin than enough RPCs say is there is not signed for', async () => {
  const chain = chainWithMoney();
  const scene = await evmScene({ chain, lying: () => ({ balance: async () => 100n * coin }) });
  open(scene, nativeCoin, 2n * coin);
  await until(() => at(scene) === 'failed' || signed(scene).length > 0);
  expect([at(scene), signed(scene)]).toEqual(['failed', []]);
});

test('fault 298, evm: a transfer that no node takes, of coin that is not there, ends and frees its place', async () => {
  const chain = chainWithMoney();
  let lies = true;
  const scene = await evmScene({
    chain,
    lying: (honest: EvmPort) => ({
      balance: async () => 100n * coin,
      sureBalance: async (token, of) => (lies ? 100n * coin : honest.sureBalance(token, of)),
    }),
  });
  open(scene, nativeCoin, 2n * coin);
  await until(() => signed(scene).length > 0 && tried(scene));
  lies = false;
  await until(() => {
    void scene.runtime.wake();
    return at(scene) === 'failed';
  });
  expect([signed(scene), chain.pool.size]).toEqual([[['taker-pay', 'dead']], 0]);
}, 60_000);

test.each([
  { word: 0n, what: 'too little' },
  { word: 5_000n, what: 'too much' },
])('fault 299, evm: an order hears what enough RPCs say of its tokens, where one says $what', async ({ word }) => {
  const chain = chainWithMoney();
  const scene = await evmScene({
    chain,
    lying: (honest: EvmPort) => ({
      balance: async (token, of, least = 0n) => (word >= least ? word : honest.balance(token, of)),
    }),
  });
  const order = { amount: 1_000n, ordered: 0, signed: false };
  const swap = scene.open([], [{ on: 'evm-balance', network, token: chain.token, account: client, ...order }]);
  await until(() => scene.heard(swap, 'evm.balance').length > 0);
  expect(scene.heard(swap, 'evm.balance')).toMatchObject([{ amount: 1_000n }]);
});

/** An order of ours whose token must be approved for Permit2 by a transaction of the account. */
function fund(scene: EvmScene, token = scene.chain.token): string {
  const { amount, ...lock } = scene.lock({ refundAddress: scene.contracts.coordinator, token });
  const deadline = lock.timelock - 80_000n;
  const key = { scheme: 'wallet', index: 0 } as const;
  return scene.open([scene.effectOf({ is: 'taker-fund', lock, amount, nonce: 1n, deadline, key })]);
}

const states = ({ store }: EvmScene, swap: string) =>
  store.transactions.of(swap).map((row) => [row.purpose, row.state]);

test('fault 297, evm: no approval of Permit2 is signed for a place that one RPC alone names', async () => {
  const chain = chainWithMoney();
  let lies = true;
  const scene = await evmScene({
    chain,
    lying: (honest: EvmPort) => ({
      minedOf: async (of) => (lies ? { mined: 5, alone: true } : honest.minedOf(of)),
    }),
  });
  const swap = fund(scene);
  await until(
    () => states(scene, swap).length > 0 || scene.store.effects.of(swap).some(({ attempts }) => attempts > 0),
  );
  await aWhile();
  const before = states(scene, swap);
  lies = false;
  await scene.runtime.wake();
  await until(() => chain.pool.size > 0);
  expect([before, [...chain.pool.values()].map(({ nonce }) => nonce)]).toEqual([[], [0]]);
});

test('fault 357, evm: a mined approval lets coin be sent on though the account is counted as unused', async () => {
  const chain = chainWithMoney();
  const scene = await evmScene({ chain, lying: () => ({ minedOf: async () => ({ mined: 0 }) }) });
  fund(scene);
  await until(() => chain.pool.size > 0);
  chain.mine(2);
  open(scene, chain.token, 300n);
  await until(() => chain.pool.size > 0);
  chain.mine(2);
  await until(() => at(scene) === 'sent');
  expect(arrived(chain, chain.token)).toBe(300n);
});

test('fault 298, evm: an approval that no node takes, for want of coin, ends and says what to send', async () => {
  const chain = createEvmChain(network);
  chain.give(chain.token, client, 1_000n);
  // They seem to say so until it is signed.
  const isSigned = (): boolean => scene.store.transactions.onTheWay('taker-approve').length > 0;
  const scene: EvmScene = await evmScene({
    chain,
    lying: (honest) => ({ sureBalance: async (...of) => (isSigned() ? honest.sureBalance(...of) : coin) }),
  });
  const swap = fund(scene);
  await until(() => scene.heard(swap, 'evm.refused').length > 0);
  expect([scene.heard(swap, 'evm.refused'), states(scene, swap)]).toMatchObject([
    [{ purpose: 'taker-approve', reason: expect.stringMatching(/ holds 0 of the coin .* send that much of it there/) }],
    [['taker-approve', 'dead']],
  ]);
}, 20_000);

/** What some RPCs refuse while another one is silent: the transaction may have arrived. */
const silentBeside = (honest: EvmPort): Partial<EvmPort> => ({
  async broadcast(bytes) {
    const answer = await honest.broadcast(bytes);
    if (answer.is === 'refused') throw away();
    return answer;
  },
});
const away = () => evmFailure('evm-away', 'ask-first', 'An RPC is silent.');

test.each([
  { others: 'all answer', beside: () => ({}) },
  { others: 'one is silent', beside: silentBeside },
])(
  'fault 322, evm: an approval whose dearer form no node takes is sent as it was ($others)',
  async ({ beside }) => {
    const chain = createEvmChain(network);
    chain.give(chain.token, client, 1_000n);
    const { most } = (await chain.port(clientSecret).gasFees()) as { most: bigint };
    chain.give(null, client, most * 100_000n);
    let says: bigint | null = null;
    const scene = await evmScene({
      chain,
      lying: (honest) => ({ ...beside(honest), sureBalance: async (...of) => says ?? honest.sureBalance(...of) }),
    });
    const swap = fund(scene);
    const [first] = await until(() => (chain.pool.size > 0 ? [...chain.pool.keys()] : null));
    // The mempools drop it, and for a moment the account seems to hold what a dearer one takes.
    chain.pool.clear();
    says = coin;
    chain.setTime((chain.blocks.at(-1)?.time ?? 0) + 200);
    chain.mine();
    await until(() => states(scene, swap).length > 1);
    says = null;
    await until(() => chain.pool.size > 0);
    chain.mine(2);
    await until(() => scene.events(swap).length > 0);
    expect(chain.replay().receipts.get(first ?? '')?.ok).toBe(true);
  },
  20_000,
);

test('fault 322, evm: what is sent on is handed over while too few RPCs say that it is not mined', async () => {
  const chain = chainWithMoney();
  const scene = await evmScene({
    chain,
    lying: (honest) => ({
      receipt: async (txid, how) => {
        if (how?.agreed === true && chain.blocks.length < 6) throw away();
        return honest.receipt(txid);
      },
    }),
  });
  open(scene, chain.token, 900n);
  await until(() => chain.pool.size > 0);
  await minedUntil(scene, () => at(scene) === 'sent');
  expect(arrived(chain, chain.token)).toBe(900n);
}, 20_000);

/** Looks again and again, and blocks come, until it is so. */
async function minedUntil(scene: EvmScene, is: () => boolean): Promise<void> {
  await until(() => {
    scene.chain.mine();
    void scene.runtime.wake();
    return is();
  });
}

test('fault 320, evm: what one RPC alone says is approved for Permit2 is approved', async () => {
  const chain = chainWithMoney();
  const scene = await evmScene({ chain, lying: () => ({ allowance: async () => 1_000n }) });
  const swap = fund(scene);
  await until(() => scene.events(swap).length > 0 || states(scene, swap).length > 0 || tried(scene));
  await aWhile();
  expect(states(scene, swap)).toEqual([['taker-approve', 'accepted']]);
});

test('fault 320, evm: an approval that is mined serves all orders though one RPC does not show it', async () => {
  const chain = chainWithMoney();
  let alone = false;
  const scene = await evmScene({
    chain,
    lying: (honest) => ({
      sureAllowance: async () => 0n,
      minedOf: async (of) => ({ ...(await honest.minedOf(of)), ...(alone ? { alone } : {}) }),
    }),
  });
  const swap = fund(scene);
  await until(() => chain.pool.size > 0);
  const isSettled = () => states(scene, swap).some(([, state]) => state === 'final');
  await minedUntil(scene, () => isSettled() && scene.events(swap).length > 0);
  alone = true;
  const next = fund(scene);
  await minedUntil(scene, () => states(scene, next).length > 0 || scene.events(next).length > 0);
  alone = false;
  const other = fund(scene, asEvmAddress(new Uint8Array(20).fill(0x71)));
  await minedUntil(scene, () => states(scene, other).length > 0 || scene.events(other).length > 0);
  expect(
    [swap, next, other].map((of) => [
      states(scene, of).filter(([purpose]) => purpose === 'taker-approve').length,
      scene.heard(of, 'evm.refused').some((event) => event.is === 'evm.refused' && event.purpose === 'taker-approve'),
    ]),
  ).toEqual([
    [1, false],
    [0, false],
    // What another token was approved for says nothing.
    [1, false],
  ]);
}, 60_000);

test.each([
  { most: sats(1_000_000), signs: 1 },
  { most: sats(999_999), signs: 0 },
])('fault 320, evm: with a silent RPC an order up to $most sats goes on: $signs', async ({ most, signs }) => {
  const lying = (honest: EvmPort): Partial<EvmPort> => ({
    async read(call, how) {
      if (how?.agreed === true) throw away();
      return honest.read(call);
    },
  });
  const scene = await evmScene({ chain: chainWithMoney(), rules: { singleSource: most }, lying });
  const swap = fund(scene);
  await until(() => tried(scene, swap) || states(scene, swap).length > 0);
  await aWhile();
  expect(states(scene, swap)).toHaveLength(signs);
});

test("fault 320, evm: a token's permit has the nonce and the domain that enough RPCs name", async () => {
  const [domain, word] = [new Uint8Array(32).fill(0xd0), (count: number) => new Uint8Array(32).fill(count, 31)];
  const token = asEvmAddress(new Uint8Array(20).fill(0x70));
  const isNonce = ({ data }: { data: Uint8Array }) => data.length > 4;
  const port = {
    sureAllowance: async () => 0n,
    read: async (call: { data: Uint8Array }, how?: { readonly agreed: boolean }) =>
      isNonce(call) ? word(how?.agreed === true ? 3 : 9) : how?.agreed === true ? domain : word(1),
  };
  expect(await tokenQuestion(port, { token, owner: client, amount: 1n, deadline: 5n, bySingleSource: false })).toEqual(
    tokenPermitDigest(domain, { owner: client, nonce: 3n, deadline: 5n }),
  );
});
