import type { EvmNetwork } from '../../domain/chain.ts';
import { isRefusal, type Refusal } from '../../domain/errors.ts';
import type { EvmAddress } from '../../domain/evm.ts';
import type { Preimage } from '../../domain/hash.ts';
import { sats, type Sats } from '../../domain/money.ts';
import { unix, type Clocks, type Unix } from '../../domain/time.ts';
import type { DecodeInvoice } from '../../legs/lightning/invoice.ts';
import type { TimeoutPolicy } from '../../legs/timeout-policy.ts';
import type { OrderedExchange } from '../evm/exchange.ts';
import type { EvmOrderTerms } from '../evm/terms.ts';
import type { Agreed, OrderTerms } from '../terms.ts';
import { distrust, read } from '../verify.ts';
import type { OperatorOverTime } from './operator.ts';
import type { z } from 'zod';

/*
 * A swap of ours, found again with its database gone: from the seed its keys and its secret, from the provider the
 * rest. A provider that says nothing of a swap hides it; one that says something wrong is refused by what the seed and
 * the networks say.
 */

/** What is derived again, and read by ourselves, for one record. */
export interface Restoring {
  readonly agreed: Agreed;
  readonly secret: Preimage;
  readonly decodeInvoice: DecodeInvoice;
  /** Where our wallet on Arkade is paid: whatever is claimed goes there, whatever the record says. */
  readonly arkadeAddress: string;
  /** Rejects while there is none. */
  operator(): OperatorOverTime;
  /** The chain as we read it, with the account that the record names, which must be one of ours. */
  evm(chainId: number, account: string, value: Sats): Promise<Omit<EvmOrderTerms, 'gasless'> | Refusal>;
  /** Our own exchange there, for a token that no swap locks; invalid where it is none that the owner named. */
  exchange(chainId: number, token: EvmAddress): Promise<OrderedExchange | Refusal>;
}

/** A record as it was when it was made, and what was asked for then as far as anybody can tell. */
export interface Recovered<T extends OrderTerms> {
  readonly record: unknown;
  readonly terms: T;
  readonly value: Sats;
}

/** What a direction knows of its swaps when they are found again. */
export interface Restorable<T extends OrderTerms = OrderTerms> {
  /**
   * The field of a record with a key of ours, or with the hash of a secret of ours; `client_evm_address` where only an
   * account is.
   */
  readonly ours:
    | 'sender_pk'
    | 'receiver_pk'
    | 'btc_user_claim_pk'
    | 'btc_user_refund_pk'
    | 'hash_lock'
    | 'evm_hash_lock'
    | 'client_evm_address';
  recovered(given: unknown, from: Restoring): Promise<Recovered<T> | Refusal>;
}

/** What came to a record after the create. */
const later: ReadonlySet<string> = new Set([
  'index',
  'direction',
  'surplus_amount',
  'returned_amount',
  'arkade_fund_txid',
  'arkade_claim_txid',
  'btc_fund_txid',
  'btc_fund_vout',
  'btc_claim_txid',
  'evm_fund_txid',
  'evm_claim_txid',
]);

/**
 * The answer to the create, as far as it can be had from what a swap is now. `instead`: what nothing of ours goes by
 * any more.
 */
export function asCreated(given: unknown, instead: Readonly<Record<string, unknown>> = {}): unknown {
  const fields = typeof given === 'object' && given !== null ? Object.entries(given) : [];
  return { ...Object.fromEntries(fields.filter(([name]) => !later.has(name))), status: 'pending', ...instead };
}

/** Read as its direction says it, as it was when it was made. */
export function readCreated<S extends z.ZodType>(schema: S, given: unknown): z.infer<S> | Refusal {
  return read(schema, asCreated(given));
}

/** A decimal text that a record says, in sats. */
export function satsIn(text: string): Sats | Refusal {
  return /^\d{1,16}$/.test(text) ? sats(BigInt(text)) : distrust('its amounts exceed 21M bitcoin');
}

/** Both amounts of a record that says them in sats. */
export function amountsIn(record: {
  readonly source_amount: string;
  readonly target_amount: string;
}): { readonly sourceAmount: Sats; readonly targetAmount: Sats } | Refusal {
  const sourceAmount = satsIn(record.source_amount);
  if (isRefusal(sourceAmount)) return sourceAmount;
  const targetAmount = satsIn(record.target_amount);
  return isRefusal(targetAmount) ? targetAmount : { sourceAmount, targetAmount };
}

/**
 * The clocks at a create, by its moment as the provider says it: as far behind as the chains may be then. Nothing is
 * paid by what they allow; what our secret is given away for is judged by the clocks of now.
 */
export function clocksAt(
  created: Unix,
  policy: TimeoutPolicy,
  since: { readonly bitcoin: number; readonly evm: EvmNetwork | null },
): Clocks {
  const mtp = unix(Math.max(0, created - policy.mtpLag));
  return {
    wall: created,
    bitcoin: { mtp, height: since.bitcoin },
    ...(since.evm === null ? {} : { [since.evm]: { mtp, height: 0 } }),
  };
}
