import type { EvmNetwork } from '../../../domain/chain.ts';
import { nativeCoin } from '../../../domain/evm.ts';
import { greater, lesser } from '../../../domain/money.ts';
import { unix } from '../../../domain/time.ts';
import type { EvmEffect } from '../../../legs/evm/effects.ts';
import type { EvmCall, EvmTransaction, GasFees } from '../../../legs/evm/port.ts';
import { evmOf } from '../../ports.ts';
import type { MemoryClaim } from '../act.ts';
import { ifKnown } from '../if-known.ts';
import { budgetOf, cappedAt, ceilingOf, dearer, priceOf, raised } from './gas.ts';
import { mostOf, signedFor } from './gas-to-come.ts';
import { limitOf } from './prepare.ts';
import { isWaiting, readTransaction } from './variants.ts';

/** All that a claim may ever cost counts at once: no disk tells since when it is made. */
export function memoryCeiling(
  { network, value, deadline }: Pick<EvmEffect, 'network' | 'value' | 'deadline'>,
  gas: bigint,
  { evm }: MemoryClaim,
): bigint | null {
  const rules = evm(network);
  const saving = { purpose: 'claim', value, deadline, from: unix(0), charged: null, isSigned: false };
  return ceilingOf(budgetOf(saving, deadline ?? unix(0), rules), gas, rules);
}

/**
 * What gas costs now; where blocks have a base fee, up to half of what the account holds beside what others of its may
 * cost, for what a block does not ask for is not paid. Less the room for an eighth more, a few times: a tip that is too
 * low is raised with the rest.
 */
export async function memoryFees(
  wanted: GasFees,
  { gas, ceiling }: { readonly gas: bigint; readonly ceiling: bigint | null },
  network: EvmNetwork,
  claim: MemoryClaim,
): Promise<GasFees> {
  const fees = cappedAt(wanted, ceiling);
  if (fees.is === 'legacy' || ceiling === null) return fees;
  const port = evmOf(claim.ports, network);
  const held = await ifKnown(() => port.sureBalance(nativeCoin, port.account()));
  let most = lesser(ceiling, ((held ?? 0n) - besides(claim, network)) / (2n * gas));
  for (let raise = 0; raise < raises; raise++) most = (8n * (most - 1n)) / 9n;
  return { ...fees, most: greater(fees.most, most) };
}

const raises = 4;

/** What else of our account may cost that waits for its block. */
function besides({ swap, store }: MemoryClaim, network: EvmNetwork): bigint {
  const claims = store.spareClaims.all().filter((one) => one.network === network && one.swap !== swap);
  const inMemory = claims.reduce((sum, { bytes }) => sum + mostOf(bytes), 0n);
  try {
    return store.nonces
      .open(network)
      .filter(isWaiting)
      .reduce((sum, row) => sum + signedFor(row, store), inMemory);
  } catch {
    return inMemory; // the disk cannot be read either
  }
}

/**
 * The same claim and nonce for more, once gas or the tip is an eighth dearer than it pays; null before, and above the
 * ceiling.
 */
export async function dearerClaim(
  effect: EvmEffect,
  bytes: Uint8Array,
  claim: MemoryClaim,
): Promise<Uint8Array | null> {
  const before = readTransaction(bytes);
  const wanted = await ifKnown(() => evmOf(claim.ports, effect.network).gasFees());
  const least = raised(before.fees);
  if (wanted === null || !(priceOf(wanted) >= priceOf(least) || tipsMore(wanted, least))) return null;
  return signedAnew(before, { effect, wanted, least }, claim);
}

/** With the nonce of a claim of another lock; null where the contract refuses it, or that one pays all that it may. */
export async function claimInstead(
  effect: EvmEffect,
  { bytes, call }: { readonly bytes: Uint8Array; readonly call: EvmCall },
  claim: MemoryClaim,
): Promise<Uint8Array | null> {
  const port = evmOf(claim.ports, effect.network);
  const simulation = await port.simulate(call);
  if (simulation.is === 'reverts') return null;
  const { nonce, fees } = readTransaction(bytes);
  const paying = { effect, wanted: await port.gasFees(), least: raised(fees) };
  return signedAnew({ ...call, nonce, gas: limitOf('claim', simulation.gas) }, paying, claim);
}

async function signedAnew(
  call: Omit<EvmTransaction, 'fees'>,
  { effect, wanted, least }: { readonly effect: EvmEffect; readonly wanted: GasFees; readonly least: GasFees },
  claim: MemoryClaim,
): Promise<Uint8Array | null> {
  const { network } = effect;
  const ceiling = memoryCeiling(effect, call.gas, claim);
  const fees = dearer(least, await memoryFees(wanted, { gas: call.gas, ceiling }, network, claim));
  return ceiling !== null && priceOf(fees) > ceiling ? null : evmOf(claim.ports, network).sign({ ...call, fees }).bytes;
}

function tipsMore(wanted: GasFees, least: GasFees): boolean {
  return wanted.is === 'dynamic' && least.is === 'dynamic' && wanted.tip >= least.tip;
}
