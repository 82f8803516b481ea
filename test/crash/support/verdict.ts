import type { ArkadeBitcoinRecord } from '../../../engine/contract/directions/arkade-bitcoin.ts';
import type { ArkadeEvmRecord } from '../../../engine/contract/directions/arkade-evm.ts';
import type { BitcoinArkadeRecord } from '../../../engine/contract/directions/bitcoin-arkade.ts';
import type { EvmLightningRecord } from '../../../engine/contract/directions/evm-lightning.ts';
import type { BitcoinLightningRecord } from '../../../engine/contract/directions/bitcoin-lightning.ts';
import type { LightningBitcoinRecord } from '../../../engine/contract/directions/lightning-bitcoin.ts';
import type { LightningEvmRecord } from '../../../engine/contract/directions/lightning-evm.ts';
import type { HoldState, PaymentState } from '../../../engine/legs/lightning/port.ts';
import type { BitcoinLeg } from './bitcoin-oracle.ts';
import {
  arkadeBitcoinFaults,
  bitcoinArkadeFaults,
  bitcoinEvmFaults,
  bitcoinLightningFaults,
  evmBitcoinFaults,
  lightningBitcoinFaults,
} from './bitcoin-verdict.ts';
import {
  arkadeEvmFaults,
  evmArkadeFaults,
  evmLightningFaults,
  lightningEvmFaults,
  type BitcoinEvmRecord,
  type EvmBitcoinRecord,
  type EvmLeg,
} from './evm-verdict.ts';
import type { ArkadeRecord, EvmArkadeLock, Fate } from './wallet.ts';

export type CrashDirection =
  | 'lightning-arkade'
  | 'arkade-lightning'
  | 'arkade-evm'
  | 'arkade-bitcoin'
  | 'lightning-evm'
  | 'lightning-bitcoin'
  | 'bitcoin-lightning'
  | 'evm-lightning'
  | 'bitcoin-arkade'
  | 'evm-bitcoin'
  | 'evm-arkade'
  | 'bitcoin-evm';

export type SwapRecord =
  | ArkadeRecord
  | ArkadeEvmRecord
  | ArkadeBitcoinRecord
  | LightningEvmRecord
  | LightningBitcoinRecord
  | BitcoinLightningRecord
  | EvmLightningRecord
  | EvmBitcoinRecord
  | BitcoinEvmRecord;

/** What the networks say of one swap; nothing here comes from the node's own store. */
export interface Verdict {
  readonly direction: CrashDirection;
  readonly scenario: { readonly hash: string; readonly record: SwapRecord };
  readonly coins: readonly Fate[];
  readonly hold: HoldState['is'] | null;
  readonly payment: PaymentState | null;
  /** Where a leg of the swap is on an EVM chain. */
  readonly evm?: EvmLeg;
  /** Where one is on the Bitcoin chain. */
  readonly bitcoin?: BitcoinLeg;
}

/** Balances of the node as the networks tell them, in msat and sats. */
export interface Balances {
  readonly lightningMsat: bigint;
  readonly unsettledMsat: bigint;
  readonly arkade: bigint;
  readonly client: bigint;
}

/** Payments of the node by hash: how many, and what they cost. */
export type Paid = ReadonlyMap<string, { readonly count: number; readonly msat: bigint }>;

/** What is wrong with a swap that is over, each fault in a sentence. */
export function faultsOf({ direction, scenario, coins, hold, payment, evm, bitcoin }: Verdict): string[] {
  const faults: string[] = [];
  const source = BigInt(scenario.record.source_amount);
  const target = BigInt(scenario.record.target_amount);
  for (const coin of coins)
    if (coin.spent === 'unread') faults.push(`coin ${coin.outpoint} was spent by a transaction that fits no leaf`);
  for (const coin of coins)
    if (coin.spent === 'unspent') faults.push(`coin ${coin.outpoint} of ${coin.amount} sats is left behind`);
  if (direction === 'arkade-evm' && evm !== undefined)
    return [...faults, ...arkadeEvmFaults(scenario.record as ArkadeEvmRecord, coins, evm)];
  if (direction === 'arkade-bitcoin' && bitcoin !== undefined)
    return [...faults, ...arkadeBitcoinFaults(scenario.record as ArkadeBitcoinRecord, coins, bitcoin)];
  if (direction === 'lightning-evm' && evm !== undefined)
    return [...faults, ...lightningEvmFaults(scenario.record as LightningEvmRecord, hold, evm)];
  if (direction === 'evm-arkade' && evm !== undefined)
    return [...faults, ...evmArkadeFaults(scenario.record as EvmArkadeLock, coins, evm)];
  if (direction === 'evm-lightning' && evm !== undefined)
    return [...faults, ...evmLightningFaults(scenario.record as EvmLightningRecord, payment, evm)];
  if (direction === 'bitcoin-arkade' && bitcoin !== undefined)
    return [...faults, ...bitcoinArkadeFaults(scenario.record as BitcoinArkadeRecord, coins, bitcoin)];
  if (direction === 'evm-bitcoin' && bitcoin !== undefined && evm !== undefined)
    return [...faults, ...evmBitcoinFaults(scenario.record as EvmBitcoinRecord, bitcoin, evm)];
  if (direction === 'bitcoin-evm' && bitcoin !== undefined && evm !== undefined)
    return [...faults, ...bitcoinEvmFaults(scenario.record as BitcoinEvmRecord, bitcoin, evm)];
  if (direction === 'bitcoin-lightning' && bitcoin !== undefined)
    return [...faults, ...bitcoinLightningFaults(scenario.record as BitcoinLightningRecord, payment, bitcoin)];
  if (direction === 'lightning-bitcoin' && bitcoin !== undefined)
    return [...faults, ...lightningBitcoinFaults(scenario.record as LightningBitcoinRecord, hold, bitcoin)];
  const claimed = coins.filter((coin) => coin.spent === 'claim');
  if (direction === 'lightning-arkade') {
    if (coins.length > 1) faults.push(`the node locked ${coins.length} times`);
    for (const coin of coins)
      if (coin.amount !== target) faults.push(`the lock holds ${coin.amount} sats, agreed were ${target}`);
    if (hold === 'settled' && claimed.length === 0)
      faults.push(`the node took ${source} sats over Lightning and the client got nothing on Arkade`);
    if (hold !== 'settled' && claimed.length > 0)
      faults.push(`the client has ${target} sats on Arkade and the held payment is ${hold}: the node lost them`);
    if (hold === 'held' || hold === 'open') faults.push(`the invoice is still ${hold}`);
    return faults;
  }
  const paid = payment?.is === 'settled';
  if (payment?.is === 'in-flight') faults.push('the payment is still in flight');
  if (claimed.length > 1) faults.push(`the node claimed ${claimed.length} coins of the client`);
  if (paid && claimed.length === 0) faults.push(`the node paid ${target} sats and did not claim the VHTLC`);
  if (!paid && claimed.length > 0) faults.push(`the node claimed ${source} sats and the payment is ${payment?.is}`);
  for (const coin of claimed)
    if (coin.amount < source) faults.push(`the node claimed ${coin.amount} sats, agreed were ${source}`);
  if (claimed.length === 1 && coins.some((coin) => coin.amount === source && coin.spent === 'claim') === false)
    faults.push('the node claimed another coin than the one agreed');
  return faults;
}

/** To the sat: what each side has is what it had, and what the swaps moved. */
export function conservation(before: Balances, now: Balances, verdicts: readonly Verdict[], paid: Paid): string[] {
  const expected = { lightningMsat: before.lightningMsat, arkade: before.arkade, client: before.client };
  const faults: string[] = [];
  const ownHashes = new Set(verdicts.map(({ scenario }) => scenario.hash));
  for (const [hash, { count }] of paid) {
    if (count !== 1) faults.push(`the node paid the hash ${hash} ${count} times`);
    if (!ownHashes.has(hash)) faults.push(`the node paid the hash ${hash}, which belongs to no swap`);
  }
  for (const { direction, scenario, coins, hold } of verdicts) {
    for (const coin of coins) {
      const isOurs = direction.endsWith('-arkade');
      const toNode = isOurs ? coin.spent.startsWith('refund') : coin.spent === 'claim';
      if (isOurs) expected.arkade -= coin.amount;
      if (coin.spent === 'unspent') continue;
      if (toNode) expected.arkade += coin.amount;
      else expected.client += coin.amount;
    }
    if (hold === 'settled') expected.lightningMsat += BigInt(scenario.record.source_amount) * 1_000n;
    expected.lightningMsat -= paid.get(scenario.hash)?.msat ?? 0n;
  }
  if (now.unsettledMsat !== 0n) faults.push(`${now.unsettledMsat} msat are still in HTLCs`);
  for (const side of ['lightningMsat', 'arkade', 'client'] as const)
    if (now[side] !== expected[side])
      faults.push(`${side} is ${now[side]}, and must be ${expected[side]}: ${now[side] - expected[side]} too much`);
  return faults;
}

/** Statuses that may follow one another, also when some between were not seen (facts/clients.md 28). */
const ranks: Record<string, number> = {
  pending: 0,
  clientfundingseen: 1,
  expired: 2,
  clientfunded: 3,
  clientinvalidfunded: 4,
  clientfundedtoolate: 4,
  serverfunded: 5,
  serverwontfund: 6,
  clientredeeming: 6,
  clientredeemed: 7,
  serverredeemed: 8,
  clientfundedserverrefunded: 7,
  clientrefundedserverrefunded: 8,
  clientrefunded: 8,
};

export function unorderly(statuses: readonly string[]): string | null {
  for (const [i, status] of statuses.entries()) {
    const rank = ranks[status];
    if (rank === undefined) return `the status ${status} was seen`;
    const before = ranks[statuses[i - 1] ?? 'pending'] ?? 0;
    // What waits in a mempool may go away, and come again.
    if (status === 'pending' && statuses[i - 1] === 'clientfundingseen') continue;
    if (rank < before || (i > 0 && before === 8)) return `the status went from ${statuses[i - 1]} to ${status}`;
  }
  return null;
}
