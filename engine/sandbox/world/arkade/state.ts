import type { Coin, CoinBook } from './coins.ts';
import type { WorldClock } from '../clock.ts';
import type { Journal } from '../journal.ts';
import { refusal } from './errors.ts';
import type { OperatorKeys, OperatorNetwork, OperatorSettings } from './settings.ts';
import { delayOf } from './settings.ts';
import type { ScriptRules } from './script.ts';
import type { TxBook } from './txs.ts';
import type { ScriptHub, TransactionHub } from './subscriptions.ts';
import { outpointKey } from '../../../domain/outpoint.ts';

/** What the parts of the operator share. */
export interface OperatorState {
  readonly clock: WorldClock;
  readonly journal: Journal;
  readonly network: OperatorNetwork;
  readonly keys: OperatorKeys;
  readonly coins: CoinBook;
  readonly txs: TxBook;
  readonly scripts: ScriptHub;
  readonly transactions: TransactionHub;
  settings: OperatorSettings;
  /** Coins that a registered intent holds back from offchain spends. */
  readonly registered: Set<string>;
  /** When each conviction of a script ends, by script. */
  readonly convictions: Map<string, number[]>;
}

export function scriptRules(state: OperatorState): ScriptRules {
  return { signer: state.keys.signer.xOnly, exitDelay: delayOf(state.settings.exitDelay) };
}

export function checkBan(state: OperatorState, coin: Coin): void {
  const now = state.clock.now();
  const standing = (state.convictions.get(coin.script) ?? []).filter((until) => until > now);
  if (standing.length < state.settings.banThreshold) return;
  const key = outpointKey(coin);
  const until = new Date(Math.max(...standing) * 1_000).toISOString();
  throw refusal('VTXO_BANNED', `script ${coin.script.slice(4)} of ${key} is banned until ${until}`, { vtxo_outpoint: key });
}

export function convict(state: OperatorState, script: string): void {
  const now = state.clock.now();
  const standing = (state.convictions.get(script) ?? []).filter((until) => until > now);
  state.convictions.set(script, [...standing, now + state.settings.banDuration]);
}

/** The clock that a CLTV is judged by: median time past, or the height for small values. */
export function lockedUntil(state: OperatorState, locktime: bigint): { current: number; type: 'time' | 'height' } | null {
  const type = locktime >= 500_000_000n ? 'time' : 'height';
  const current = type === 'time' ? state.clock.mtp() : state.clock.height();
  return locktime > BigInt(current) ? { current, type } : null;
}
