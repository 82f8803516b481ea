import { asEvmAddress } from '../../../domain/evm.ts';
import { fromHex } from '../../../domain/hex.ts';
import { approveCall, permitCall } from '../../../legs/evm/calls.ts';
import { permit2 } from '../../../legs/evm/deployments.ts';
import type { EvmEffect } from '../../../legs/evm/effects.ts';
import type { NonceRow, Takes } from '../../../store/nonces.ts';
import { NotYet } from '../../not-yet.ts';
import { evmOf } from '../../ports.ts';
import type { EffectContext } from '../context.ts';
import { takesOf } from './build.ts';
import { signed, simulated, type Outgoing } from './prepare.ts';

/** How often a payment waits for what others of ours are about to bring or take: about two minutes. */
const waits = 12;

const addressOf = (hex: string) => asEvmAddress(fromHex(hex));

function sameTaker(one: Takes | null, { token, spender }: Takes): boolean {
  return one?.token === token && one.spender === spender;
}

const sumOf = (takes: readonly (Takes | null)[]): bigint => takes.reduce((sum, one) => sum + (one?.amount ?? 0n), 0n);

function waiting(rows: readonly NonceRow[]): NonceRow[] {
  return rows.filter(({ mined }) => mined === null);
}

/**
 * Whether the account holds what is to leave it, beside what is on its way out already; a sentence where it does not. Throws
 * `NotYet` while an approval is on its way that the HTLC needs first.
 */
export async function lacks(effect: EvmEffect, context: EffectContext): Promise<string | null> {
  const takes = takesOf(effect);
  if (takes === null) return null;
  const port = evmOf(context.ports, effect.network);
  const { token, amount } = takes;
  const held = await port.balance(addressOf(token), port.account());
  const out = waiting(context.store.nonces.open(effect.network));
  const promised = sumOf(out.map((row) => (row.takes?.token === token ? row.takes : null)));
  if (held < promised + amount) {
    // What was promised may be mined already, and not be in the balance any more.
    if (promised > 0n && context.row.attempts < waits) throw new NotYet(null, 'the balance is promised to others');
    return `The account holds ${held} units of 0x${token} on ${effect.network}, and ${promised + amount} are needed: bring more of it there.`;
  }
  return takes.spender === null ? null : allowed(effect, { ...takes, spender: takes.spender }, out, context);
}

/** The allowance is for the locks that wait and no more. It is mined before any of them is simulated. */
async function allowed(
  effect: EvmEffect,
  takes: Takes & { readonly spender: string },
  out: readonly NonceRow[],
  context: EffectContext,
): Promise<string | null> {
  const { network } = effect;
  const { row, store } = context;
  const port = evmOf(context.ports, network);
  const [token, spender] = [addressOf(takes.token), addressOf(takes.spender)];
  const rivals = out.filter((one) => sameTaker(one.takes, takes));
  if (rivals.some(({ purpose }) => purpose === 'approve')) throw new NotYet(1, 'the approval waits to be mined');
  const allowance = await port.allowance(token, port.account(), spender);
  if (allowance >= sumOf(rivals.map((one) => one.takes)) + takes.amount) return null;
  if (allowance >= takes.amount && row.attempts < waits) throw new NotYet(1, 'the allowance is promised to others');
  if (
    store.nonces
      .open(network)
      .some((one) => one.subject === row.subject && one.purpose === 'approve' && one.mined?.ok === false)
  )
    return `The token 0x${takes.token} refuses to be approved for the HTLC.`;
  const others = store.effects
    .waiting(() => undefined)
    .flatMap(({ effect: other }) => {
      const theirs = other.do === 'evm.send' && other.network === network ? takesOf(other) : null;
      return theirs !== null && sameTaker(theirs, takes) ? [theirs] : [];
    });
  const call = approveCall(token, spender, sumOf(others));
  return first(
    { ...sendingOf(effect, row.subject), purpose: 'approve', call, takes: { ...takes, amount: 0n } },
    context,
  );
}

/**
 * Brings a depositor's own permit to its token where Permit2 may not take it yet; a sentence where that cannot be. Throws `NotYet` until
 * it is mined.
 */
export async function permitted(effect: EvmEffect, context: EffectContext): Promise<string | null> {
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
  return first({ ...sendingOf(effect, row.subject), purpose: 'permit', call, takes: null }, context);
}

function sendingOf({ network, deadline, value }: EvmEffect, subject: string) {
  return { network, subject, deadline, value, patient: true } as const;
}

/** A transaction that has to be mined before the act itself is simulated. */
async function first(outgoing: Outgoing, context: EffectContext): Promise<string | null> {
  const simulation = await simulated(outgoing, context);
  if (simulation.is === 'reverts') return `The token refuses: ${simulation.reason}.`;
  const { store, clock } = context;
  store.atomically(() => signed(simulation.priced, store).save(store, clock.now().wall));
  throw new NotYet(1, `the ${outgoing.purpose} waits to be mined`);
}
