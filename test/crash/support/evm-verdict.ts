import type { EvmLightningRecord } from '../../../engine/contract/directions/evm-lightning.ts';
import type { ArkadeEvmRecord } from '../../../engine/contract/directions/arkade-evm.ts';
import type { LightningEvmRecord } from '../../../engine/contract/directions/lightning-evm.ts';
import type { Records } from '../../../engine/contract/directions/directions.ts';
import type { HoldState, PaymentState } from '../../../engine/legs/lightning/port.ts';
import type { LockFate, Mined } from './chain-reader.ts';
import type { EvmArkadeLock, Fate } from './wallet.ts';

export type EvmBitcoinRecord = Records['evm-bitcoin'];
/** Of a swap in which the client locks on an EVM chain. */
type FromEvmRecord = EvmLightningRecord | EvmBitcoinRecord | EvmArkadeLock;
export type BitcoinEvmRecord = Records['bitcoin-evm'];
/** Of a swap in which the service locks on an EVM chain. */
export type ToEvmRecord = ArkadeEvmRecord | LightningEvmRecord | BitcoinEvmRecord;

/** By account: its chain, whose it is, and the token. */
export type Holdings = ReadonlyMap<string, bigint>;

export function holding(chainId: string | number, whose: 'node' | 'htlc' | 'coordinator', token: string): string {
  return `${chainId} ${whose} ${token.toLowerCase()}`;
}

/** What a swap left on its EVM chain. */
export interface EvmLeg {
  readonly locks: readonly LockFate[];
  /** What the client's accounts hold, by token. */
  readonly held: ReadonlyMap<string, bigint>;
  /** Units of the source token that the client was given to begin with. */
  readonly given: bigint;
}

/**
 * A client's lock of the service, and the VHTLC that the service has for it: each to one of them, and not both to one.
 */
export function arkadeEvmFaults(record: ArkadeEvmRecord, coins: readonly Fate[], leg: EvmLeg): string[] {
  const { faults, redeemed } = ownLock(record, leg);
  const claimed = coins.filter(({ spent }) => spent === 'claim');
  if (claimed.length > 1) faults.push(`the node claimed ${claimed.length} coins of the client`);
  if (redeemed && claimed.length === 0) faults.push('the client has the lock and its VHTLC: the node lost it');
  if (!redeemed && claimed.length > 0) faults.push('the node has the VHTLC, and the client got nothing for it');
  return faults;
}

/** A client's lock of the service, and the held payment that the service has for it. */
export function lightningEvmFaults(record: LightningEvmRecord, hold: HoldState['is'] | null, leg: EvmLeg): string[] {
  const { faults, redeemed } = ownLock(record, leg);
  if (redeemed && hold !== 'settled')
    faults.push(`the client has the lock, and the held payment is ${hold}: the node lost it`);
  if (!redeemed && hold === 'settled') faults.push('the node took the payment, and the client got nothing for it');
  if (hold === 'held' || hold === 'open') faults.push(`the invoice is still ${hold}`);
  return faults;
}

/** What is wrong with the service's lock, and whether the client claimed it. */
export function ownLock(
  record: ToEvmRecord,
  { locks, held }: EvmLeg,
): { readonly faults: string[]; readonly redeemed: boolean } {
  const faults: string[] = [];
  const ours = record.server_evm_address.toLowerCase();
  const own = locks.filter(({ refundAddress }) => refundAddress === ours);
  if (own.length > 1) faults.push(`the node locked ${own.length} times`);
  for (const { amount } of own)
    if (amount !== BigInt(record.evm_expected_sats))
      faults.push(`the lock holds ${amount}, agreed were ${record.evm_expected_sats}`);
  faults.push(...standing(locks));
  const redeemed = own.some(({ end }) => end === 'redeemed');
  const promised = BigInt(record.target_amount);
  const client = held.get(record.target_token.token_id.toLowerCase()) ?? 0n;
  const least =
    record.target_token.token_id.toLowerCase() === record.wbtc_address.toLowerCase() ? promised : floor(promised);
  if (redeemed && client < least) faults.push(`the client got ${client}, promised were at least ${least}`);
  if (!redeemed && client !== 0n) faults.push(`the client got ${client} for nothing`);
  return { faults, redeemed };
}

/** What an exchange may come out worse by. */
function floor(promised: bigint): bigint {
  return (promised * 99n) / 100n;
}

/** A client's lock, and the payment that it is for: the service has the lock exactly when it paid. */
export function evmLightningFaults(record: EvmLightningRecord, payment: PaymentState | null, leg: EvmLeg): string[] {
  const faults = fromEvmFaults(record, leg, payment?.is === 'settled');
  if (payment?.is === 'in-flight') faults.push('the payment is still in flight');
  return faults;
}

/**
 * A client's lock on an EVM chain, and the VHTLC that the service made for it: each to one of them, and not both to
 * one.
 */
export function evmArkadeFaults(record: EvmArkadeLock, coins: readonly Fate[], evm: EvmLeg): string[] {
  const target = BigInt(record.target_amount);
  const faults = coins.length > 1 ? [`the node locked ${coins.length} times`] : [];
  for (const { amount } of coins)
    if (amount !== target) faults.push(`the lock holds ${amount} sats, agreed were ${target}`);
  const paid = coins.some(({ spent }) => spent === 'claim');
  return [...faults, ...fromEvmFaults(record, evm, paid)];
}

/**
 * A client's lock and what it is for, whatever that is: the service has the one exactly when the client has the other.
 */
export function fromEvmFaults(record: FromEvmRecord, { locks, held, given }: EvmLeg, paid: boolean): string[] {
  const faults = standing(locks);
  const claimed = locks.filter(({ end }) => end === 'redeemed');
  if (claimed.length > 1) faults.push(`the node claimed ${claimed.length} locks of the client`);
  if (paid && claimed.length === 0)
    faults.push('the client has what the lock was for, as in clientrefundedserverfunded: the node lost it');
  if (!paid && claimed.length > 0) faults.push('both legs are ours: the node has the lock, and the client got nothing');
  for (const { amount } of claimed)
    if (amount < BigInt(record.evm_expected_sats))
      faults.push(`the node claimed ${amount}, agreed were ${record.evm_expected_sats}`);
  const [source, pegged] = [record.source_token.token_id.toLowerCase(), record.wbtc_address.toLowerCase()];
  const locked = sumOf(locks);
  const returned = sumOf(locks.filter(({ end }) => end === 'refunded'));
  const left = source === pegged ? given - locked : 0n;
  const has = held.get(pegged) ?? 0n;
  if (has !== left + returned)
    faults.push(`the client has ${has} of the locked token, and must have ${left + returned}`);
  const spent = given - (held.get(source) ?? 0n);
  // Its exchange is priced anew when it signs.
  const most = locked === 0n ? 0n : (BigInt(record.source_amount) * 102n) / 100n;
  if (source !== pegged && (spent < 0n || spent > most))
    faults.push(`the client spent ${spent} of its token, at most were ${most}`);
  return faults;
}

function sumOf(locks: readonly LockFate[]): bigint {
  return locks.reduce((sum, { amount }) => sum + amount, 0n);
}

function standing(locks: readonly LockFate[]): string[] {
  return locks.filter(({ end }) => end === 'active').map(({ key }) => `the lock ${key} is left behind`);
}

/** What locks moved, by account. */
export function movedBy(
  { evm_chain_id: chain, server_evm_address }: ToEvmRecord | FromEvmRecord,
  { locks }: EvmLeg,
): [string, bigint][] {
  const node = server_evm_address.toLowerCase();
  return locks.flatMap(({ amount, token, refundAddress, claimAddress, end }): [string, bigint][] => {
    const [own, htlc] = [holding(chain, 'node', token), holding(chain, 'htlc', token)];
    return [
      [own, refundAddress === node ? -amount : 0n],
      [
        own,
        (end === 'redeemed' && claimAddress === node) || (end === 'refunded' && refundAddress === node) ? amount : 0n,
      ],
      [htlc, end === 'active' ? amount : 0n],
    ];
  });
}

/** To the unit: what each account holds is what it held, and what the swaps moved. */
export function evmConservation(
  before: Holdings,
  now: Holdings,
  moves: readonly (readonly [string, bigint])[],
): string[] {
  const expected = new Map(before);
  for (const [account, amount] of moves) expected.set(account, (expected.get(account) ?? 0n) + amount);
  return [...expected].flatMap(([account, amount]) => {
    const held = now.get(account) ?? 0n;
    return held === amount ? [] : [`${account} is ${held}, and must be ${amount}: ${held - amount} too much`];
  });
}

/** The account's own transactions: each nonce once, none that waits for ever, and nothing that is done twice. */
export function accountFaults(
  chainId: string,
  sent: readonly Mined[],
  nonces: { readonly mined: number; readonly pending: number },
): string[] {
  const faults: string[] = [];
  if (sent.length !== nonces.mined || sent.some(({ nonce }, i) => nonce !== i))
    faults.push(`chain ${chainId} took ${nonces.mined} nonces, and has ${sent.length} transactions of the node`);
  if (nonces.pending !== nonces.mined)
    faults.push(`${nonces.pending - nonces.mined} transactions of the node wait on chain ${chainId}`);
  const acts = new Map<string, Mined[]>();
  for (const one of sent) if (one.act !== null) acts.set(one.act, [...(acts.get(one.act) ?? []), one]);
  for (const [act, times] of acts)
    if (times.length > 1 && !isAgain(act, times)) {
      const ends = times.map(({ nonce, ok }) => `nonce ${nonce} ${ok ? 'succeeded' : 'failed'}`);
      faults.push(`the node sent "${act}" ${times.length} times to chain ${chainId}: ${ends.join(', ')}`);
    }
  return faults;
}

/**
 * A reorganisation may put a relay before what pays for it, and a claim before its lock: that one fails, and comes once
 * more.
 */
function isAgain(act: string, times: readonly Mined[]): boolean {
  const isRelay = act.startsWith('executeAndCreate');
  return times.slice(0, -1).every(({ ok, early }) => !ok && (isRelay || early));
}
