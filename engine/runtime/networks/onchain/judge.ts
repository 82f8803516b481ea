import { PortFailure } from '../../../domain/errors.ts';
import { sameBytes } from '../../../domain/hash.ts';
import { sameOutpoint, type Outpoint } from '../../../domain/outpoint.ts';
import { sats } from '../../../domain/money.ts';
import { expectedAt, furthest, type Clocks } from '../../../domain/time.ts';
import type {
  StillFunded,
  StillFundedForLock,
  StillFundedForPayment,
  StillPaidOut,
} from '../../../legs/onchain/conditions.ts';
import { confirmationsAt, immature } from '../../../legs/onchain/depth.ts';
import type { BitcoinPort, ChainCoin } from '../../../legs/onchain/port.ts';
import { outputAt, readRawTx } from '../../../legs/raw-tx.ts';
import { safeToLockForCoin, safeToLockOnEvmForCoin, type BuriedCoin } from '../../../legs/safety/lock.ts';
import { safeToPayForCoin } from '../../../legs/safety/pay.ts';
import { safeToRevealForCoin } from '../../../legs/safety/reveal.ts';
import { unread, wait, type Safety } from '../../../legs/safety/verdict.ts';
import { revealCeiling, type ClaimCeilings } from '../../../quote/ceilings.ts';
import { bytesOf } from '../../../quote/gas.ts';
import type { Clock } from '../../clock.ts';
import { bitcoinOf, type Ports } from '../../ports.ts';
import { listedCoin } from './listed-coin.ts';
import { rateNow } from './wanted-rate.ts';

interface Asks {
  readonly ports: Pick<Ports, 'bitcoin'>;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Whether the client's coin on the chain still lies there, deep enough and unspent, for long enough to lock a VHTLC
 * against it.
 */
export function judgeFunded(facts: StillFunded, asks: Asks): Promise<Safety> {
  return judge(facts, (coin, clocks) => safeToLockForCoin({ ...facts, coin }, clocks, facts.policy), asks);
}

/** The same for a lock on an EVM chain. */
export function judgeFundedForLock(facts: StillFundedForLock, asks: Asks): Promise<Safety> {
  return judge(facts, (coin, clocks) => safeToLockOnEvmForCoin({ ...facts, coin }, clocks, facts.policy), asks);
}

async function judge(
  { script, outpoint }: Pick<StillFunded, 'script' | 'outpoint'>,
  safety: (coin: BuriedCoin, clocks: Clocks) => Safety,
  { ports, clock }: Asks,
): Promise<Safety> {
  const bitcoin = bitcoinOf(ports);
  // Before the coin: a block that comes between the two makes it no deeper.
  const tip = await bitcoin.tip();
  const listed = await unspent(bitcoin, script, outpoint);
  const coin =
    listed === null || listed.height === null
      ? null
      : { amount: listed.amount, depth: confirmationsAt(listed.height, tip.height) };
  return (
    safety(coin, clock.now()) ?? (await immatureNow(bitcoin, outpoint, coin?.depth ?? 0)) ?? unlessDisputed(bitcoin)
  );
}

async function immatureNow(bitcoin: BitcoinPort, { txid }: Outpoint, depth: number): Promise<Safety> {
  const made = await bitcoin.transaction(txid);
  return immature(made === null ? null : readRawTx(made.bytes), depth);
}

/** The same to pay for it over Lightning. */
export function judgeFundedForPayment(
  facts: StillFundedForPayment,
  asks: Asks,
  maxTimeoutHeight: number,
): Promise<Safety> {
  const { policy } = facts;
  return judge(facts, (coin, clocks) => safeToPayForCoin({ ...facts, coin, maxTimeoutHeight }, clocks, policy), asks);
}

/**
 * Whether the provider's coin on the chain still lies there, deep and for long enough to show our secret for it, and
 * whether its claim costs little of it now.
 */
export async function judgePaidOut(
  facts: StillPaidOut,
  { ports, clock, ceilings }: Asks & { readonly ceilings: () => ClaimCeilings },
): Promise<Safety> {
  const bitcoin = bitcoinOf(ports);
  const { script, outpoint, targetAmount, refundLocktime, policy } = facts;
  // Before the coin: nothing is waited for between the look at that and the secret.
  const dear = await tooDear(facts, clock.now(), bitcoin, ceilings());
  const coin = await unspent(bitcoin, script, outpoint);
  const { height } = await bitcoin.tip();
  const mined = coin?.height ?? null;
  const depth = mined === null ? 0 : confirmationsAt(mined, height);
  return (
    safeToRevealForCoin({ coin, height, targetAmount, refundLocktime }, clock.now(), policy) ??
    (await immatureNow(bitcoin, outpoint, depth)) ??
    unlessDisputed(bitcoin) ??
    dear
  );
}

/**
 * No mempool takes a claim that may not pay what the chain asks: whoever was shown the secret would wait until the coin
 * is its own again (facts/faults.md 169).
 */
async function tooDear(
  { targetAmount, refundLocktime }: StillPaidOut,
  clocks: Clocks,
  bitcoin: BitcoinPort,
  ceilings: ClaimCeilings,
): Promise<Safety> {
  const [deadline, now] = [expectedAt(refundLocktime, clocks), furthest(clocks.bitcoin).mtp];
  if (deadline === null || now === null) return unread;
  const cost = sats(Math.ceil(bytesOf.claim * (await rateNow(bitcoin, deadline, now))));
  const most = revealCeiling(targetAmount, ceilings);
  if (cost <= most) return null;
  return wait(`A claim would cost ${cost} sats now; at most ${most} of ${targetAmount} are paid to show the secret.`);
}

/** One source that goes on listing it is not believed against another that shows its spend (facts/faults.md 49). */
async function unspent(bitcoin: BitcoinPort, script: Uint8Array, outpoint: Outpoint): Promise<ChainCoin | null> {
  const coin = await coinAt(bitcoin, script, outpoint);
  return coin === null || (await bitcoin.spend(outpoint)) !== null ? null : coin;
}

/**
 * Of a script that nobody lists, for a stranger paid it too often, the coin is read by its own transaction
 * (facts/faults.md 96).
 */
async function coinAt(bitcoin: BitcoinPort, script: Uint8Array, outpoint: Outpoint): Promise<ChainCoin | null> {
  const isIt = (coin: ChainCoin): boolean => sameOutpoint(coin.outpoint, outpoint);
  try {
    return (await listedCoin(bitcoin, script, isIt)) ?? null;
  } catch (cause) {
    if (!(cause instanceof PortFailure)) throw cause;
    const tx = await bitcoin.transaction(outpoint.txid);
    const output = tx === null ? null : outputAt(readRawTx(tx.bytes), outpoint.vout);
    if (tx === null || output === null || !sameBytes(output.script, script)) return null;
    return { outpoint, script, amount: output.amount, height: tx.height };
  }
}

function unlessDisputed(bitcoin: BitcoinPort): Safety {
  const doubt = bitcoin.disagreement();
  return doubt === null ? null : { unsafe: 'wait', sentence: doubt };
}
