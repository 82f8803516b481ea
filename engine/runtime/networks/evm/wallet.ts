import { nativeCoin } from '../../../domain/evm.ts';
import type { EvmPurpose } from '../../../legs/evm/acts.ts';
import { permitCall } from '../../../legs/evm/calls.ts';
import { permit2 } from '../../../legs/evm/deployments.ts';
import type { EvmEffect } from '../../../legs/evm/effects.ts';
import type { NonceRow, Taker, Takes } from '../../../store/nonces.ts';
import { gasOf } from '../../../quote/gas.ts';
import { NotYet } from '../../not-yet.ts';
import { evmOf } from '../../ports.ts';
import type { EvmContext } from './context.ts';
import { addressOf, aheadOf, approval, isSame, isWaiting, leftBehind, owedTo, sumOf } from './allowance.ts';
import { takesOf } from './build.ts';
import { noteOutlay } from './outlay.ts';
import { priceOf } from './gas.ts';
import { signed, simulated, type Priced, type Simulated } from './prepare.ts';

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
  const held = await port.balance(addressOf(token), port.account());
  const out = context.store.nonces.open(effect.network).filter(isWaiting);
  const promised = sumOf(out.map((row) => (row.takes?.token === token ? row.takes : null)));
  if (held < promised + amount) {
    // What was promised may be mined already, and not be in the balance any more.
    if (promised > 0n && context.row.attempts < waits) throw new NotYet(null, 'the balance is promised to others');
    return (
      `The account holds ${held} units of 0x${token} on ${effect.network}, and ${promised + amount} are needed: ` +
      'bring more of it there.'
    );
  }
  return takes.spender === null ? null : allowed(effect, { ...takes, spender: takes.spender }, out, context);
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
  const allowance = await port.allowance(addressOf(taker.token), port.account(), addressOf(taker.spender));
  const approvals = rivals.filter(({ purpose }) => purpose === 'approve');
  const isEnough = allowance >= sumOf(rivals.map((one) => one.takes)) + amount;
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
  const [held, cost] = [await port.balance(nativeCoin, port.account()), gas * priceOf(fees)];
  if (held < cost)
    throw new NotYet(null, `the account holds ${held} wei, and the deployment may cost ${cost}: send it some`, true);
}

/**
 * Throws `NotYet` where the account could not pay for something that is not its own to take, and for a claim of each
 * that waits and one more: what it cannot pay would stand before every later claim of ours (facts/faults.md 166).
 */
export async function spares({ outgoing, gas, fees, port }: Priced, { store }: EvmContext): Promise<void> {
  const held = await port.balance(nativeCoin, port.account());
  const waiting = store.nonces.open(outgoing.network).filter(isWaiting).length;
  const cost = outgoing.call.value + priceOf(fees) * (gas + BigInt(waiting + 1) * gasOf.claim);
  if (held < cost)
    throw new NotYet(null, `the account holds ${held} wei, and ${cost} are kept for gas of claims: send it some`);
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
  if ((await evmOf(context.ports, network).allowance(token, depositor, permit2)) >= amount) return null;
  const before = store.transactions.of(row.subject).find(({ purpose }) => purpose === 'permit');
  if (before !== undefined) {
    const mined = store.nonces.ofTransaction(before.txid)?.mined ?? null;
    if (mined === null || row.attempts < waits) throw new NotYet(1, 'the permit of the token waits to be mined');
    return 'The permit of the token does not let Permit2 take the amount.';
  }
  const call = permitCall(act.permit, tokenPermit);
  const outgoing = { ...sendingOf(effect, row.subject), purpose: 'permit', call, takes: null } as const;
  return first('permit', await simulated(outgoing, context), context);
}

function sendingOf({ network, deadline, value }: EvmEffect, subject: string) {
  return { network, subject, deadline, value, patient: true } as const;
}

/** A transaction that has to be mined before the act itself is simulated. */
function first(purpose: EvmPurpose, simulation: Simulated, context: EvmContext): string {
  if (simulation.is === 'reverts') return `The token refuses: ${simulation.reason}.`;
  const { store, clock } = context;
  const { priced } = simulation;
  store.atomically(() => {
    const now = clock.now().wall;
    const { nonce, save } = signed(priced, store);
    save(store, now);
    noteOutlay(priced, nonce, context)(store, now);
  });
  throw new NotYet(1, `the ${purpose} waits to be mined`);
}
