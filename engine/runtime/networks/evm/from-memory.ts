import { keccak256 } from 'viem/utils';
import { sameBytes } from '../../../domain/hash.ts';
import { toHex } from '../../../domain/hex.ts';
import { unix } from '../../../domain/time.ts';
import { claimCall } from '../../../legs/evm/calls.ts';
import type { EvmEffect } from '../../../legs/evm/effects.ts';
import { evmOf } from '../../ports.ts';
import type { MemoryClaim } from '../act.ts';
import { callOf } from './build.ts';
import type { EvmContext } from './context.ts';
import { budgetOf, cappedAt, ceilingOf } from './gas.ts';
import { insertVariant, limitOf } from './prepare.ts';
import { readTransaction } from './variants.ts';

/**
 * Claims a client's lock without a disk: signed once, with the next nonce that the node knows of, and the very same
 * bytes sent until the lock is not there any more. What another transaction of ours waits for with that nonce is given
 * the next one by its own queue.
 */
export async function claimFromMemory(effect: EvmEffect, claim: MemoryClaim): Promise<boolean> {
  const { act, contracts, network, value, deadline } = effect;
  if (act.is !== 'claim' || contracts === null) return false;
  const port = evmOf(claim.ports, network);
  const isOver = async (): Promise<boolean> => !(await port.isActive(contracts.htlc, act.lock, { agreed: true }));
  let bytes = claim.half;
  if (bytes === null) {
    const call = claimCall(contracts, act.lock, claim.preimage);
    const simulation = await port.simulate(call);
    if (simulation.is === 'reverts') return isOver();
    const [fees, nonces] = await Promise.all([port.gasFees(), port.nonces()]);
    const nonce = Math.max(nonces.mined, nonces.pending);
    const gas = limitOf(act.is, simulation.gas);
    const rules = claim.evm(network);
    // Nobody can raise it later: all that a claim may ever cost counts at once.
    const budget = budgetOf({ purpose: act.is, value, deadline, from: unix(0) }, deadline ?? unix(0), rules);
    bytes = port.sign({ ...call, nonce, gas, fees: cappedAt(fees, ceilingOf(budget, gas, rules)) }).bytes;
    // A nonce that one RPC alone names may have a gap before it: the next try asks again (facts/faults.md 86).
    claim.half = nonces.alone === true ? null : bytes;
  }
  const sent = await port.broadcast(bytes);
  // Its nonce is taken, maybe by itself: signed anew where the lock still stands.
  if (sent.is === 'nonce-used' || sent.is === 'refused') claim.half = null;
  return isOver();
}

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
  const place = { network, account: toHex(evmOf(context.ports, network).account()), nonce };
  const txid = keccak256(bytes).slice(2);
  return context.together(() => {
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
}
