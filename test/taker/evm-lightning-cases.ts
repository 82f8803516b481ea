import { asEvmAddress } from '../../engine/domain/evm.ts';
import { asPublicKey } from '../../engine/domain/hash.ts';
import { sats } from '../../engine/domain/money.ts';
import { unix } from '../../engine/domain/time.ts';
import type { SeenLock } from '../../engine/legs/evm/events.ts';
import { swapKey, type LockTerms } from '../../engine/legs/evm/swap-key.ts';
import { defaultPolicy } from '../../engine/legs/timeout-policy.ts';
import type { TakeEvmLightningTerms } from './taken.ts';
import type { EvmLeg } from '../../engine/taker/evm/terms.ts';
import type { Deal, LightningLeg } from '../../engine/taker/terms.ts';
import { hash, preimage, start, type Case, type Telling } from '../swap/cases.ts';
import { account, evmClocksAt, network } from '../swap/evm-lightning-cases.ts';
import { awaitingTokens, takeEvmLightning, type TakeEvmLightningProgress } from './taken.ts';

export const contracts = {
  kind: 'erc20',
  htlc: asEvmAddress(new Uint8Array(20).fill(9)),
  coordinator: account.coordinator,
  htlcVersion: '4',
  coordinatorVersion: '3',
} as const;
export const lock: LockTerms = {
  preimageHash: hash,
  amount: 100_260n,
  token: account.token,
  refundAddress: account.coordinator,
  claimAddress: account.service,
  timelock: BigInt(start + 24 * 3_600),
};
export const invoiceExpiresAt = unix(start + 7_200);
export const deal: Deal<EvmLeg, LightningLeg> = {
  swapId: 'theirs',
  source: { on: 'evm', amount: lock.amount, network, contracts, lock },
  target: { on: 'lightning', amount: sats(100_000), bolt11: 'lnbcrt1ours', expiresAt: invoiceExpiresAt },
  costs: [{ part: 'service', sats: 260n }],
};

export const terms: TakeEvmLightningTerms = {
  provider: 'https://provider.example',
  network: 'regtest',
  keyIndex: 5,
  key: asPublicKey(Uint8Array.of(2, ...new Uint8Array(32).fill(9))),
  userId: 'user',
  hash,
  createBefore: unix(start + 60),
  policy: defaultPolicy,
  chain: network,
  pairs: [contracts],
  pegged: { address: account.token, decimals: 8, symbol: 'WBTC', name: 'Wrapped BTC' },
  evmKey: { scheme: 'wallet', index: 5 },
  account: account.client,
  gasless: true,
  burial: 16,
  agreed: false,
  since: 60_000_000,
  sourceAmount: lock.amount,
  targetAmount: sats(100_000),
  bolt11: 'lnbcrt1ours',
  invoiceExpiresAt,
};

export const tx = { lock: '1a'.repeat(32), claim: '2b'.repeat(32), refund: '3c'.repeat(32), sent: '4d'.repeat(32) };

/** A lock as the chain tells of it; ours unless it is changed. */
export function lockOf(change: Partial<SeenLock> = {}, of: Partial<LockTerms> = {}): SeenLock {
  const made = { ...lock, ...of };
  return {
    terms: made,
    key: swapKey(made),
    txid: tx.lock,
    height: 60_000_010,
    confirmations: 3,
    depositor: account.client,
    state: { is: 'active' },
    ...change,
  };
}

const early = evmClocksAt(start + 600);
const telling = (label: string, event: Telling['event'], now = early): Telling => ({ label, event, now });
const looks = (label: string, locks: readonly SeenLock[], at = start + 600): Telling =>
  telling(
    label,
    { is: 'evm.seen', network, height: 60_000_030, time: unix(at - 2), asked: unix(at), locks },
    evmClocksAt(at),
  );
const balance = (label: string, amount: bigint, at = start + 600): Telling =>
  telling(
    label,
    { is: 'evm.balance', network, token: account.token, account: account.client, amount },
    evmClocksAt(at),
  );
const redeemed = { is: 'redeemed', preimage, txid: tx.claim, confirmations: 1 } as const;
const refunded = (confirmations: number) => ({ is: 'refunded', txid: tx.refund, confirmations }) as const;
const fate = (ok: boolean) => ({ is: 'mined', by: tx.sent, ok, confirmations: 1, cost: 1n }) as const;

export const events: readonly Telling[] = [
  balance('too few tokens', lock.amount - 1n),
  balance('the tokens', lock.amount),
  balance('the tokens, when the invoice is nearly over', lock.amount, invoiceExpiresAt - 30),
  looks('no lock', []),
  looks('no lock, long after', [], invoiceExpiresAt + 3_600),
  looks('the lock', [lockOf()]),
  looks('the lock with a coin more', [lockOf({}, { amount: lock.amount + 1n })]),
  looks('the lock, nobody says whose', [lockOf({ depositor: null })], invoiceExpiresAt + 3_600),
  looks("a stranger's lock", [lockOf({ depositor: account.service })]),
  looks("a stranger's, given back", [lockOf({ depositor: null, state: refunded(16) })]),
  looks('a lock of less', [lockOf({}, { amount: lock.amount - 1n })]),
  looks('a lock of another timelock', [lockOf({}, { timelock: lock.timelock + 1n })]),
  looks('a lock for another', [lockOf({}, { claimAddress: account.client })]),
  looks('claimed', [lockOf({ state: redeemed })]),
  looks('given back, shallow', [lockOf({ state: refunded(1) })]),
  looks('given back', [lockOf({ state: refunded(16) })]),
  telling('the provider relays', { is: 'provider.relayed', txid: tx.lock }),
  telling('the provider declines', { is: 'provider.declined', reason: 'not now' }),
  telling('the approval is not paid for', { is: 'evm.refused', purpose: 'taker-approve', reason: 'no coins' }),
  telling('funding signed', { is: 'evm.prepared', purpose: 'relay-fund', txid: tx.sent }),
  telling('funding refused', { is: 'evm.refused', purpose: 'relay-fund', reason: 'it would revert' }),
  telling('funding reverts', { is: 'evm.sent', purpose: 'relay-fund', txid: tx.sent, state: fate(false) }),
  telling('refund signed', { is: 'evm.prepared', purpose: 'taker-refund', txid: tx.sent }),
  telling('refund reverts', { is: 'evm.sent', purpose: 'taker-refund', txid: tx.sent, state: fate(false) }),
  telling('refund mined', { is: 'evm.sent', purpose: 'taker-refund', txid: tx.sent, state: fate(true) }),
  telling('clientfunded', { is: 'provider.seen', status: 'clientfunded' }),
  telling('serverwontfund', { is: 'provider.seen', status: 'serverwontfund' }),
  telling('the owner wants it back', { is: 'refund.requested' }),
  telling('half an hour', { is: 'clock' }, evmClocksAt(start + 2_400)),
  telling('the invoice is over', { is: 'clock' }, evmClocksAt(invoiceExpiresAt)),
  telling('the timelock', { is: 'clock' }, evmClocksAt(Number(lock.timelock) + 60)),
];

export const waiting: TakeEvmLightningProgress = {
  ...awaitingTokens(deal),
  target: {},
};

export const takeEvmLightningCase: Case<TakeEvmLightningTerms, TakeEvmLightningProgress> = {
  machine: takeEvmLightning,
  terms,
  first: waiting,
  events,
};
