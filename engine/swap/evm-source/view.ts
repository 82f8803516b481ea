import { evmFields, tokenInfo } from '../evm-record.ts';
import type { Txid } from '../../domain/outpoint.ts';
import type { Deposit, EvmSourceTerms, Relay, StrayLock } from './terms.ts';

/** The states of a swap from a lock on an EVM chain, by what a record tells of them. */
interface SourceState {
  readonly at: string;
  readonly relay?: Relay | null;
  readonly deposit?: Deposit;
  readonly strays?: readonly StrayLock[];
  readonly given?: bigint | null;
  readonly claimTxid?: Txid | null;
}

/** The transaction that made the lock: the mined one, or the one of ours that is on its way. */
function fundTxid({ at, relay = null, deposit, strays = [] }: SourceState): Txid | null {
  if (deposit !== undefined) return deposit.txid;
  return at === 'pending' ? (relay?.mined?.by ?? relay?.txid ?? null) : (strays[0]?.txid ?? null);
}

/** What a record says of the client's lock (facts/clients.md 22). What the client gave of its own token is said once it is known. */
export function sourceView(t: EvmSourceTerms, p: SourceState) {
  const fund = fundTxid(p);
  const { given = null, claimTxid: claim = null } = p;
  const surplus = p.deposit === undefined ? 0n : p.deposit.lock.amount - t.least;
  return {
    source_amount: (given ?? t.sourceUnits).toString(),
    source_token: tokenInfo(t.network, t.source),
    ...(surplus > 0n ? { surplus_amount: surplus.toString() } : {}),
    ...evmFields({ ...t, expected: t.least, service: t.lock.claimAddress, client: t.clientAddress }),
    evm_funding_confirmations: t.confirmations,
    gasless: t.gasless,
    ...(fund === null ? {} : { evm_fund_txid: `0x${fund}` }),
    ...(claim === null ? {} : { evm_claim_txid: `0x${claim}` }),
  };
}
