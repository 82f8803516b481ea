import { sameBytes } from '../../../domain/hash.ts';
import type { EvmNetwork } from '../../../domain/chain.ts';
import type { Sats } from '../../../domain/money.ts';
import type { SwapContracts } from '../../../legs/evm/contracts.ts';
import { swapKey, type LockTerms } from '../../../legs/evm/swap-key.ts';
import type { BitcoinPort } from '../../../legs/onchain/port.ts';
import { readRawTx } from '../../../legs/raw-tx.ts';
import { NotYet } from '../../not-yet.ts';
import { bitcoinOf, bitcoinWalletOf, evmOf } from '../../ports.ts';
import { listedCoin } from '../onchain/listed-coin.ts';
import type { LightningContext } from './context.ts';

/** What the terms of a swap say of our lock, on whichever network. */
interface Given {
  readonly targetAmount: bigint;
  /** On Arkade. */
  readonly script?: Uint8Array;
  /** On the Bitcoin chain. */
  readonly htlcScript?: Uint8Array;
  readonly htlcSince: number;
  /** On an EVM chain. */
  readonly lock?: LockTerms;
  readonly network: EvmNetwork;
  readonly contracts: SwapContracts;
  readonly since: number;
}

/** Blocks of an EVM chain that are read in one go. */
const blocksAtOnce = 5_000;
/** Parts in which the past of one lock is read at most, the newest first. */
const mostPieces = 40;

/**
 * Whether a lock of ours is out, or was claimed, of which a restored database knows nothing: its swap was called off as
 * one that nothing was given for, and whoever pays would have both (facts/faults.md 5).
 */
export async function isGivenFor(context: LightningContext): Promise<boolean> {
  const { store, row } = context;
  const swap = store.intents.has('payment', row.subject) ? store.swaps.byId(row.subject) : null;
  if (swap?.progress.at !== 'stopped') return false;
  const given = swap.terms as Given;
  return (await isOnArkade(given, context)) || (await isOnBitcoin(given, context)) || isOnEvm(given, context);
}

async function isOnArkade({ script, targetAmount }: Given, { ports: { arkade } }: LightningContext): Promise<boolean> {
  if (script === undefined) return false;
  if (arkade === null) throw new NotYet(null, 'no Arkade operator is connected that could say what was locked');
  return (await arkade.coins([script])).some(({ amount }) => amount === targetAmount);
}

async function isOnBitcoin(given: Given, { ports }: LightningContext): Promise<boolean> {
  const { htlcScript: script, htlcSince, targetAmount } = given;
  if (script === undefined) return false;
  const coin = await listedCoin(bitcoinOf(ports), script, ({ amount }) => amount === targetAmount);
  // Claimed since, it is listed nowhere: but what it left of the wallet is, where that is found.
  return (
    coin !== undefined ||
    (await bitcoinWalletOf(ports).paymentTo(script, targetAmount as Sats, htlcSince)) !== null ||
    wasPaid(bitcoinOf(ports), { script, amount: targetAmount, since: htlcSince })
  );
}

/**
 * Whether anything ever paid the amount to a script, whatever became of it: the chain knows that where the wallet's own
 * coins lie at keys that the copy never gave out, or went elsewhere (facts/faults.md 155).
 */
async function wasPaid(
  bitcoin: BitcoinPort,
  { script, amount, since }: { readonly script: Uint8Array; readonly amount: bigint; readonly since: number },
): Promise<boolean> {
  const search = {};
  for (let part = 0; part < mostPieces; part++) {
    const answer = (await bitcoin.payments?.(script, since, search)) ?? { payments: [], over: true };
    for (const payment of answer.payments) {
      if (payment.amount !== amount) continue;
      const outputs = readRawTx((await bitcoin.transaction(payment.txid))?.bytes ?? new Uint8Array())?.outputs ?? [];
      if (outputs.some((output) => output.amount === amount && sameBytes(output.script, script))) return true;
    }
    if (answer.over) return false;
  }
  throw new NotYet(null, 'too much was paid to our HTLC to tell whether it was claimed', true);
}

async function isOnEvm({ lock, network, contracts, since }: Given, { ports }: LightningContext): Promise<boolean> {
  if (lock === undefined) return false;
  const port = evmOf(ports, network);
  const { htlc } = contracts;
  if (await port.isActive(htlc, lock)) return true;
  const key = swapKey(lock);
  let to = (await port.tip()).height;
  for (let piece = 0; to >= since; piece++, to -= blocksAtOnce) {
    if (piece === mostPieces)
      throw new NotYet(null, `${network} has too many blocks to tell whether our lock was claimed`, true);
    const events = await port.events({ htlc, from: Math.max(since, to - blocksAtOnce + 1), to });
    const own = events.filter((event) => sameBytes(event.key, key));
    if (own.length > 0) return own.every(({ what }) => what.is !== 'refunded');
  }
  return false;
}
