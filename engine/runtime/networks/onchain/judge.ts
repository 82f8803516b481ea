import { PortFailure } from '../../../domain/errors.ts';
import { sameBytes } from '../../../domain/hash.ts';
import { outpointKey, sameOutpoint, type Outpoint } from '../../../domain/outpoint.ts';
import type { Clocks } from '../../../domain/time.ts';
import type {
  StillFunded,
  StillFundedForLock,
  StillFundedForPayment,
  StillPaidOut,
} from '../../../legs/onchain/conditions.ts';
import { confirmationsAt, immature } from '../../../legs/onchain/depth.ts';
import type { BitcoinPort, ChainCoin, ChainTip } from '../../../legs/onchain/port.ts';
import { outputAt, readRawTx } from '../../../legs/raw-tx.ts';
import { safeToFinish } from '../../../legs/safety/give.ts';
import { safeToLockForCoin, safeToLockOnEvmForCoin, type BuriedCoin } from '../../../legs/safety/lock.ts';
import { safeToPayForCoin } from '../../../legs/safety/pay.ts';
import { safeToRevealForCoin } from '../../../legs/safety/reveal.ts';
import type { Safety } from '../../../legs/safety/verdict.ts';
import type { ClaimCeilings } from '../../../quote/ceilings.ts';
import type { Clock } from '../../clock.ts';
import { bitcoinOf, type Ports } from '../../ports.ts';
import type { MinedStake, Shallow } from '../shallow.ts';
import { coinTooDear } from './claim-cost.ts';
import { listedCoin } from './listed-coin.ts';

interface Asks {
  readonly ports: Pick<Ports, 'bitcoin'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** A client's coin in its block, or a provider's. */
export interface MinedCoin extends MinedStake {
  readonly outpoint: Outpoint;
}

interface Gives extends Asks {
  readonly shallow: Shallow<MinedCoin>;
  /** The swap that something is given in. */
  readonly swap: string;
}

/**
 * Whether the client's coin on the chain still lies there, deep enough and unspent, for long enough to lock a VHTLC
 * against it.
 */
export function judgeFunded(facts: StillFunded, asks: Gives): Promise<Safety> {
  return judge(facts, (coin, clocks) => safeToLockForCoin({ ...facts, coin }, clocks, facts.policy), asks);
}

/** The same to finish a VHTLC that the operator has half. */
export function judgeFundedToFinish(facts: StillFunded, asks: Gives): Promise<Safety> {
  const { policy } = facts;
  return judge(facts, (coin, clocks) => safeToLockForCoin({ ...facts, coin }, clocks, policy, safeToFinish), asks);
}

/** Whether it does for long enough to lock on an EVM chain. */
export function judgeFundedForLock(facts: StillFundedForLock, asks: Gives): Promise<Safety> {
  return judge(facts, (coin, clocks) => safeToLockOnEvmForCoin({ ...facts, coin }, clocks, facts.policy), asks);
}

async function judge(
  { script, outpoint }: Pick<StillFunded, 'script' | 'outpoint'>,
  safety: (coin: BuriedCoin, clocks: Clocks) => Safety,
  { ports, clock, shallow, swap }: Gives,
): Promise<Safety> {
  const bitcoin = bitcoinOf(ports);
  const tip = await tipSettled(bitcoin, shallow);
  const mined = minedOf(await unspent(bitcoin, script, outpoint), swap);
  const coin = mined === null ? null : { amount: mined.amount, depth: confirmationsAt(mined.height, tip.height) };
  return (
    safety(coin, clock.now()) ??
    (await immatureNow(bitcoin, outpoint, coin?.depth ?? 0)) ??
    unlessDisputed(bitcoin) ??
    // Last, for it counts the coin.
    (mined === null ? null : shallow.admit(outpointKey(outpoint), mined, tip.height))
  );
}

/** Before the coin is looked at: a block that comes between the two makes it no deeper. */
async function tipSettled(bitcoin: BitcoinPort, shallow: Gives['shallow']): Promise<ChainTip> {
  const tip = await bitcoin.tip();
  await shallow.settle(async (one) => (await bitcoin.transaction(one.outpoint.txid))?.height ?? null, tip.height);
  return tip;
}

/** Null while it is in no block. */
function minedOf(coin: ChainCoin | null, swap: string): MinedCoin | null {
  if (coin === null || coin.height === null) return null;
  const { outpoint, amount, height } = coin;
  return { swap, outpoint, amount, height };
}

async function immatureNow(bitcoin: BitcoinPort, { txid }: Outpoint, depth: number): Promise<Safety> {
  const made = await bitcoin.transaction(txid);
  return immature(made === null ? null : readRawTx(made.bytes), depth);
}

/** The same to pay for it over Lightning. */
export function judgeFundedForPayment(
  facts: StillFundedForPayment,
  asks: Gives,
  maxTimeoutHeight: number,
): Promise<Safety> {
  const { policy } = facts;
  return judge(facts, (coin, clocks) => safeToPayForCoin({ ...facts, coin, maxTimeoutHeight }, clocks, policy), asks);
}

/**
 * Whether the provider's coin on the chain still lies there, deep and for long enough to show our secret for it, also
 * beside the other coins that secrets were shown for (facts/faults.md 359), and whether its claim costs little of it
 * now.
 */
export async function judgePaidOut(
  facts: StillPaidOut,
  { ports, clock, ceilings, shallow, swap }: Gives & { readonly ceilings: () => ClaimCeilings },
): Promise<Safety> {
  const bitcoin = bitcoinOf(ports);
  const { script, outpoint, targetAmount, refundLocktime, policy } = facts;
  // Before the coin: nothing is waited for between the look at that and the secret.
  const coinToClaim = { amount: targetAmount, refundLocktime };
  const dear = await coinTooDear(coinToClaim, clock.now(), bitcoin, ceilings());
  const { height } = await tipSettled(bitcoin, shallow);
  const coin = await unspent(bitcoin, script, outpoint);
  const mined = minedOf(coin, swap);
  const depth = mined === null ? 0 : confirmationsAt(mined.height, height);
  return (
    safeToRevealForCoin({ coin, height, targetAmount, refundLocktime }, clock.now(), policy) ??
    (await immatureNow(bitcoin, outpoint, depth)) ??
    unlessDisputed(bitcoin) ??
    dear ??
    // Last, for it counts the coin.
    (mined === null ? null : shallow.admit(outpointKey(outpoint), mined, height))
  );
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
