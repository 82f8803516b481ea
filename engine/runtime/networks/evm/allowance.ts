import type { EvmNetwork } from '../../../domain/chain.ts';
import { asEvmAddress, type EvmAddress } from '../../../domain/evm.ts';
import { fromHex, toHex } from '../../../domain/hex.ts';
import { approvedBy, approveCall } from '../../../legs/evm/calls.ts';
import type { NonceRow, Taker, Takes } from '../../../store/nonces.ts';
import type { Store } from '../../../store/store.ts';
import { takesOf } from './build.ts';
import { simulated, type AccountContext, type Outgoing, type Simulated } from './prepare.ts';
import type { AllowancePolicy } from './rules.ts';
import { readTransaction, variantsOf } from './variants.ts';

export function addressOf(hex: string): EvmAddress {
  return asEvmAddress(fromHex(hex));
}

export function takerOf({ token, contracts }: AllowancePolicy): Taker {
  return { token: toHex(token), spender: toHex(contracts.htlc) };
}

export function isSame(one: { readonly token: string; readonly spender: string | null } | null, taker: Taker): boolean {
  return one?.token === taker.token && one.spender === taker.spender;
}

export function sumOf(takes: readonly (Takes | null)[]): bigint {
  return takes.reduce((sum, one) => sum + (one?.amount ?? 0n), 0n);
}

/** What the locks take that are owed and not signed yet. */
export function owedTo(taker: Taker, network: EvmNetwork, store: Pick<Store, 'effects'>): bigint {
  const locks = store.effects.waitingToSend('lock').filter(({ effect }) => effect.network === network);
  const takes = locks.map(({ effect }) => takesOf(effect));
  return sumOf(takes.filter((one) => isSame(one, taker)));
}

/** What new locks find approved beside what is owed already: two of the largest. */
export function aheadOf(standing: AllowancePolicy | null, taker: Taker): bigint {
  return standing !== null && standing.largest !== null && isSame(takerOf(standing), taker)
    ? 2n * standing.largest
    : 0n;
}

/**
 * What an approval that waits leaves for a lock behind it, once those that wait between them have theirs; null where it
 * approves nothing any more, for its place in the order was given to something else.
 */
export function leftBehind(
  approval: NonceRow,
  rivals: readonly NonceRow[],
  store: Pick<Store, 'transactions'>,
): bigint | null {
  const { latest } = variantsOf(approval, store);
  if (latest !== null && latest.purpose !== 'approve') return null;
  const bytes = latest === null ? null : store.transactions.bytes(latest.txid);
  const approved = bytes === null ? 0n : approvedBy(readTransaction(bytes));
  return approved - sumOf(rivals.filter(({ nonce }) => nonce > approval.nonce).map(({ takes }) => takes));
}

/**
 * An approval, simulated and priced. Some tokens change an allowance to or from zero alone: then it is zero first, and
 * whoever wants the amount asks again once that is mined.
 */
export async function approval(
  outgoing: Omit<Outgoing, 'call' | 'takes' | 'purpose'>,
  { taker, amount, before }: { readonly taker: Taker; readonly amount: bigint; readonly before: bigint },
  context: AccountContext,
): Promise<Simulated> {
  const of = (units: bigint): Outgoing => ({
    ...outgoing,
    purpose: 'approve',
    takes: { ...taker, amount: 0n },
    call: approveCall(addressOf(taker.token), addressOf(taker.spender), units),
  });
  const simulation = await simulated(of(amount), context);
  if (simulation.is === 'priced' || before === 0n || amount === 0n) return simulation;
  return simulated(of(0n), context);
}
