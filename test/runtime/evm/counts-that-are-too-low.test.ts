import { expect, it } from 'vitest';
import { toHex } from '../../../engine/domain/hex.ts';
import { sats } from '../../../engine/domain/money.ts';
import { unix } from '../../../engine/domain/time.ts';
import { approveCall, lockCall } from '../../../engine/legs/evm/calls.ts';
import type { EvmPort } from '../../../engine/legs/evm/port.ts';
import { swapKey, type LockTerms } from '../../../engine/legs/evm/swap-key.ts';
import { hash160Of } from '../../../engine/legs/secret.ts';
import { createEvmChain, type EvmChain } from '../../support/evm-chain.ts';
import {
  aWhile,
  client,
  clientSecret,
  evmScene,
  network,
  ours,
  preimage,
  secret,
  until,
  type EvmScene,
} from './scene.ts';

const coin = 10n ** 18n;
const fees = { is: 'dynamic', most: 10n ** 11n, tip: 10n ** 9n } as const;

interface Counts {
  readonly mined: number;
  readonly pending: number;
}

interface Lie {
  nonces?: () => Counts;
  /** Its RPC says that it takes what others refuse for its nonce. */
  takesAll?: boolean;
}

function richChain(): EvmChain {
  const chain = createEvmChain(network);
  for (const who of [ours, client]) {
    chain.give(null, who, 1_000n * coin);
    chain.give(chain.token, who, 10n ** 9n);
  }
  return chain;
}

function liar(lie: Lie) {
  return (honest: EvmPort): Partial<EvmPort> => ({
    nonces: async () => (lie.nonces === undefined ? honest.nonces() : lie.nonces()),
    async broadcast(bytes) {
      const answer = await honest.broadcast(bytes);
      return lie.takesAll === true && answer.is === 'nonce-used' ? { is: 'accepted' } : answer;
    },
  });
}

async function clientLocks(chain: EvmChain, scene: EvmScene, timelock?: bigint): Promise<LockTerms> {
  const lock = scene.lock({
    refundAddress: client,
    claimAddress: ours,
    ...(timelock === undefined ? {} : { timelock }),
  });
  const port = chain.port(clientSecret);
  const calls = [approveCall(chain.token, chain.htlc, lock.amount), lockCall(scene.contracts, lock)];
  for (const [nonce, call] of calls.entries())
    await port.broadcast(port.sign({ ...call, nonce, gas: 200_000n, fees }).bytes);
  chain.mine(2);
  scene.store.preimages.keep(hash160Of(preimage), preimage, 1);
  return lock;
}

const isTaken = (chain: EvmChain, lock: LockTerms): boolean =>
  chain.replay().state.locks.get(toHex(swapKey(lock)))?.state !== 1;

/** Blocks come for a while. */
async function isTakenIn(rounds: number, chain: EvmChain, lock: LockTerms): Promise<boolean> {
  for (let i = 0; i < rounds && !isTaken(chain, lock); i++) {
    chain.mine();
    await aWhile(40);
  }
  return isTaken(chain, lock);
}

/** What our account did before, of which this database knows nothing. */
async function earlier(chain: EvmChain, count: number): Promise<void> {
  const port = chain.port(secret);
  const call = { to: client, value: 1n, data: new Uint8Array() };
  for (let nonce = 0; nonce < count; nonce++)
    await port.broadcast(port.sign({ ...call, nonce, gas: 21_000n, fees }).bytes);
  chain.mine();
}

// What `connectEvm` over two RPCs says where one of them says 0: the second highest of two is the lower one.
const low = (): Counts => ({ mined: 0, pending: 0 });

it.each([
  ['as they are', undefined],
  ['as none', low],
])('fault 168, evm: a claim over a database that is older than the account is mined, counted %s', async (_, nonces) => {
  const chain = richChain();
  await earlier(chain, 3);
  const lie: Lie = {};
  const scene = await evmScene({ chain, lying: liar(lie) });
  const lock = await clientLocks(chain, scene);
  if (nonces !== undefined) lie.nonces = nonces;
  // As a swap does where the nonce of its claim was another's.
  for (let claims = 0; claims < 4 && !isTaken(chain, lock); claims++) {
    scene.open([scene.effectOf({ is: 'claim', lock })]);
    await until(() => scene.store.nonces.open(network).length === 1);
    while (scene.store.nonces.open(network).length > 0 && !(await isTakenIn(1, chain, lock)));
  }
  expect(isTaken(chain, lock)).toBe(true);
});

it.each([
  ['as they are', undefined],
  ['as none', low],
])(
  'fault 168, evm: a claim is raised as fees rise where the transactions before it are counted %s',
  async (_, nonces) => {
    const chain = richChain();
    const lie: Lie = {};
    const scene = await evmScene({ chain, lying: liar(lie) });
    for (let i = 0; i < 17; i++)
      scene.open([scene.effectOf({ is: 'pay', token: chain.token, to: client, amount: 5n })]);
    await until(() => chain.pool.size === 17);
    while (scene.store.nonces.open(network).length > 0) {
      chain.mine();
      await aWhile(20);
    }
    const lock = await clientLocks(chain, scene);
    if (nonces !== undefined) lie.nonces = nonces;
    const now = chain.blocks.at(-1)?.time ?? 0;
    scene.open([scene.effectOf({ is: 'claim', lock }, { deadline: unix(now + 86_400), value: sats(100_000_000) })]);
    await until(() => chain.pool.size === 1);
    chain.setBaseFee(10n * 10n ** 9n);
    expect(await isTakenIn(60, chain, lock)).toBe(true);
  },
);

it.each([
  ['refuses what is mined', false],
  ['says that it takes what is mined', true],
])(
  'fault 357, evm: counted too low from the start, payments settle and a claim is raised where one %s',
  async (_, takesAll) => {
    const chain = richChain();
    const scene = await evmScene({ chain, lying: liar({ nonces: low, takesAll }) });
    for (let i = 0; i < 17; i++)
      scene.open([scene.effectOf({ is: 'pay', token: chain.token, to: client, amount: 5n })]);
    await until(() => chain.pool.size === 17);
    const open = () => scene.store.nonces.open(network);
    for (let i = 0; i < 200 && open().some(({ mined }) => mined === null); i++) {
      chain.mine();
      await aWhile(20);
    }
    expect(open().filter(({ mined }) => mined === null)).toEqual([]);
    const lock = await clientLocks(chain, scene);
    const now = chain.blocks.at(-1)?.time ?? 0;
    scene.open([scene.effectOf({ is: 'claim', lock }, { deadline: unix(now + 86_400), value: sats(100_000_000) })]);
    await until(() => chain.pool.size === 1);
    chain.setBaseFee(10n * 10n ** 9n);
    expect(await isTakenIn(60, chain, lock)).toBe(true);
    for (let i = 0; i < 200 && open().length > 0; i++) {
      chain.mine();
      await aWhile(20);
    }
    expect(open()).toEqual([]);
  },
);
