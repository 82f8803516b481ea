import type { Sha256 } from '../../domain/hash.ts';
import type {
  Deposit,
  EvmSourceTerms,
  RefundRelay,
  Relay,
  Sent,
  ExtraLock,
} from '../../swap/halves/evm/claim/terms.ts';

/** The lock on an EVM chain that the client of a swap makes, as the operations on it see it. */
export interface SwapDeposit {
  readonly terms: EvmSourceTerms;
  /** Null once it is seen, or once the swap is over. */
  readonly funding: { readonly relay: Relay | null; readonly refusal: string | null } | null;
  readonly own: Deposit | null;
  readonly extras: readonly ExtraLock[];
  readonly refund: RefundRelay | null;
  /** Our transactions on their way. */
  readonly sent: readonly Sent[];
  readonly refusal: string | null;
  /** A payment of ours that may be on its way although the swap was called off: its end is asked for before we sign. */
  readonly latePayment: Sha256 | null;
}

/** The states of a swap from a lock on an EVM chain, by what they have in common. */
interface SourceState {
  readonly at: string;
  readonly relay?: Relay | null;
  readonly refusal?: string | null;
  readonly deposit?: Deposit;
  readonly extras?: readonly ExtraLock[];
  readonly refund?: RefundRelay | null;
  readonly sent?: readonly Sent[];
}

export function depositState(terms: EvmSourceTerms, p: SourceState, latePayment: Sha256 | null): SwapDeposit {
  const { relay = null, refusal = null, deposit: own = null, extras = [], refund = null, sent = [] } = p;
  const funding = p.at === 'pending' ? { relay, refusal } : null;
  return { terms, funding, own, extras, refund, sent, refusal, latePayment };
}
