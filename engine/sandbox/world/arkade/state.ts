import type { Coin, CoinBook } from './coins.ts';
import type { WorldClock } from '../clock.ts';
import type { Journal } from '../journal.ts';
import { type ConvictionBook, banned } from './convictions.ts';
import type { OperatorKeys, OperatorNetwork, OperatorSettings } from './settings.ts';
import { delayOf } from './settings.ts';
import type { ScriptRules } from './script.ts';
import type { SignerBook } from './signers.ts';
import type { TxBook } from './txs.ts';
import type { ScriptHub, TransactionHub } from './subscriptions.ts';
import type { OperatorChain } from './operator-chain.ts';

/** What the parts of the operator share. */
export interface OperatorState {
  readonly clock: WorldClock;
  readonly journal: Journal;
  readonly network: OperatorNetwork;
  readonly keys: OperatorKeys;
  readonly signers: SignerBook;
  readonly coins: CoinBook;
  readonly txs: TxBook;
  readonly scripts: ScriptHub;
  readonly transactions: TransactionHub;
  readonly chain: OperatorChain | null;
  settings: OperatorSettings;
  /** Coins that a registered intent holds back from offchain spends. */
  readonly registered: Set<string>;
  readonly convictions: ConvictionBook;
}

export function scriptRules(state: OperatorState): ScriptRules {
  return {
    signers: state.signers.valid(state.clock.now()).map(({ xOnly }) => xOnly),
    exitDelay: delayOf(state.settings.exitDelay),
  };
}

export function checkBan(state: OperatorState, coin: Coin): void {
  const standing = state.convictions.standing(coin.script, state.clock.now());
  if (standing.length >= state.settings.banThreshold) throw banned(coin, standing);
}

/** The clock that a CLTV is judged by: median time past, or the height for small values. */
export function lockedUntil(
  state: OperatorState,
  locktime: bigint,
): { current: number; type: 'time' | 'height' } | null {
  const type = locktime >= 500_000_000n ? 'time' : 'height';
  const current = type === 'time' ? state.clock.mtp() : state.clock.height();
  return locktime > BigInt(current) ? { current, type } : null;
}
