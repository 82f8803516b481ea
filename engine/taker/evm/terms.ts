import type { EvmNetwork } from '../../domain/chain.ts';
import type { EvmAddress } from '../../domain/evm.ts';
import type { Sats } from '../../domain/money.ts';
import type { SwapContracts } from '../../legs/evm/contracts.ts';
import type { LockTerms } from '../../legs/evm/swap-key.ts';
import type { TakerEvmKey } from '../../legs/evm/taker-key.ts';
import type { RecordToken } from '../../swap/halves/evm/record.ts';
import type { Leg } from '../terms.ts';

/** What an order with a leg on an EVM chain pins: read by ourselves, from our own chain and our own settings. */
export interface EvmOrderTerms {
  readonly chain: EvmNetwork;
  /** The pairs of contracts whose rules we know: a lock in any other may be opened by anybody. */
  readonly pairs: readonly SwapContracts[];
  /** What is locked, worth bitcoin: the swap's own token. Zero is the chain's coin. */
  readonly pegged: RecordToken;
  readonly evmKey: TakerEvmKey;
  /** The account of that key. */
  readonly account: EvmAddress;
  /** The provider sends the transactions; else our own account does. */
  readonly gasless: boolean;
  /** Blocks that bury a transaction of this value, its own counted. */
  readonly burial: number;
  /** Two RPCs must agree on the lock before anything is given for it. */
  readonly agreed: boolean;
  /** Height of the chain when the order was made: no lock of its hash is older. */
  readonly since: number;
}

/** Another token than that of the lock, into which a claim exchanges what the lock held. */
export interface ExchangeTerms {
  /** As its own contract tells of it. */
  readonly token: RecordToken;
  /** What has to arrive of it at least, in its smallest units, as its owner was shown: below that nothing is signed. */
  readonly least: bigint;
  /** How much worse than its price an exchange may come out, as the owner had set it. */
  readonly slippageBps: number;
  /** More fees than these, in sats, are not what was quoted. */
  readonly mostFees: Sats;
}

/** A lock on an EVM chain, whoever makes it: every term of it, and the contracts that hold it. */
export interface EvmLeg extends Leg {
  readonly on: 'evm';
  readonly network: EvmNetwork;
  readonly contracts: SwapContracts;
  readonly lock: LockTerms;
}
