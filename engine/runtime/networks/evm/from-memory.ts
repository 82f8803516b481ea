import { keccak256 } from 'viem/utils';
import type { EvmNetwork } from '../../../domain/chain.ts';
import { sameBytes } from '../../../domain/hash.ts';
import { toHex } from '../../../domain/hex.ts';
import type { Txid } from '../../../domain/outpoint.ts';
import { claimCall } from '../../../legs/evm/calls.ts';
import type { EvmEffect } from '../../../legs/evm/effects.ts';
import type { EvmCall, EvmPort, EvmReceipt } from '../../../legs/evm/port.ts';
import type { Nonce } from '../../../store/nonces.ts';
import type { Store } from '../../../store/store.ts';
import { NotYet } from '../../not-yet.ts';
import { evmOf } from '../../ports.ts';
import type { MemoryClaim } from '../act.ts';
import { ifKnown } from '../if-known.ts';
import { callOf, lockOf } from './build.ts';
import type { EvmContext } from './context.ts';
import { stageOf } from './gas.ts';
import { claimInstead, dearerClaim, memoryCeiling, memoryFees } from './memory-gas.ts';
import { insertVariant, limitOf, savingOf, type Priced } from './prepare.ts';
import { readTransaction } from './variants.ts';

/**
 * Claims a client's lock without a disk: signed with the next nonce that the node knows of, and sent until the lock is
 * not there any more; with the same nonce anew where it cannot pay what gas costs by then (facts/faults.md 285). What
 * another transaction of ours waits for with that nonce is given the next one by its own queue. A claim of a lock that
 * another took the place of gives way with its nonce, so that of the two one is mined (facts/faults.md 310).
 */
export async function claimFromMemory(effect: EvmEffect, claim: MemoryClaim): Promise<boolean> {
  const { act, contracts, network } = effect;
  if (act.is !== 'claim' || contracts === null) return false;
  const port = evmOf(claim.ports, network);
  const { spareClaims } = claim.store;
  const spare = spareClaims.of(claim.swap);
  let former = spare?.former ?? [];
  claim.half ??= spare?.bytes ?? null;
  const isOver = (): Promise<boolean> => port.isActive(contracts.htlc, act.lock, { agreed: true }).then((is) => !is);
  const call = claimCall(contracts, act.lock, claim.preimage);
  if (claim.half === null || (await isLost([claim.half, ...former], port))) {
    const simulation = await port.simulate(call);
    if (simulation.is === 'reverts') return isOver();
    claim.half = await signedClaim({ ...effect, call, estimate: simulation.gas }, claim);
    if (claim.half === null) return false;
    former = [];
    // Before it is sent: the next process neither makes it twice nor wonders whose it is.
    spareClaims.keep({ swap: claim.swap, network, bytes: claim.half });
  } else {
    const isOther = !sameBytes(readTransaction(claim.half).data, call.data);
    const dearer = isOther
      ? await claimInstead(effect, { bytes: claim.half, call }, claim)
      : await dearerClaim(effect, claim.half, claim);
    if (isOther && dearer === null) return isOver();
    if (dearer !== null) {
      former = [claim.half, ...former];
      claim.half = dearer;
      spareClaims.keep({ swap: claim.swap, network, bytes: dearer, former });
    }
  }
  const sent = await port.broadcast(claim.half);
  if (sent.is === 'underpriced' || sent.is === 'refused') await fallBack(former, network, port, claim);
  return isOver();
}

/**
 * What was sent before with the nonce of a claim that is not taken may be mined still: another nonce would be a second
 * claim. The next look makes the dearer one again, so nobody else would send the one before (facts/faults.md 305). One
 * that is refused as well gives way to the one before it; where none is left, a claim at the price of now is signed.
 */
async function fallBack(
  former: readonly Uint8Array[],
  network: EvmNetwork,
  port: EvmPort,
  claim: MemoryClaim,
): Promise<void> {
  const { spareClaims } = claim.store;
  for (const [i, bytes] of former.entries()) {
    claim.half = bytes;
    spareClaims.keep({ swap: claim.swap, network, bytes, former: former.slice(i + 1) });
    if ((await port.broadcast(bytes)).is !== 'refused') return;
  }
  claim.half = null;
  spareClaims.drop(claim.swap);
}

/** Null where its queue has one that was saved before the disk failed, and sends it. */
async function signedClaim(
  { network, value, deadline, call, estimate }: EvmEffect & { readonly call: EvmCall; readonly estimate: bigint },
  claim: MemoryClaim,
): Promise<Uint8Array | null> {
  const port = evmOf(claim.ports, network);
  const [fees, nonces] = await Promise.all([port.gasFees(), port.nonces()]);
  const nonce = nextOf(nonces);
  if (isQueued(claim, network, nonce)) return null;
  const gas = limitOf('claim', estimate);
  const ceiling = memoryCeiling({ network, value, deadline }, gas, claim);
  const paid = await memoryFees(fees, { gas, ceiling }, network, claim);
  return port.sign({ ...call, nonce, gas, fees: paid }).bytes;
}

const nextOf = ({ mined, pending }: Awaited<ReturnType<EvmPort['nonces']>>): number => Math.max(mined, pending);

/**
 * Whether it can never be mined, as far as is known: its nonce was another's, or one RPC alone named it and a gap is
 * before it (facts/faults.md 86). What was only sent stays: signed anew, both would be mined and the second one's gas
 * be lost (facts/faults.md 165). `counts`: what a block makes of one that is not lost; as a rule it was carried out.
 */
async function isLost(
  variants: readonly [Uint8Array, ...Uint8Array[]],
  port: EvmPort,
  counts: (receipt: EvmReceipt | null) => boolean = (receipt) => receipt?.ok === true,
): Promise<boolean> {
  const nonces = await ifKnown(() => port.nonces());
  if (nonces === null) return false;
  const { nonce } = readTransaction(variants[0]);
  if (nonce > nextOf(nonces)) return true;
  if (nonce >= nonces.mined || nonces.alone === true) return false;
  const receipts = await Promise.all(variants.map((bytes) => port.receipt(txidOf(bytes))));
  return !receipts.some(counts);
}

const isMined = (receipt: EvmReceipt | null): boolean => receipt !== null;

const txidOf = (bytes: Uint8Array): Txid => keccak256(bytes).slice(2) as Txid;

/** What lies before it in its queue, and no claim, is sent once there is room on the disk and not before. */
function isQueued({ swap, store }: MemoryClaim, network: EvmNetwork, from: number): boolean {
  try {
    const own = store.nonces.openOf(network, swap).find(({ purpose, mined }) => purpose === 'claim' && mined === null);
    return (
      own !== undefined &&
      store.nonces
        .open(network)
        .every(({ nonce, purpose }) => nonce < from || nonce >= own.nonce || purpose === 'claim')
    );
  } catch {
    return false; // the disk cannot be read either
  }
}

/**
 * Waits a while for a transaction of our account that no row names: it may be this very claim, sent from memory before
 * the process died.
 */
export function notTwice({ outgoing, from, mined }: Priced, context: EvmContext): void {
  const { store, ports, row, clock } = context;
  const { network } = outgoing;
  const account = toHex(evmOf(ports, network).account());
  const clocks = clock.now();
  const isLast = stageOf(savingOf(outgoing, context), clocks[network]?.mtp ?? clocks.wall) === 'last';
  if (isLast || row.attempts >= waitsForUnknown) return;
  if (store.nonces.next({ network, account, from: mined }) < from)
    throw new NotYet(null, `a transaction of ours waits on ${network} that may be this claim, sent before a crash`);
}

/** Attempts, a minute and a half in all. */
const waitsForUnknown = 10;

/**
 * Saves what was sent for this claim from memory, in its place among the account's: another one would be mined behind
 * it and fail, its gas be lost, and that of the first stand in no ledger. What failed, or claims a lock that this one
 * took the place of, is saved as what it is, and answers for none (facts/faults.md 291). False where no claim of this
 * lock was saved.
 */
export async function savedFromMemory(effect: EvmEffect, context: EvmContext): Promise<boolean> {
  const { act, network } = effect;
  const bytes = act.is === 'claim' ? context.unsaved() : null;
  if (bytes === null) return false;
  const { store, row, clock } = context;
  const variants = [bytes, ...(store.spareClaims.of(row.subject)?.former ?? [])] as const;
  const { data, nonce } = readTransaction(bytes);
  const port = evmOf(context.ports, network);
  const place = { network, account: toHex(port.account()), nonce };
  const claims = sameBytes(data, callOf(effect, context).data) && !(await isLost(variants, port));
  if (!claims && (await isLost(variants, port, isMined))) return false;
  // Saved above a gap, thousands of nonces would be filled for it (facts/faults.md 86).
  const { alone = false } = await port.nonces();
  if (alone && nonce > (store.nonces.last(place) ?? -1) + 1) {
    if (!claims) return false;
    throw new NotYet(null, `one RPC of ${network} alone names the nonce of a claim that went out from memory`);
  }
  const isSaved = await context.together(() => {
    if (store.nonces.next({ ...place, from: nonce }) !== nonce) return false;
    const sent = insertion(variants, place, effect, row.subject);
    if (claims) context.answer({ is: 'evm.prepared', purpose: act.is, txid: txidOf(bytes), ...lockOf(act) }, { sent });
    else store.atomically(() => sent(store, clock.now().wall));
    return true;
  });
  if (isSaved) store.spareClaims.drop(row.subject);
  return claims && isSaved;
}

/** A nonce and all that was signed with it, the last first. */
function insertion(
  variants: readonly Uint8Array[],
  place: Nonce,
  { act: { is: purpose }, deadline, value }: EvmEffect,
  subject: string,
): (store: Pick<Store, 'nonces' | 'transactions'>, now: number) => void {
  return (store, now) => {
    store.nonces.insert({ ...place, subject, purpose, deadline, value, takes: null }, now);
    let replaces: Txid | null = null;
    for (const bytes of variants.toReversed()) {
      const txid = txidOf(bytes);
      insertVariant(store, { nonce: place, subject, purpose, txid, bytes, replaces }, now);
      replaces = txid;
    }
  };
}

/** Nonces of claims that went out from memory and are in a block: no row may tell of them yet. */
export async function minedFromMemory(
  { spareClaims }: Pick<Store, 'spareClaims'>,
  port: Pick<EvmPort, 'receipt'>,
  network: EvmNetwork,
): Promise<ReadonlySet<number>> {
  const nonces = new Set<number>();
  for (const { bytes, former = [] } of spareClaims.all().filter((claim) => claim.network === network))
    for (const one of [bytes, ...former])
      if ((await port.receipt(txidOf(one))) !== null) nonces.add(readTransaction(one).nonce);
  return nonces;
}
