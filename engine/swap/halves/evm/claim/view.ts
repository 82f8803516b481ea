import { sameBytes } from '../../../../domain/hash.ts';
import type { Paid } from '../../../../legs/evm/paid.ts';
import { evmFields, tokenInfo } from '../record.ts';
import type { Txid } from '../../../../domain/outpoint.ts';
import { hashOf } from './sent.ts';
import type { Deposit, EvmSourceTerms, Relay, Sent, ExtraLock } from './terms.ts';

/** The states of a swap from a lock on an EVM chain, by what a record tells of them. */
interface SourceState {
  readonly at: string;
  readonly relay?: Relay | null;
  readonly deposit?: Deposit;
  readonly counted?: Deposit;
  readonly extras?: readonly ExtraLock[];
  readonly given?: bigint | null;
  readonly claimTxid?: Txid | null;
  readonly sent?: readonly Sent[];
}

/** The transaction that made the lock: the mined one, or the one of ours that a node took. */
function fundTxid(p: SourceState): Txid | null {
  const { at, relay = null, deposit, extras = [] } = p;
  if (deposit !== undefined) return deposit.txid;
  return at === 'pending' ? (relay?.mined?.by ?? hashOf(p, relay?.txid ?? null)) : (extras[0]?.txid ?? null);
}

/** The transaction that gave the client its lock back, which clients read what came back from (facts/clients.md 46). */
function refundTxid({ counted, extras = [] }: SourceState): Txid | null {
  const own = counted === undefined ? undefined : extras.find(({ key }) => sameBytes(key, counted.key));
  return (own ?? extras.find(({ back }) => back !== undefined))?.back ?? null;
}

/** What was given of the source token for the lock that the swap counted; null while that is not known. */
function paidOf({ source }: EvmSourceTerms, { deposit, counted }: SourceState): Paid | null {
  const { paid } = deposit ?? counted ?? {};
  return paid !== undefined && sameBytes(paid.token, source.address) ? paid : null;
}

/** More than was taken comes back where somebody had left tokens with the coordinator. */
function cost({ taken, returned }: Paid): bigint {
  return taken > returned ? taken - returned : 0n;
}

/**
 * What a record says of the client's lock (facts/clients.md 22). What the client gave of its own token is said once it
 * is known.
 */
export function sourceView(t: EvmSourceTerms, p: SourceState) {
  const fund = fundTxid(p);
  const { given = null, claimTxid = null } = p;
  const claim = p.at === 'claiming' ? hashOf(p, claimTxid) : (claimTxid ?? refundTxid(p));
  const surplus = p.deposit === undefined ? 0n : p.deposit.lock.amount - t.least;
  const paid = paidOf(t, p);
  const isBack = paid !== null && paid.returned > 0n;
  return {
    source_amount: (paid === null ? (given ?? t.sourceUnits) : cost(paid)).toString(),
    ...(isBack ? { returned_amount: paid.returned.toString() } : {}),
    source_token: tokenInfo(t.network, t.source),
    ...(surplus > 0n ? { surplus_amount: surplus.toString() } : {}),
    ...evmFields({
      ...t,
      expected: t.least,
      service: t.lock.claimAddress,
      client: t.clientAddress,
      clientText: t.clientText,
    }),
    evm_funding_confirmations: t.confirmations,
    gasless: t.gasless,
    ...(fund === null ? {} : { evm_fund_txid: `0x${fund}` }),
    ...(claim === null ? {} : { evm_claim_txid: `0x${claim}` }),
  };
}
