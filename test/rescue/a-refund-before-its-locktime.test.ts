import { expect, test } from 'vitest';
import { unix } from '../../engine/domain/time.ts';
import type { ArkadePort } from '../../engine/legs/arkade/port.ts';
import type { BitcoinPort } from '../../engine/legs/onchain/port.ts';
import { arkadeHand } from '../../engine/rescue/arkade.ts';
import { noExitPaths } from '../../engine/rescue/exit-paths.ts';
import { createTroubles } from '../../engine/rescue/troubles.ts';
import type { Ports } from '../../engine/runtime/ports.ts';
import { coinOf, script, secret, spend, terms } from '../legs/arkade/support.ts';

const coin = coinOf(1);
const { arkTx } = spend(script.leaf['refund-without-receiver'], [coin], [secret.sender]);
const spent = { ...coin, spent: true, spentIn: arkTx.id, spentBy: arkTx.id };

/** The sender's refund is all that the operator shows of the coin; the chain shows none of it. */
async function lookAt(mtp: number, side: 'claim' | 'refund') {
  const arkade: Partial<ArkadePort> = {
    coins: async () => [spent],
    coinsAt: async () => [],
    virtualTxs: async () => new Map([[arkTx.id, arkTx.toPSBT()]]),
    prepareRefund: async () => ({
      txid: 'another',
      bytes: new Uint8Array(),
      inputs: [],
      output: coin as never,
      own: [],
    }),
  };
  const bitcoin: Partial<BitcoinPort> = {
    tip: async () => ({ mtp: unix(mtp), height: 1_000 }) as never,
    transaction: async () => null,
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
  const { refundLocktime } = terms;
  expect([
    await lookAt(refundLocktime - 1, 'claim'),
    await lookAt(refundLocktime, 'claim'),
    await lookAt(refundLocktime - 1, 'refund'),
  ]).toEqual([
    { is: 'standing', distrusted: true },
    { is: 'refunded', distrusted: false },
    { is: 'refunded', distrusted: false },
  ]);
});
