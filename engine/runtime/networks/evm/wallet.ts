import type { EvmNetwork } from '../../../domain/chain.ts';
import { coinDecimals, nativeCoin, type EvmAddress } from '../../../domain/evm.ts';
import { sameBytes } from '../../../domain/hash.ts';
import type { EvmPurpose } from '../../../legs/evm/acts.ts';
import { isTooSilent } from '../../../legs/evm/agreement.ts';
import { permitCall } from '../../../legs/evm/calls.ts';
import { permit2 } from '../../../legs/evm/deployments.ts';
import type { EvmEffect } from '../../../legs/evm/effects.ts';
import type { NonceRow, Taker, Takes } from '../../../store/nonces.ts';
import { gasOf } from '../../../quote/gas.ts';
import { unitsOfSats } from '../../../quote/token-price.ts';
import { NotYet } from '../../not-yet.ts';
import { evmOf } from '../../ports.ts';
import type { EvmContext } from './context.ts';
import { addressOf, aheadOf, approval, isSame, leftBehind, owedTo, sumOf } from './allowance.ts';
import { takesOf } from './build.ts';
import { laterCost } from './gas-to-come.ts';
import { noteOutlay } from './outlay.ts';
import { priceOf } from './gas.ts';
import { promisedBeside, takersOf } from './promises.ts';
import { signed, simulated, type Priced, type Simulated } from './prepare.ts';
import { isWaiting } from './variants.ts';

/** How often a payment waits for what others of ours are about to bring or take: about two minutes. */
const waits = 12;

/**
 * Whether the account holds what is to leave it, beside what is on its way out already; a sentence where it does not.
 * Throws `NotYet` while an approval is on its way that the HTLC needs first.
 */
export async function lacks(effect: EvmEffect, context: EvmContext): Promise<string | null> {
  const takes = takesOf(effect);
  if (takes === null) return null;
  const port = evmOf(context.ports, effect.network);
  const { token, amount } = takes;
  const out = context.store.nonces.open(effect.network).filter(isWaiting);
  const promised = sumOf(out.map((row) => (row.takes?.token === token ? row.takes : null)));
  const takers = takersOf(token, out);
  const reserved =
    effect.act.is === 'pay' ? await reservedBeside(effect.act.token, takers, effect.network, context) : 0n;
  const needed = promised + reserved + amount;
  const held = await port.balance(addressOf(token), port.account(), needed);
  if (held < needed) {
    // The word of one would end a swap that its client has funded (facts/faults.md 258); its own time ends the wait.
    if (effect.act.is === 'lock' && isTooSilent(port.rpcs()))
      throw new NotYet(null, 'too few RPCs answer to agree that the balance is too low');
    // What was promised may be mined already, and not be in the balance any more; or its swap does not know so yet.
    const isShort = promised > 0n || (reserved > 0n && isAnyMined(effect.network, token, context.store));
    if (isShort && context.row.attempts < waits) throw new NotYet(null, 'the balance is promised to others');
    return (
      `The account holds ${held} units of 0x${token} on ${effect.network}, and ${needed} are needed` +
      `${reserved > 0n ? ' with what is promised to swaps' : ''}: bring more of it there.`
    );
  }
  return takes.spender === null ? null : allowed(effect, { ...takes, spender: takes.spender }, out, context);
}

/**
 * Units of a token that are promised to others and not signed away: a lock on its way is among those that take it
 * (facts/faults.md 309). What the balances call free counts a lock nowhere that was signed since the account was read
 * (facts/faults.md 280).
 */
async function reservedBeside(
  token: EvmAddress,
  takers: readonly string[],
  network: EvmNetwork,
  context: EvmContext,
): Promise<bigint> {
  const { row, ports, evm, store } = context;
  const { pegged } = evm(network);
  if (pegged === null || !sameBytes(pegged, token)) return 0n;
  const isCoin = sameBytes(token, nativeCoin);
  const decimals = isCoin ? coinDecimals : (await evmOf(ports, network).token(token, { agreed: true })).decimals;
  return unitsOfSats(promisedBeside([row.subject, ...takers], network, store), decimals);
}

/** Whether a block has a lock, not buried yet, of a swap that still counts as promised what it took. */
function isAnyMined(network: EvmNetwork, token: string, { nonces, reservations }: EvmContext['store']): boolean {
  const mined = nonces.open(network).filter((row) => row.mined?.ok === true);
  return takersOf(token, mined).some((subject) => reservations.ofSwap(subject).length > 0);
}

/**
 * The allowance is for the locks that wait, and for what is kept ahead of new ones. It is mined before any of them is
 * simulated. A lock behind an approval that waits still needs both: what is allowed now, should that one fail, and what
 * it leaves.
 */
async function allowed(
  effect: EvmEffect,
  takes: Takes & Taker,
  out: readonly NonceRow[],
  context: EvmContext,
): Promise<string | null> {
  const { network } = effect;
  const { row, store } = context;
  const port = evmOf(context.ports, network);
  const { amount, ...taker } = takes;
  const rivals = out.filter((one) => isSame(one.takes, taker));
  const least = sumOf(rivals.map((one) => one.takes)) + amount;
  const allowance = await port.allowance(addressOf(taker.token), port.account(), addressOf(taker.spender), least);
  const approvals = rivals.filter(({ purpose }) => purpose === 'approve');
  const isEnough = allowance >= least;
  if (isEnough && approvals.every((one) => (leftBehind(one, rivals, store) ?? amount) >= amount)) return null;
  if (approvals.length > 0) throw new NotYet(1, 'the approval waits to be mined');
  const ahead = aheadOf(context.evm(network).standing, taker);
  if (ahead === 0n && allowance >= amount && row.attempts < waits)
    throw new NotYet(1, 'the allowance is promised to others');
  const before = store.nonces.openOf(network, row.subject);
  if (before.some(({ purpose, mined }) => purpose === 'approve' && mined?.ok === false))
    return `The token 0x${taker.token} refuses to be approved for the HTLC.`;
  const simulation = await approval(
    sendingOf(effect, row.subject),
    { taker, amount: owedTo(taker, network, store) + ahead, before: allowance },
    context,
  );
  return first('approve', simulation, context);
}

/**
 * Throws `NotYet` where the account holds less than a deployment may cost: no node takes such a transaction, and
 * whatever is signed after it waits.
 */
export async function affords({ gas, fees, port }: Priced): Promise<void> {
  const cost = gas * priceOf(fees);
  const held = await port.balance(nativeCoin, port.account(), cost);
  if (held < cost)
    throw new NotYet(null, `the account holds ${held} wei, and the deployment may cost ${cost}: send it some`, true);
}

/**
 * Throws `NotYet` where the account could not pay for something that is not its own to take, for all that it may have
 * to claim and to take back, and for one more claim or refund: what it cannot pay would stand before every later claim
 * of ours (facts/faults.md 166), and of a lock it could not pay the refund (facts/faults.md 255).
 */
export async function spares({ outgoing, gas, fees, port }: Priced, { gasToCome }: EvmContext): Promise<void> {
  const { network, subject, purpose, call } = outgoing;
  const price = priceOf(fees);
  const isLock = purpose === 'lock';
  const needed = (): bigint => {
    const later = laterCost(gasOf.claim, price) + gasToCome.beside(network, isLock ? subject : null, price);
    return call.value + price * gas + later;
  };
  // The word of one would stop all that is begun (facts/faults.md 283).
  const held = await port.balance(nativeCoin, port.account(), needed());
  // What was signed meanwhile counts as well.
  const cost = needed();
  if (held < cost)
    throw new NotYet(null, `the account holds ${held} wei, and ${cost} are kept for gas of claims: send it some`);
  if (isLock) gasToCome.add(subject);
}

/**
 * Brings a depositor's own permit to its token where Permit2 may not take it yet; a sentence where that cannot be.
 * Throws `NotYet` until it is mined.
 */
export async function permitted(effect: EvmEffect, context: EvmContext): Promise<string | null> {
  const { act, network } = effect;
  if (act.is !== 'relay-fund' || act.permit.tokenPermit === undefined) return null;
  const { row, store } = context;
  const { depositor, token, amount, tokenPermit } = act.permit;
  if ((await evmOf(context.ports, network).allowance(token, depositor, permit2, amount)) >= amount) return null;
  const before = permitOf(row.subject, store);
  if (before !== null) {
    if (before.mined === null || row.attempts < waits) throw new NotYet(1, 'the permit of the token waits to be mined');
    return 'The permit of the token does not let Permit2 take the amount.';
  }
  const call = permitCall(act.permit, tokenPermit);
  const outgoing = { ...sendingOf(effect, row.subject), purpose: 'permit', call, takes: null } as const;
  return first('permit', await simulated(outgoing, context), context);
}

/**
 * The last permit that was brought for a swap; null where there is none, or another transaction stands in its place:
 * waited for, the relay would never be sent (facts/faults.md 188).
 */
function permitOf(subject: string, { nonces, transactions }: EvmContext['store']): NonceRow | null {
  const last = transactions.of(subject).findLast(({ purpose }) => purpose === 'permit');
  const row = last === undefined ? null : nonces.ofTransaction(last.txid);
  if (row === null || row.state === 'gone') return null;
  const isCancelled = row.mined !== null && transactions.byId(row.mined.by)?.purpose === 'cancel';
  return isCancelled ? null : row;
}

function sendingOf({ network, deadline, value }: EvmEffect, subject: string) {
  return { network, subject, deadline, value, patient: true } as const;
}

/** A transaction that has to be mined before the act itself is simulated. */
async function first(purpose: EvmPurpose, simulation: Simulated, context: EvmContext): Promise<string> {
  if (simulation.is === 'reverts') return `The token refuses: ${simulation.reason}.`;
  const { store, clock } = context;
  const { priced } = simulation;
  await spares(priced, context);
  store.atomically(() => {
    const now = clock.now().wall;
    const { nonce, save } = signed(priced, store);
    save(store, now);
    noteOutlay(priced, nonce, context)(store, now);
  });
  context.onSigned(priced.outgoing.network);
  throw new NotYet(1, `the ${purpose} waits to be mined`);
}
