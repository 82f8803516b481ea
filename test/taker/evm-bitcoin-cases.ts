import { asPublicKey } from '../../engine/domain/hash.ts';
import { sats } from '../../engine/domain/money.ts';
import type { Outpoint } from '../../engine/domain/outpoint.ts';
import { unix } from '../../engine/domain/time.ts';
import type { SeenLock } from '../../engine/legs/evm/events.ts';
import type { SeenHtlcCoin, SeenHtlcSpend } from '../../engine/legs/onchain/events.ts';
import { htlcAddress, htlcScript, type TimeHtlcTerms } from '../../engine/legs/onchain/htlc.ts';
import { hash160OfSha256 } from '../../engine/legs/secret.ts';
import type { TakeEvmBitcoinTerms } from './taken.ts';
import type { EvmLeg } from '../../engine/taker/evm/terms.ts';
import type { BitcoinLeg, Deal } from '../../engine/taker/terms.ts';
import {
  clocksAt,
  coinPoint,
  hash,
  otherPoint,
  preimage,
  serverKey,
  start,
  startHeight,
  type Case,
  type Telling,
} from '../swap/cases.ts';
import { account, evmClocksAt, network } from '../swap/evm-lightning-cases.ts';
import { contracts, lock, lockOf, terms as toLightning, tx } from './evm-lightning-cases.ts';
import { awaitingTokens, noCoin, takeEvmBitcoin, type TakeEvmBitcoinProgress } from './taken.ts';

const hour = 3_600;
const key = asPublicKey(Uint8Array.of(2, ...new Uint8Array(32).fill(9)));
export const htlc: TimeHtlcTerms = {
  form: 'p2tr',
  hash: hash160OfSha256(hash),
  claimer: key,
  refunder: serverKey,
  refundLocktime: unix(start + 12 * hour),
};
export const deal: Deal<EvmLeg, BitcoinLeg> = {
  swapId: 'theirs',
  source: { on: 'evm', amount: lock.amount, network, contracts, lock },
  target: {
    on: 'bitcoin',
    amount: sats(100_000),
    htlc,
    script: htlcScript(htlc).pkScript,
    address: htlcAddress(htlc, 'regtest'),
    since: startHeight,
  },
  costs: [{ part: 'service', sats: 260n }],
};

const { bolt11: _bolt11, invoiceExpiresAt: _expires, ...order } = toLightning;
export const terms: TakeEvmBitcoinTerms = { ...order, key };

export const claimTxid = '5e'.repeat(32);

/** The provider's coin as the chain shows it, in a block that two others bury. */
export function coinOf(change: Partial<SeenHtlcCoin> = {}, outpoint: Outpoint = coinPoint): SeenHtlcCoin {
  return { outpoint, amount: sats(100_000), height: startHeight + 1, spend: null, ...change };
}

export function claimed(height: number | null, txid = claimTxid): SeenHtlcSpend {
  return { txid, height, by: 'claim', preimage, bytes: new Uint8Array(1) };
}

export function takenBack(height: number | null): SeenHtlcSpend {
  return { txid: tx.refund, height, by: 'refund' };
}

const early = start + 600;
const tipAt = (at: number): number => clocksAt(at).bitcoin.height;
const telling = (label: string, event: Telling['event'], at = early): Telling => ({
  label,
  event,
  now: evmClocksAt(at),
});
const coins = (label: string, listed: readonly SeenHtlcCoin[], at = start + 2 * hour): Telling =>
  telling(label, { is: 'htlc.seen', coins: listed, height: tipAt(at), mtp: unix(at - 1_800), asked: unix(at) }, at);
const looks = (label: string, locks: readonly SeenLock[], at = early): Telling =>
  telling(label, { is: 'evm.seen', network, height: 60_000_030, time: unix(at - 2), asked: unix(at), locks }, at);
const balance = (label: string, amount: bigint): Telling =>
  telling(label, { is: 'evm.balance', network, token: account.token, account: account.client, amount });
const redeemed = { is: 'redeemed', preimage, txid: tx.claim, confirmations: 1 } as const;
const refunded = (confirmations: number) => ({ is: 'refunded', txid: tx.refund, confirmations }) as const;
const prepared = {
  is: 'onchain.prepared',
  leg: 'bitcoin',
  purpose: 'claim',
  txid: claimTxid,
  amount: sats(100_000),
  rate: 2,
  capped: false,
  deadline: htlc.refundLocktime,
  height: startHeight + 12,
} as const;
const late = start + 11 * hour;
const buriedAt = startHeight + 2;

export const events: readonly Telling[] = [
  balance('too few tokens', lock.amount - 1n),
  balance('the tokens', lock.amount),
  looks('no lock', []),
  looks('the lock', [lockOf()]),
  looks('the lock is taken', [lockOf({ state: redeemed })]),
  looks('given back, shallow', [lockOf({ state: refunded(1) })]),
  looks('given back', [lockOf({ state: refunded(16) })]),
  coins('no coin', []),
  coins('the coin, in no block', [coinOf({ height: null })]),
  coins('the coin, in one block', [coinOf({ height: tipAt(start + 2 * hour) })]),
  coins('the coin', [coinOf()]),
  coins('the coin, too late', [coinOf()], late),
  coins('a coin of less', [coinOf({ amount: sats(99_999) })]),
  coins('another coin', [coinOf({}, otherPoint)]),
  coins('our claim, in no block', [coinOf({ spend: claimed(null) })]),
  coins('our claim, buried', [coinOf({ spend: claimed(buriedAt) })]),
  coins('a claim of ours that nobody knows, buried', [coinOf({ spend: claimed(buriedAt, '6f'.repeat(32)) })]),
  coins('taken back, in no block', [coinOf({ spend: takenBack(null) })], start + 14 * hour),
  coins('taken back, buried', [coinOf({ spend: takenBack(buriedAt) })], start + 14 * hour),
  coins('no coin, after its locktime', [], start + 14 * hour),
  telling('claim prepared', prepared),
  telling('claim waits', { is: 'onchain.stuck', leg: 'bitcoin', txid: claimTxid, leastRate: 4 }),
  telling('claim buried', { is: 'onchain.final', leg: 'bitcoin', txid: claimTxid, fee: sats(300) }),
  telling('claim too late', {
    is: 'onchain.refused',
    leg: 'bitcoin',
    txid: claimTxid,
    why: 'late',
    reason: 'too late',
  }),
  telling('coin spent', { is: 'onchain.refused', leg: 'bitcoin', txid: claimTxid, why: 'spent', reason: 'spent' }),
  telling('claim refused', { is: 'onchain.refused', leg: 'bitcoin', txid: claimTxid, why: 'refused', reason: 'bad' }),
  telling('the provider relays', { is: 'provider.relayed', txid: tx.lock }),
  telling('the provider declines', { is: 'provider.declined', reason: 'not now' }),
  telling('funding signed', { is: 'evm.prepared', purpose: 'relay-fund', txid: tx.sent }),
  telling('funding refused', { is: 'evm.refused', purpose: 'relay-fund', reason: 'it would revert' }),
  telling('refund signed', { is: 'evm.prepared', purpose: 'taker-refund', txid: tx.sent }),
  telling('serverfunded', { is: 'provider.seen', status: 'serverfunded' }),
  telling('serverwontfund', { is: 'provider.seen', status: 'serverwontfund' }),
  telling('the owner wants it back', { is: 'refund.requested' }),
  telling('an hour', { is: 'clock' }, start + hour),
  telling('the timelock', { is: 'clock' }, Number(lock.timelock) + 60),
];

export const waiting: TakeEvmBitcoinProgress & { at: 'waiting' } = {
  ...awaitingTokens(deal),
  target: noCoin,
};

export const takeEvmBitcoinCase: Case<TakeEvmBitcoinTerms, TakeEvmBitcoinProgress> = {
  machine: takeEvmBitcoin,
  terms,
  first: waiting,
  events,
};
