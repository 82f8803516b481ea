import fc from 'fast-check';
import type { Address, Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Chain, Sending } from './kit/chain.ts';
import * as erc20 from './kit/erc20.ts';
import * as native from './kit/native.ts';
import { permit2Address } from './kit/signing.ts';

const { client, service } = erc20;
const each = 1000n;

/** Two locks of the service for the client, and two that the coordinator made for the client. */
const makers = ['direct', 'direct', 'coordinator', 'coordinator'] as const;
const acts = ['make', 'redeem', 'claim by signature', 'refund', 'collaborative refund'] as const;
type Act = (typeof acts)[number];

/** One pair of contracts, seen alike. Null where it has no such act. */
interface Pair {
  readonly chain: Chain;
  readonly start: Hex;
  readonly htlc: Address;
  readonly coordinator: Address;
  readonly timelock: bigint;
  sendings(act: Act, lock: number): Promise<Sending | null>;
  wealth(of: Address): Promise<bigint>;
}

async function erc20Pair(): Promise<Pair> {
  const world = await erc20.openErc20();
  const { chain, btc, htlc, coordinator } = world;
  for (const { address } of [client, service]) await erc20.give(chain, btc, address, 10_000n);
  await erc20.approve(chain, btc, client.address, permit2Address);
  await erc20.approve(chain, btc, service.address, htlc.address);
  const timelock = (await chain.now()) + 3600n;
  const locks = await Promise.all(
    makers.map((by) => (by === 'direct' ? erc20.freshLock : erc20.clientLock)(world, { amount: each, timelock })),
  );
  return {
    chain,
    start: await chain.snapshot(),
    htlc: htlc.address,
    coordinator: coordinator.address,
    timelock,
    wealth: (of) => erc20.balance(chain, btc, of),
    async sendings(act, index) {
      const lock = locks[index]!;
      const direct = makers[index] === 'direct';
      const signer = direct ? client : service;
      if (act === 'make') return direct ? erc20.create(world, lock) : erc20.fund(world, lock);
      if (act === 'redeem') return erc20.redeem(world, lock);
      if (act === 'claim by signature') return erc20.claim(world, lock, { destination: signer.address }, { signer });
      if (act === 'refund') return direct ? erc20.refund(world, lock) : erc20.refundTo(world, lock);
      return direct ? null : erc20.collabRefund(world, lock);
    },
  };
}

async function nativePair(): Promise<Pair> {
  const world = await native.openNative();
  const { chain, htlc, coordinator } = world;
  const timelock = (await chain.now()) + 3600n;
  const locks = await Promise.all(
    makers.map((by) => (by === 'direct' ? native.freshLock : native.clientLock)(world, { amount: each, timelock })),
  );
  return {
    chain,
    start: await chain.snapshot(),
    htlc: htlc.address,
    coordinator: coordinator.address,
    timelock,
    wealth: (address) => chain.client.getBalance({ address }),
    async sendings(act, index) {
      const lock = locks[index]!;
      const direct = makers[index] === 'direct';
      const signer = direct ? client : service;
      if (act === 'make') return direct ? native.create(world, lock) : native.fund(world, lock);
      if (act === 'redeem') return native.redeem(world, lock);
      if (act === 'claim by signature') return native.claim(world, lock, { destination: signer.address }, { signer });
      if (act === 'refund') return direct ? native.refund(world, lock) : native.refundTo(world, lock);
      return null;
    },
  };
}

type State = 'none' | 'active' | 'spent';

/** What an act does to a lock by the rules told here again; null where it is refused. */
function expected(act: Act, state: State, late: boolean): State | null {
  if (act === 'make') return state === 'none' && !late ? 'active' : null;
  if (state !== 'active') return null;
  return act === 'refund' && !late ? null : 'spent';
}

const steps = fc.array(
  fc.record({ act: fc.constantFrom(...acts, 'wait' as const), lock: fc.nat({ max: makers.length - 1 }) }),
  { minLength: 4, maxLength: 14 },
);

describe.each([
  ['tokens', erc20Pair],
  ['the native coin', nativePair],
] as const)('with %s', (_what, open) => {
  let pair: Pair;
  let { start } = {} as Pick<Pair, 'start'>;

  beforeAll(async () => {
    pair = await open();
    ({ start } = pair);
  });
  afterAll(() => pair.chain.stop());

  it('what went in comes out once, in any order of acts', async () => {
    const total = (await pair.wealth(client.address)) + (await pair.wealth(service.address));
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        await pair.chain.goBack(start);
        start = await pair.chain.snapshot();
        const states = makers.map((): State => 'none');
        const wealth = { client: await pair.wealth(client.address), service: await pair.wealth(service.address) };
        let late = false;
        for (const { act, lock } of sequence) {
          if (act === 'wait') {
            if (!late) await pair.chain.moveTo(pair.timelock);
            late = true;
            continue;
          }
          const sending = await pair.sendings(act, lock);
          if (sending === null) continue;
          const next = expected(act, states[lock]!, late);
          expect((await pair.chain.refusalOf(sending)) === null, `${act} of lock ${lock} in ${states[lock]}`).toBe(
            next !== null,
          );
          if (next === null) continue;
          await pair.chain.send(sending);
          states[lock] = next;
          const [funder, claimer] =
            makers[lock] === 'direct' ? (['service', 'client'] as const) : (['client', 'service'] as const);
          if (act === 'make') wealth[funder] -= each;
          else wealth[act === 'redeem' || act === 'claim by signature' ? claimer : funder] += each;
        }
        const locked = each * BigInt(states.filter((state) => state === 'active').length);
        expect(await pair.wealth(pair.htlc)).toBe(locked);
        expect(await pair.wealth(pair.coordinator)).toBe(0n);
        expect({ client: await pair.wealth(client.address), service: await pair.wealth(service.address) }).toEqual(
          wealth,
        );
        expect(wealth.client + wealth.service + locked).toBe(total);
      }),
      { numRuns: 25 },
    );
  });
});
