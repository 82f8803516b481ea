import type { Config } from '../../config.ts';
import type { EvmAddress } from '../../domain/evm.ts';
import { sameBytes } from '../../domain/hash.ts';
import { toHex } from '../../domain/hex.ts';
import type { Sats } from '../../domain/money.ts';
import type { Outpoint } from '../../domain/outpoint.ts';
import { holderOf } from '../../domain/site.ts';
import { payersIn } from '../../legs/arkade/payers.ts';
import type { Core } from '../../runtime/core.ts';
import type { Whose } from '../../store/outlays.ts';
import type { SwapRow } from '../../store/swaps.ts';
import type { SwapDeposit } from '../deposit/swap-deposit.ts';
import type { Direction, Directions } from '../directions/direction.ts';

/** What is read of the node by who counts what swaps cost that bring no fee. */
export interface UnpaidContext {
  readonly runtime: Core;
  readonly directions: Directions;
  readonly config: Config;
}

/** What clients go by, and whose word it is. */
export interface Paying {
  readonly context: UnpaidContext;
  /** By swap, where its request came from; after a restart, of those that their lock is promised to. */
  readonly openedBy: Map<string, string | null>;
  /** By swap, the account whose own signature a relay of it brought. */
  readonly signers: Map<string, string>;
  /** By swap, the keys whose coins paid for it on Arkade, once somebody waiting. */
  readonly payers: Map<string, readonly string[]>;
}

export function accountName(address: EvmAddress): string {
  return `account:${toHex(address)}`;
}

/** By the address of a request, or by its site where it has one (facts/faults.md 324). */
export function addressName(client: string): string {
  return `address:${holderOf(client)}`;
}

export function directionOf({ context }: Paying, row: SwapRow): Direction | null {
  return context.directions.of(row.machine);
}

export function havePaid({ context }: Paying, names: readonly string[]): boolean {
  return names.some((name) => context.runtime.store.outlays.hasPaid(name));
}

/** Whether the clients of a direction show before our lock who they are: by what they lock, or by what pays. */
export function showsWhoPays({ source }: Direction): boolean {
  return source === 'evm' || source === 'Arkade';
}

/** What the client of a swap was charged for it; the terms of every direction say it. */
export function chargesOf({ terms }: SwapRow): { readonly feeSats: Sats; readonly networkFeeSats: Sats } {
  return terms as ReturnType<typeof chargesOf>;
}

/** Whoever made the lock, where it is seen: the account that a create named may be anybody's. */
export function accountOf(own: Paying, row: SwapRow): EvmAddress | null {
  const direction = directionOf(own, row);
  const deposit = direction?.deposit(row) ?? null;
  return deposit === null
    ? (direction?.claim(row)?.lock.claimAddress ?? null)
    : (depositorOf(deposit) ?? deposit.terms.clientAddress);
}

/** The names that the client of a swap goes by, and whether it is known by one that it proved. */
export function whose(own: Paying, row: SwapRow): Whose {
  const { openedBy } = own;
  const isOwners = openedBy.get(row.id) === null;
  return { clients: namesOf(own, row), paidBefore: isOwners || havePaid(own, provenOf(own, row)) };
}

/** The keys whose coins paid for a swap on Arkade, asked of its operator once. */
export async function payersOf(own: Paying, row: SwapRow): Promise<readonly string[]> {
  const { context, payers } = own;
  const before = payers.get(row.id);
  if (before !== undefined) return before;
  const coin = directionOf(own, row)?.vhtlc(row)?.byClient === undefined ? null : coinOf(row);
  const { arkade } = context.runtime.ports;
  if (coin === null || arkade === null) return [];
  // An operator that does not answer is no word against anybody: the lock waits for it.
  const psbt = (await arkade.virtualTxs([coin.txid])).get(coin.txid);
  if (psbt === undefined) return [];
  const names = payersIn(psbt, coin.txid).map((script) => `arkade:${toHex(script)}`);
  payers.set(row.id, names);
  return names;
}

/** What only the client of the swap can have shown. */
export function provenOf(own: Paying, row: SwapRow): readonly string[] {
  const { signers, payers } = own;
  const depositor = directionOf(own, row)?.deposit(row)?.own?.depositor ?? null;
  // Once there is a lock, it is of whoever made it, whatever was signed before.
  const account = depositor === null ? signers.get(row.id) : accountName(depositor);
  return [...(payers.get(row.id) ?? []), ...(account === undefined ? [] : [account])];
}

function namesOf(own: Paying, row: SwapRow): readonly string[] {
  const { openedBy, payers } = own;
  const address = openedBy.get(row.id) ?? null;
  const account = accountOf(own, row);
  return [
    ...(address === null ? [] : [addressName(address)]),
    ...(account === null ? [] : [accountName(account)]),
    ...(payers.get(row.id) ?? []),
  ];
}

/** Of a swap that is over its lock stands among those that are left, and the one that is being given back is meant. */
function depositorOf({ own, extras, refund }: SwapDeposit): EvmAddress | null {
  const left = extras.find(({ key }) => refund !== null && sameBytes(key, refund.key)) ?? extras[0];
  return (own ?? left)?.depositor ?? null;
}

/** The coin of a swap that its client funds on Arkade, in every state that has one. */
function coinOf({ progress }: SwapRow): Outpoint | null {
  return (progress as { readonly coin?: Outpoint }).coin ?? null;
}
