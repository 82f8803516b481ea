import { SigHash } from '@scure/btc-signer';
import { lesser, minus, noSats, plus, sats, type Sats } from '../../domain/money.ts';
import type { Outpoint, Txid } from '../../domain/outpoint.ts';
import { relayRate } from '../onchain/send.ts';
import { dustOf, feeUp, sendSize } from '../onchain/size.ts';
import { anchorScript, newTx, type Tx } from '../psbt.ts';
import { isAnchor } from './exit-path.ts';

/** A confirmed coin of the Bitcoin wallet, at a taproot key path. */
export interface FeeCoin {
  readonly outpoint: Outpoint;
  readonly amount: Sats;
  readonly script: Uint8Array;
}

export interface ExitChildRequest<C extends FeeCoin> {
  readonly parent: Tx;
  /** To choose from; `keep`, where it replaces another, is what that one spent. */
  readonly coins: readonly C[];
  readonly keep?: readonly C[];
  /** Output script of what is left. */
  readonly to: Uint8Array;
  /** Sats per virtual byte that parent and child are to pay together. */
  readonly rate: number;
  /** Most that the child pays. */
  readonly mostFee: Sats;
  /** The fee of the child before, in whose place this one comes; null for the first. */
  readonly replaces: Sats | null;
}

export interface ExitChildPlan<C extends FeeCoin> {
  readonly coins: readonly C[];
  readonly anchor: Outpoint;
  readonly fee: Sats;
  readonly left: Sats;
  /** Sats per virtual byte of both together. */
  readonly rate: number;
  /** It pays as much as it may. */
  readonly capped: boolean;
}

/** Outpoint, empty script and sequence, and the count of an empty witness at one unit of weight. */
const anchorInput = 36 + 1 + 4 + 1;
/** Virtual bytes of a version 3 child that nodes relay (BIP 431). */
const largestChild = 1_000;
const mostCoins = 12;

/**
 * The child that pays for a transaction without a fee by its anchor, from confirmed coins: the smallest that suffices
 * alone, else the largest together. Null when the coins do not suffice at one sat per virtual byte, or the ceiling does
 * not.
 */
export function planExitChild<C extends FeeCoin>(request: ExitChildRequest<C>): ExitChildPlan<C> | null {
  const { parent, keep = [], coins } = request;
  const anchor = anchorOf(parent);
  if (anchor === null) return null;
  if (keep.length > 0) return planOver(keep, anchor, request);
  const rising = [...coins].sort((a, b) => (a.amount < b.amount ? -1 : 1));
  let best: ExitChildPlan<C> | null = null;
  for (const coin of rising) {
    const plan = planOver([coin], anchor, request);
    if (plan !== null && (!plan.short || best === null || plan.fee > best.fee)) best = plan;
    if (plan?.short === false) return plan;
  }
  const falling = rising.reverse().slice(0, mostCoins);
  for (let count = 2; count <= falling.length; count++) {
    const plan = planOver(falling.slice(0, count), anchor, request);
    if (plan?.short === false) return plan;
    if (plan !== null && (best === null || plan.fee > best.fee)) best = plan;
  }
  return best;
}

/** Virtual bytes of a child over so many coins. */
export function exitChildSize(coins: number, to: Uint8Array): number {
  return sendSize(coins, [to]) + anchorInput;
}

function planOver<C extends FeeCoin>(
  coins: readonly C[],
  anchor: Outpoint,
  { parent, to, rate, mostFee, replaces }: ExitChildRequest<C>,
): (ExitChildPlan<C> & { readonly short: boolean }) | null {
  const size = exitChildSize(coins.length, to);
  if (size > largestChild) return null;
  const total = coins.reduce<Sats>((all, { amount }) => plus(all, amount), noSats);
  const room = total > dustOf(to) ? minus(total, dustOf(to)) : noSats;
  const relayed = feeUp(parent.vsize + size, relayRate);
  const least = replaces === null ? relayed : plus(replaces, feeUp(size, relayRate));
  const most = lesser(room, mostFee);
  if (most < least) return null;
  const aim = feeUp(parent.vsize + size, Math.max(rate, relayRate));
  const wanted = aim < least ? least : aim;
  const fee = lesser(wanted, most);
  return {
    coins,
    anchor,
    fee,
    left: minus(total, fee),
    rate: Number(fee) / (parent.vsize + size),
    capped: fee < wanted || fee === mostFee,
    short: fee < wanted && room < mostFee,
  };
}

export function anchorOf(parent: Tx): Outpoint | null {
  for (let vout = 0; vout < parent.outputsLength; vout++) {
    const { script = new Uint8Array(), amount = -1n } = parent.getOutput(vout);
    if (isAnchor({ script, amount })) return { txid: parent.id, vout };
  }
  return null;
}

/** Builds and signs a planned child: version 3, as its parent is, and replaceable by a dearer one (BIP 431). */
export function buildExitChild<C extends FeeCoin>(
  plan: ExitChildPlan<C>,
  to: Uint8Array,
  /** BIP-340 signature of the coin's output key over a 32-byte message. */
  sign: (coin: C, message: Uint8Array) => Uint8Array,
): { readonly txid: Txid; readonly bytes: Uint8Array } {
  const tx = newTx({ version: 3, lockTime: 0 });
  const sequence = 0xffff_fffd;
  tx.addInput({
    txid: plan.anchor.txid,
    index: plan.anchor.vout,
    sequence,
    witnessUtxo: { script: anchorScript, amount: 0n },
  });
  for (const { outpoint, script, amount } of plan.coins)
    tx.addInput({ txid: outpoint.txid, index: outpoint.vout, sequence, witnessUtxo: { script, amount } });
  tx.addOutput({ script: to, amount: plan.left });
  const scripts = [anchorScript, ...plan.coins.map(({ script }) => script)];
  const amounts = [sats(0n), ...plan.coins.map(({ amount }) => amount)];
  const signatures = plan.coins.map((coin, i) =>
    sign(coin, tx.preimageWitnessV1(i + 1, scripts, SigHash.DEFAULT, amounts)),
  );
  for (const [i, signature] of signatures.entries()) tx.updateInput(i + 1, { finalScriptWitness: [signature] }, true);
  // Not by `extract`: the witness of an anchor is empty.
  return { txid: tx.id, bytes: tx.toBytes(true, true) };
}
