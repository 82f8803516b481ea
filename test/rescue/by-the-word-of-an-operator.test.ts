import { expect, test } from 'vitest';
import { unix } from '../../engine/domain/time.ts';
import type { ArkadePort } from '../../engine/legs/arkade/port.ts';
import type { BitcoinPort } from '../../engine/legs/onchain/port.ts';
import { arkadeHand } from '../../engine/rescue/arkade.ts';
import { noExitPaths } from '../../engine/rescue/exit-paths.ts';
import { createTroubles } from '../../engine/rescue/troubles.ts';
import type { Ports } from '../../engine/runtime/ports.ts';
import { coinOf, preimage, script, secret, spend, terms } from '../legs/arkade/support.ts';

const coin = coinOf(1);
const { refundLocktime } = terms;
/** The sender's own, and the receiver's with the secret and without its signature. */
const refund = spend(script.leaf['refund-without-receiver'], [coin], [secret.sender]).arkTx;
const unsigned = spend(script.leaf.claim, [coin], [], { condition: [preimage] }).arkTx;

interface Shown {
  readonly by?: typeof refund;
  readonly mtp?: number;
  readonly side?: 'claim' | 'refund';
  /** The transaction that makes the coin is in a block, which the operator never says. */
  readonly isBrought?: boolean;
  /** Of the claim or refund that is ours. */
  readonly own?: string;
}

/** What the operator shows is all that says that the coin is spent. */
async function lookAt({ by = refund, mtp = refundLocktime - 1, side = 'claim', ...shown }: Shown) {
  const { isBrought = false, own = 'another' } = shown;
  const spent = { ...coin, spent: true, spentIn: by.id, spentBy: by.id };
  const prepared = async () => ({
    txid: own,
    bytes: new Uint8Array(),
    inputs: [],
    output: coin as never,
    own: [],
  });
  const arkade: Partial<ArkadePort> = {
    coins: async () => [spent],
    coinsAt: async () => [],
    virtualTxs: async () => new Map([[by.id, by.toPSBT()]]),
    waiting: async () => [],
    state: async () => 'final',
    prepareClaim: prepared,
    prepareRefund: prepared,
  };
  const bitcoin: Partial<BitcoinPort> = {
    tip: async () => ({ mtp: unix(mtp), height: 1_000, time: unix(mtp) }) as never,
    transaction: async () => (isBrought ? ({ bytes: new Uint8Array(), height: 1_000 } as never) : null),
    spend: async () => null,
  };
  const { outpoint, amount, expiresAt } = coin;
  const path = { outpoint, amount, expiresAt, script: script.pkScript, under: null };
  const hand = arkadeHand({
    ports: { arkade, bitcoin } as unknown as Ports,
    network: 'regtest',
    exitPaths: { ...noExitPaths, coins: [path] },
    troubles: createTroubles([]),
    signal: new AbortController().signal,
  });
  const key = { branch: 'swap', index: 0 } as const;
  const { state, exit } = await hand.look({ on: 'arkade', terms, key, coin: outpoint, amount }, side);
  return { is: state.is, distrusted: exit?.distrusted };
}

test('fault 348, arkade: a rescue brings a coin whose refund is shown too early, and claims it', async () => {
  expect([
    await lookAt({}),
    await lookAt({ mtp: refundLocktime }),
    await lookAt({ mtp: refundLocktime - 1, side: 'refund' }),
  ]).toEqual([
    { is: 'standing', distrusted: true },
    { is: 'refunded', distrusted: false },
    { is: 'refunded', distrusted: false },
  ]);
});

test('fault 350, arkade: a rescue takes a coin that lies on the chain, whatever its operator shows', async () => {
  const there = { isBrought: true, mtp: refundLocktime };
  expect([await lookAt(there), await lookAt({ ...there, side: 'refund' })]).toEqual([
    { is: 'standing', distrusted: undefined },
    { is: 'standing', distrusted: undefined },
  ]);
  // To who gave the coin the secret is all, wherever it stands.
  expect(await lookAt({ ...there, by: unsigned, side: 'refund' })).toEqual({ is: 'claimed', distrusted: false });
});

test('fault 351, arkade: a rescue takes no claim for ours that we did not sign', async () => {
  expect([
    await lookAt({ by: unsigned }),
    await lookAt({ by: unsigned, mtp: refundLocktime }),
    await lookAt({ by: unsigned, own: unsigned.id }),
    await lookAt({ by: unsigned, side: 'refund' }),
  ]).toEqual([
    { is: 'standing', distrusted: true },
    { is: 'standing', distrusted: true },
    { is: 'claimed', distrusted: false },
    { is: 'claimed', distrusted: false },
  ]);
});
