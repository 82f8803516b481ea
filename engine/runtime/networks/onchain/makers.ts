import { less, noSats, plus, type Sats } from '../../../domain/money.ts';
import { outpointKey, type Outpoint, type Txid } from '../../../domain/outpoint.ts';
import { buried } from '../../../legs/onchain/depth.ts';
import type { WalletCoin } from '../../../legs/onchain/wallet-coin.ts';
import { outputAt, paidOut, type RawTransaction, readRawTx } from '../../../legs/raw-tx.ts';
import type { Maker } from '../../../store/transactions.ts';
import { bitcoinOf } from '../../ports.ts';
import type { ChainContext } from './context.ts';
import { ifKnown } from '../if-known.ts';
import { takenBy, takenIn } from './transactions.ts';

/*
 * A payment of the wallet spends what is confirmed, and a reorganisation may take what made its coins. It is mined once
 * that is there again, and never once another transaction has a coin of that instead.
 *
 * Loses money when wrong: a funding that is called over, and is mined all the same beside a refund that was signed for
 * it.
 */

/** Of a stranger's payment that has more inputs not all are looked at. */
const mostInputs = 200;

type Own = Pick<ChainContext, 'ports' | 'store'>;

/** What made these coins, as far as the chain shows it now. */
export async function makersOf(
  coins: readonly Pick<WalletCoin, 'outpoint'>[],
  { ports }: Pick<Own, 'ports'>,
): Promise<readonly Maker[]> {
  const bitcoin = bitcoinOf(ports);
  const makers = await Promise.all(
    txidsOf(coins.map(({ outpoint }) => outpoint)).map(async (txid) => {
      const shown = await ifKnown(() => bitcoin.transaction(txid));
      return shown === null ? [] : [{ txid, bytes: shown.bytes }];
    }),
  );
  return makers.flat();
}

/**
 * Whether one of these coins can never be made: what was to make it, or what that hangs on, spends a coin that another
 * transaction has, buried. No look at the coins themselves would tell (facts/faults.md 130, 189).
 */
export async function isUnmade(coins: readonly Outpoint[], height: number | null, own: Own): Promise<boolean> {
  for (const txid of txidsOf(coins)) if (await isNever(txid, height, own)) return true;
  return false;
}

async function isNever(txid: Txid, height: number | null, own: Own): Promise<boolean> {
  const bytes = own.store.transactions.maker(txid);
  if (bytes === null) return false;
  const bitcoin = bitcoinOf(own.ports);
  const shown = await ifKnown(() => bitcoin.transaction(txid));
  if (shown !== null && shown.height !== null) return false;
  const inputs = (readRawTx(bytes)?.inputs ?? []).slice(0, mostInputs);
  for (const input of inputs) {
    const spend = await ifKnown(() => bitcoin.spend(input));
    if (spend !== null && spend.txid !== txid && buried(spend.height, height)) return true;
  }
  return isUnmade(inputs, height, own);
}

/**
 * Sends again what strangers paid us with (facts/faults.md 191). Ours has an effect of its own, by which it is sent, or
 * not any more; but for a split of a coin that pays for exits, which is looked after while one of them goes
 * (facts/faults.md 220).
 */
export async function sendMakers(coins: readonly Outpoint[], { ports, store }: Own): Promise<void> {
  const bitcoin = bitcoinOf(ports);
  for (const txid of txidsOf(coins)) {
    const row = store.transactions.byId(txid);
    const isAlone = row === null || (row.purpose === 'split' && row.state !== 'dead');
    const bytes = isAlone ? store.transactions.maker(txid) : null;
    if (bytes !== null) await ifKnown(() => bitcoin.passOn(bytes));
  }
}

/** Fee and size of a package, which is mined together or not at all. */
export interface Paying {
  readonly fee: Sats;
  /** In virtual bytes. */
  readonly size: number;
  /** Sats per virtual byte that another child makes of it: not every miner adds up two children of one parent. */
  readonly pushed?: number;
}

export const nothingCarried: Paying = { fee: noSats, size: 0 };

/**
 * What these coins hang on that is in no block any more and pays less than this rate: whoever spends them has to pay
 * for it as well (facts/faults.md 206).
 */
export async function carriedBy(coins: readonly Outpoint[], rate: number, own: Own): Promise<Paying> {
  const { transactions } = own.store;
  const bitcoin = bitcoinOf(own.ports);
  let all = nothingCarried;
  for (const txid of txidsOf(coins)) {
    const bytes = transactions.maker(txid) ?? transactions.bytes(txid);
    const tx = bytes === null ? null : readRawTx(bytes);
    const shown = tx === null || tx.inputs.length > mostInputs ? null : await ifKnown(() => bitcoin.transaction(txid));
    const taken = shown === null || shown.height !== null ? null : await ifKnown(() => takenBy(bitcoin, txid));
    if (tx === null || taken === null) continue;
    const before = await carriedBy(tx.inputs, rate, own);
    const one: Paying = { fee: plus(less(taken, paidOut(tx)), before.fee), size: tx.vsize + before.size };
    if (Number(one.fee) < rate * one.size) all = { fee: plus(all.fee, one.fee), size: all.size + one.size };
  }
  return all;
}

/** Of a funding of ours: its first output is the HTLC. */
export const changeOutput = 1;

/**
 * The funding of ours whose coin a refund takes, while no block has it, shown or not: the refund has to pay for it as
 * well (facts/faults.md 247), unless a child of its change does that already.
 */
export async function carriedFunding({ txid }: Outpoint, { ports, store }: Own): Promise<Paying> {
  const { transactions } = store;
  const bytes = transactions.byId(txid)?.purpose === 'fund' ? transactions.bytes(txid) : null;
  const tx = bytes === null ? null : readRawTx(bytes);
  if (tx === null) return nothingCarried;
  const bitcoin = bitcoinOf(ports);
  const shown = await bitcoin.transaction(txid);
  if (shown !== null && shown.height !== null) return nothingCarried;
  const amounts = new Map(
    tx.inputs.flatMap((input) => {
      const maker = transactions.maker(input.txid);
      const made = maker === null ? null : outputAt(readRawTx(maker), input.vout);
      return made === null ? [] : [[outpointKey(input), made.amount] as const];
    }),
  );
  const taken = await takenIn(bitcoin, tx, amounts);
  const own: Paying = { fee: taken === null ? noSats : less(taken, paidOut(tx)), size: tx.vsize };
  const push = await pushOf(tx, { ports, store });
  return push === null ? own : { ...own, pushed: Number(plus(own.fee, push.fee)) / (own.size + push.size) };
}

/** The child of a funding's change, where the chain shows it. */
async function pushOf(funding: RawTransaction, { ports, store: { transactions } }: Own): Promise<Paying | null> {
  const spend = await ifKnown(() => bitcoinOf(ports).spend({ txid: funding.txid, vout: changeOutput }));
  const bytes =
    spend !== null && transactions.byId(spend.txid)?.purpose === 'push' ? transactions.bytes(spend.txid) : null;
  const tx = bytes === null ? null : readRawTx(bytes);
  const change = outputAt(funding, changeOutput);
  return tx === null || change === null ? null : { fee: less(change.amount, paidOut(tx)), size: tx.vsize };
}

/** What a transaction of this size pays by itself, so that it and what it carries pay this rate together. */
export function rateBeside(rate: number, size: number, carried: Paying): number {
  if ((carried.pushed ?? 0) >= rate) return rate;
  return Math.max(rate, (rate * (size + carried.size) - Number(carried.fee)) / size);
}

/** The other way round: what both pay together where it pays this rate by itself, and no more than that. */
export function rateTogether(rate: number, size: number, carried: Paying): number {
  const both = (rate * size + Number(carried.fee)) / (size + carried.size);
  return Math.min(rate, Math.max(both, carried.pushed ?? 0));
}

function txidsOf(coins: readonly Outpoint[]): Txid[] {
  return [...new Set(coins.map(({ txid }) => txid))];
}
