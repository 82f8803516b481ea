import { expect } from 'vitest';
import { isRefusal } from '../../engine/domain/errors.ts';
import { toHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import type { Outpoint } from '../../engine/domain/outpoint.ts';
import type { MusigHtlcTerms } from '../../engine/legs/onchain/htlc.ts';
import { readHtlcSpend } from '../../engine/legs/onchain/htlc-spend.ts';
import { readRawTx } from '../../engine/legs/raw-tx.ts';
import type { BitcoinLeg, Deal, LightningLeg } from '../../engine/taker/terms.ts';
import { deposit } from '../support/bitcoin-wallet.ts';
import type { NodeOptions } from '../support/node.ts';
import { startWorld } from '../support/world.ts';
import { startPair, type Pair } from './pair.ts';

/* Swaps of an HTLC with the key of both, between a client and a provider of its own. */

/** What arrives, in sats. */
export const amount = 50_000n;

export async function startTogether(taker: Partial<NodeOptions> = {}): Promise<Together> {
  const world = startWorld();
  const pair = await startPair({
    world,
    taker: { bitcoinWallet: true, ...taker },
    provider: { bitcoinWallet: true },
  });
  await deposit({ world, node: pair.provider }, 1_000_000, 1_000_000);
  return together(pair);
}

export type Together = ReturnType<typeof together>;

function together(pair: Pair) {
  function dealOf(id: string): Deal<LightningLeg | BitcoinLeg, LightningLeg | BitcoinLeg> {
    const progress = pair.taker.store.swaps.byId(id)?.progress as { deal?: Deal } | undefined;
    if (progress?.deal === undefined) throw new Error('nothing is agreed yet');
    return progress.deal as never;
  }

  function htlcOf(id: string): BitcoinLeg {
    const { source, target } = dealOf(id);
    return source.on === 'bitcoin' ? source : (target as BitcoinLeg);
  }

  /** By what the coin of the swap was taken: by the claim leaf, the refund leaf, or the key of both. */
  async function spentBy(id: string, coin: Outpoint): Promise<string | null> {
    const txid = pair.world.bitcoin.spend(coin)?.txid;
    const bytes = txid === undefined ? null : (await pair.taker.ports.bitcoin?.transaction(txid))?.bytes;
    const tx = readRawTx(bytes ?? new Uint8Array());
    return tx === null ? null : (readHtlcSpend(htlcOf(id).htlc as MusigHtlcTerms, coin, tx)?.by ?? null);
  }

  async function agreed(id: string): Promise<void> {
    await expect.poll(() => pair.taker.at(id), { timeout: 30_000 }).toBe('waiting');
  }

  async function minedUntil(id: string, ...states: readonly string[]): Promise<void> {
    await expect
      .poll(
        async () => {
          const at = pair.taker.at(id);
          if (!states.includes(at)) await pair.world.mine(1);
          return states.includes(at);
        },
        { timeout: 60_000, interval: 200 },
      )
      .toBe(true);
  }

  async function mined(is: () => boolean): Promise<void> {
    await expect
      .poll(async () => is() || (await pair.world.mine(1), is()), { timeout: 60_000, interval: 200 })
      .toBe(true);
  }

  const bitcoins = async () => (await pair.taker.runtime.ports.bitcoinWallet?.balance([]))?.available ?? 0n;

  /** A payment is held, and the provider's coin lies there: the claim begins. */
  async function buy(): Promise<string> {
    const created = await pair.taker.taker.create({
      direction: 'lightning-bitcoin',
      amount: sats(amount),
      invoice: null,
      provider: '',
    });
    if (isRefusal(created)) throw new Error(created.sentence);
    await agreed(created.id);
    const { source } = dealOf(created.id);
    pair.world.pay((source as LightningLeg).bolt11);
    return created.id;
  }

  /** The coin that the client claims, once it is there. */
  async function coinOf(id: string): Promise<Outpoint> {
    await minedUntil(id, 'claiming', 'claimed');
    const { target } = pair.taker.store.swaps.byId(id)?.progress as { target?: { coin?: { outpoint: Outpoint } } };
    if (target?.coin === undefined) throw new Error('there is no coin');
    return target.coin.outpoint;
  }

  /** A coin of the client's, and an invoice whose payee fails its payment or keeps it. */
  async function sell(): Promise<{ id: string; coin: Outpoint; release(outcome: 'settles' | 'fails'): void }> {
    const { bolt11, hash } = pair.world.invoice(amount, { hold: true });
    const created = await pair.taker.taker.create({
      direction: 'bitcoin-lightning',
      amount: sats(amount),
      invoice: bolt11,
      provider: '',
    });
    if (isRefusal(created)) throw new Error(created.sentence);
    await agreed(created.id);
    const { source } = dealOf(created.id) as Deal<BitcoinLeg, LightningLeg>;
    const coin = pair.world.bitcoin.faucet(source.script, source.amount);
    if (coin === null) throw new Error('the faucet is empty');
    await pair.world.mine(1);
    const { swapId } = dealOf(created.id);
    await expect.poll(() => pair.provider.at(swapId), { timeout: 30_000 }).toBe('paying');
    return { id: created.id, coin, release: (outcome) => pair.world.lightning.release(toHex(hash), outcome) };
  }

  return { pair, dealOf, htlcOf, spentBy, agreed, minedUntil, mined, bitcoins, buy, coinOf, sell };
}
