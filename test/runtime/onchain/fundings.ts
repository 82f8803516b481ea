import { expect } from 'vitest';
import { sats, type Sats } from '../../../engine/domain/money.ts';
import type { Outpoint } from '../../../engine/domain/outpoint.ts';
import { unix } from '../../../engine/domain/time.ts';
import { scriptOfAddress } from '../../../engine/legs/onchain/address.ts';
import type { TimeHtlcTerms } from '../../../engine/legs/onchain/htlc.ts';
import { openPayer } from '../../ports/bitcoin-payer.ts';
import { bitcoinScene, newWorld, ours, swapKey, type BitcoinScene } from './scene.ts';
import { clientPublic, clientSpend, elsewhere, scriptOf, termsOf } from './support.ts';
import { eventually } from './patience.ts';

/** What each of them pays. */
export const amount = sats(60_000);
const hour = 3_600;

export interface Funded {
  readonly id: string;
  readonly txid: string;
  readonly terms: TimeHtlcTerms;
  readonly coins: readonly Outpoint[];
}

/**
 * A funding that waits in the mempool; from its first claim on that is kept there. `push`: most that a child may cost.
 */
export async function funding(scene: BitcoinScene, push = sats(20_000)): Promise<Funded> {
  const terms = termsOf(clientPublic, ours, scene.world.tip().mtp + 24 * hour);
  const lockBefore = unix(terms.refundLocktime - 600);
  const script = scriptOf(terms);
  const since = scene.world.tip().height;
  const agreed = { least: sats(0), most: sats(0) };
  const watches = [{ on: 'htlc', terms, script, since, agreed, coins: [] }] as const;
  const id = scene.open({ resends: amount, watches, push }, [
    { do: 'htlc.fund', script, amount, mostFee: sats(5_000), lockBefore, scriptSince: 0 },
  ]);
  await eventually(() => scene.heard(id, 'htlc.prepared').length > 0, 'it is prepared');
  const { txid, coins } = scene.payment(id);
  await eventually(() => scene.world.waiting(txid) !== undefined, 'it is sent');
  return { id, txid, terms, coins: coins.map(({ outpoint }) => outpoint) };
}

/** A coin of ours that was not claimed in time, taken back, and a funding with it in the mempool. */
export async function fundedByRefund(push?: Sats) {
  const world = newWorld();
  const terms = termsOf(clientPublic, ours, world.tip().mtp - 1);
  const held = sats(250_000);
  const coin = world.faucet(scriptOf(terms), held);
  if (coin === null) throw new Error('the faucet has no coin');
  world.mine(1);
  const scene = await bitcoinScene({ world });
  const common = { terms, script: scriptOf(terms), key: swapKey, coin, leastRate: 0 } as const;
  const deadline = unix(terms.refundLocktime + 8 * hour);
  const spend = { do: 'htlc.spend', purpose: 'refund', ...common, deadline } as const;
  scene.open({ spend }, [spend]);
  await eventually(() => world.spend(coin) !== undefined, 'it is taken back');
  const refund = world.spend(coin)?.txid ?? '';
  world.mine(1);
  const own = await funding(scene, push);
  expect(own.coins.map(({ txid }) => txid)).toEqual([refund]);
  return { scene, world, refund, own, claim: clientSpend(terms, { ...coin, amount: held }, { claim: true, rate: 9 }) };
}

/** A stranger's payment to the wallet in a block, and a funding with it in the mempool. */
export async function fundedByStranger() {
  const world = newWorld();
  const stranger = openPayer('a stranger');
  const scene = await bitcoinScene({ world });
  const outpoint = world.faucet(stranger.script, sats(150_000));
  if (outpoint === null) throw new Error('the faucet has no coin');
  world.mine(1);
  const script = scriptOfAddress(await scene.wallet.address(), 'regtest') ?? new Uint8Array();
  const from = [{ outpoint, amount: 150_000n }];
  const payment = world.submit(stranger.pay({ from, to: [{ script, amount: 149_000n }] }));
  world.mine(1);
  const own = await funding(scene);
  expect(own.coins.map(({ txid }) => txid)).toEqual([payment.txid]);
  const elsewhereInstead = stranger.pay({ from, to: [{ script: elsewhere, amount: 140_000n }] });
  return { scene, world, payment, own, elsewhereInstead };
}
