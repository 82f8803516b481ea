import type { Txid } from '../../domain/outpoint.ts';
import type { EvmPurpose } from '../../legs/evm/acts.ts';
import type { Event, LedgerLine } from '../machine.ts';
import type { Base, EvmSourceTerms, Sent } from './terms.ts';

/** A transaction of ours is on its way. */
export function sending({ sent }: Base, purpose: EvmPurpose, txid: Txid): readonly Sent[] {
  return sent.some((one) => one.txid === txid) ? sent : [...sent, { purpose, txid }];
}

/** The end of a transaction: what is left on its way, what it cost, and whether it did what it was for. */
export interface Ended {
  readonly purpose: EvmPurpose;
  readonly txid: Txid;
  readonly sent: readonly Sent[];
  /** The variant that was mined and carried out; null where it failed or never happens. */
  readonly by: Txid | null;
  readonly ledger: readonly LedgerLine[];
}

/** Null while its end is open, and for a transaction that this state does not wait for. */
export function endOf(t: EvmSourceTerms, p: Base, { txid, state }: Event & { is: 'evm.sent' }): Ended | null {
  const own = p.sent.find((one) => one.txid === txid);
  if (own === undefined || state.is === 'waiting') return null;
  const sent = p.sent.filter((one) => one !== own);
  if (state.is === 'gone') return { ...own, sent, by: null, ledger: [] };
  const { network } = t;
  return {
    ...own,
    sent,
    by: state.ok ? state.by : null,
    ledger: [{ kind: 'network-fee-paid', network, asset: nativeCoin, amount: -state.cost }],
  };
}

/** The coin of a chain, as an asset. */
const nativeCoin = '0x0000000000000000000000000000000000000000';
