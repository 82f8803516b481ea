import { keccak256 } from 'viem/utils';
import type { EvmNetwork } from '../../../domain/chain.ts';
import { sameBytes } from '../../../domain/hash.ts';
import { toHex } from '../../../domain/hex.ts';
import type { Txid } from '../../../domain/outpoint.ts';
import { unix } from '../../../domain/time.ts';
import { claimCall } from '../../../legs/evm/calls.ts';
import type { EvmEffect } from '../../../legs/evm/effects.ts';
import type { EvmCall, EvmPort } from '../../../legs/evm/port.ts';
import { NotYet } from '../../not-yet.ts';
import { evmOf } from '../../ports.ts';
import type { Store } from '../../../store/store.ts';
import type { MemoryClaim } from '../act.ts';
import { ifKnown } from '../if-known.ts';
import { callOf } from './build.ts';
import type { EvmContext } from './context.ts';
import { budgetOf, cappedAt, ceilingOf, stageOf } from './gas.ts';
import { insertVariant, limitOf, savingOf, type Priced } from './prepare.ts';
import { readTransaction } from './variants.ts';

/**
 * Claims a client's lock without a disk: signed once, with the next nonce that the node knows of, and the very same
 * bytes sent until the lock is not there any more. What another transaction of ours waits for with that nonce is given
 * the next one by its own queue.
 */
export async function claimFromMemory(effect: EvmEffect, claim: MemoryClaim): Promise<boolean> {
  const { act, contracts, network } = effect;
  if (act.is !== 'claim' || contracts === null) return false;
  const port = evmOf(claim.ports, network);
  const { spareClaims } = claim.store;
  claim.half ??= spareClaims.of(claim.swap)?.bytes ?? null;
  const isOver = (): Promise<boolean> => port.isActive(contracts.htlc, act.lock, { agreed: true }).then((is) => !is);
  if (claim.half === null || (await isLost(claim.half, port))) {
    const call = claimCall(contracts, act.lock, claim.preimage);
    const simulation = await port.simulate(call);
    if (simulation.is === 'reverts') return isOver();
    claim.half = await signedClaim({ ...effect, call, estimate: simulation.gas }, claim);
    if (claim.half === null) return false;
    // Before it is sent: the next process neither makes it twice nor wonders whose it is.
    spareClaims.keep({ swap: claim.swap, network, bytes: claim.half });
  }
  const sent = await port.broadcast(claim.half);
  if (sent.is === 'underpriced' || sent.is === 'refused') {
    claim.half = null;
    spareClaims.drop(claim.swap);
  }
  return isOver();
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
  const rules = claim.evm(network);
  // Nobody can raise it later: all that a claim may ever cost counts at once.
  const saving = { purpose: 'claim', value, deadline, from: unix(0), charged: null, isSigned: false };
  const budget = budgetOf(saving, deadline ?? unix(0), rules);
  return port.sign({ ...call, nonce, gas, fees: cappedAt(fees, ceilingOf(budget, gas, rules)) }).bytes;
}

const nextOf = ({ mined, pending }: Awaited<ReturnType<EvmPort['nonces']>>): number => Math.max(mined, pending);

/**
 * Whether it can never be mined, as far as is known: its nonce was another's, or one RPC alone named it and a gap is
 * before it (facts/faults.md 86). What was only sent stays: signed anew, both would be mined and the second one's gas
 * be lost (facts/faults.md 165).
 */
async function isLost(bytes: Uint8Array, port: EvmPort): Promise<boolean> {
  const nonces = await ifKnown(() => port.nonces());
  if (nonces === null) return false;
  const { nonce } = readTransaction(bytes);
  if (nonce > nextOf(nonces)) return true;
  if (nonce >= nonces.mined || nonces.alone === true) return false;
  return (await port.receipt(txidOf(bytes)))?.ok !== true;
}

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
 * it and fail, its gas be lost, and that of the first stand in no ledger. False where nothing was sent, or its place is
 * another's.
 */
export async function savedFromMemory(effect: EvmEffect, context: EvmContext): Promise<boolean> {
  const { act, network, deadline, value } = effect;
  const bytes = act.is === 'claim' ? context.unsaved() : null;
  if (bytes === null) return false;
  const { data, nonce } = readTransaction(bytes);
  if (!sameBytes(data, callOf(effect, context).data)) return false;
  const { subject } = context.row;
  const port = evmOf(context.ports, network);
  const place = { network, account: toHex(port.account()), nonce };
  if (await isLost(bytes, port)) return false;
  // Saved above a gap, thousands of nonces would be filled for it (facts/faults.md 86).
  const { alone = false } = await port.nonces();
  if (alone && nonce > (context.store.nonces.last(place) ?? -1) + 1)
    throw new NotYet(null, `one RPC of ${network} alone names the nonce of a claim that went out from memory`);
  const txid = txidOf(bytes);
  const isSaved = await context.together(() => {
    if (context.store.nonces.next({ ...place, from: nonce }) !== nonce) return false;
    context.answer(
      { is: 'evm.prepared', purpose: act.is, txid },
      {
        prepared(store, now) {
          store.nonces.insert({ ...place, subject, purpose: act.is, deadline, value, takes: null }, now);
          insertVariant(store, { nonce: place, subject, purpose: act.is, txid, bytes, replaces: null }, now);
        },
      },
    );
    return true;
  });
  if (isSaved) context.store.spareClaims.drop(subject);
  return isSaved;
}

/** Nonces of claims that went out from memory and are in a block: no row may tell of them yet. */
export async function minedFromMemory(
  { spareClaims }: Pick<Store, 'spareClaims'>,
  port: Pick<EvmPort, 'receipt'>,
  network: EvmNetwork,
): Promise<ReadonlySet<number>> {
  const nonces = new Set<number>();
  for (const { bytes } of spareClaims.all().filter((claim) => claim.network === network))
    if ((await port.receipt(txidOf(bytes))) !== null) nonces.add(readTransaction(bytes).nonce);
  return nonces;
}
