import { asPublicKey } from '../../engine/domain/hash.ts';
import { sats } from '../../engine/domain/money.ts';
import type { Outpoint } from '../../engine/domain/outpoint.ts';
import { unix, type Clocks } from '../../engine/domain/time.ts';
import type { SeenHtlcCoin } from '../../engine/legs/onchain/events.ts';
import { htlcScript, type HtlcTerms } from '../../engine/legs/onchain/htlc.ts';
import { legsForLock } from '../../engine/legs/onchain/timelocks.ts';
import type { SavedSend } from '../../engine/legs/onchain/wallet-port.ts';
import { hash160OfSha256 } from '../../engine/legs/secret.ts';
import { evmBitcoin, type EvmBitcoinProgress, type EvmBitcoinTerms } from '../../engine/swap/directions/evm-bitcoin.ts';
import type { Event } from '../../engine/swap/machine.ts';
import { clocksAt, hash, preimage, start, type Case } from './cases.ts';
import {
  evmClocksAt,
  evmLightningTerms,
  fresh as freshSource,
  lockTellings,
  network,
  relayTellings,
  telling,
} from './evm-lightning-cases.ts';
import { nameOf } from './table.ts';

const { policy } = evmLightningTerms;
const legs = legsForLock({ clocks: { ...clocksAt(start), [network]: { mtp: start, height: 1 } }, network, policy });
if ('refusal' in legs) throw new Error(legs.sentence);

const key = (byte: number) => asPublicKey(Uint8Array.of(2, ...new Uint8Array(32).fill(byte)));

const htlc: HtlcTerms = {
  form: 'p2tr',
  hash: hash160OfSha256(hash),
  claimer: key(5),
  refunder: key(6),
  refundLocktime: legs.htlcRefundLocktime,
};

const {
  bolt11: _,
  invoiceExpiresAt: __,
  maxFeeMsat: ___,
  maxTimeoutHeight: ____,
  finalCltv: _____,
  ...source
} = evmLightningTerms;

export const evmBitcoinTerms: EvmBitcoinTerms = {
  ...source,
  htlc,
  htlcScript: htlcScript(htlc).pkScript,
  htlcAddress: 'bcrt1phtlc',
  keyIndex: 3,
  mostFee: sats(3_000),
  htlcSince: 900_000,
  lockBefore: legs.lockBefore,
  targetAddress: null,
};
const t = evmBitcoinTerms;

export const fresh: EvmBitcoinProgress = freshSource as EvmBitcoinProgress;

export const bitcoinTx = {
  fund: 'f1'.repeat(32),
  refund: '1c'.repeat(32),
  claim: '2b'.repeat(32),
  again: '3b'.repeat(32),
  other: '4f'.repeat(32),
};

/** Our funding, its coin at the first output and its change at the second. */
export const payment: SavedSend = {
  txid: bitcoinTx.fund,
  coins: [
    {
      outpoint: { txid: '7a'.repeat(32), vout: 1 },
      amount: sats(150_000),
      key: { branch: 'bitcoin-change', index: 4 },
    },
  ],
  change: { amount: sats(49_700), key: { branch: 'bitcoin-change', index: 5 } },
  fee: sats(300),
  rate: 2,
  capped: false,
};
export const output: Outpoint = { txid: bitcoinTx.fund, vout: 0 };
export const height = 900_010;

export const prepared: Event = { is: 'htlc.prepared', payment, output, height };

type Spend = NonNullable<SeenHtlcCoin['spend']>;
export const claimedBy = (at: number | null, txid = bitcoinTx.claim): Spend => ({
  txid,
  height: at,
  by: 'claim',
  preimage,
  bytes: new Uint8Array(150).fill(txid === bitcoinTx.claim ? 1 : 2),
});
export const refundedBy = (at: number | null, txid = bitcoinTx.refund): Spend => ({ txid, height: at, by: 'refund' });

/** Our coin as the chain shows it, mined and unspent unless it is said otherwise. */
export function seenCoin(change: Partial<SeenHtlcCoin> = {}): SeenHtlcCoin {
  return { outpoint: output, amount: t.targetAmount, height, spend: null, ...change };
}

export const otherCoin = (change: Partial<SeenHtlcCoin> = {}) =>
  seenCoin({ outpoint: { txid: bitcoinTx.other, vout: 0 }, ...change });

export function lookAtHtlc(...coins: SeenHtlcCoin[]): Event & { is: 'htlc.seen' } {
  return { is: 'htlc.seen', coins, height: height + 5, mtp: unix(start), asked: unix(start + 60) };
}

/** Median time past as said, the chain of the lock with the wall. */
export function clocksOf(wall: number, mtp: number): Clocks {
  return { ...evmClocksAt(wall), bitcoin: { mtp: unix(mtp), height } };
}

const locktime = t.htlc.refundLocktime;
const buriedAt = height;
const shallow = height + 1;

const ours = { fund: bitcoinTx.fund, refund: bitcoinTx.refund } as const;

export const evmBitcoinCase: Case<EvmBitcoinTerms, EvmBitcoinProgress> = {
  machine: evmBitcoin,
  terms: t,
  first: fresh,
  // What is listed beside the swap's own lock is in the cases of evm-lightning: here a state differs by whether
  // anything is.
  alike: (p) =>
    [
      nameOf(p),
      ...('extras' in p ? [p.extras.length > 0, p.extras.some(({ taken: isTaken }) => !isTaken)] : []),
      ...('claimTxid' in p ? [p.claimTxid] : []),
      ...('refundTxid' in p ? [p.refundTxid] : []),
      ...('spends' in p ? p.spends : []),
      ...('halted' in p ? ['halted'] : []),
      ...('unwatched' in p && p.unwatched ? ['unwatched'] : []),
      ...('output' in p ? [p.funding === null, p.buried] : []),
      ...('doubt' in p ? [p.doubt?.placed === null] : []),
      ...('returned' in p ? ['returned'] : []),
    ].join(),
  events: [
    ...relayTellings,
    telling('htlc.prepared', prepared),
    telling('htlc.refused', { is: 'htlc.refused', reason: 'the wallet is empty' }),
    telling('htlc.refused, unsure', { is: 'htlc.refused', reason: 'restored', unsure: true }),
    ...Object.entries(ours).flatMap(([name, txid]) => [
      telling(`onchain.final ${name}`, { is: 'onchain.final', leg: 'bitcoin', txid, fee: sats(300) }),
      ...(['spent', 'refused', 'late'] as const).map((why) =>
        telling(`onchain.refused ${name} ${why}`, {
          is: 'onchain.refused',
          leg: 'bitcoin',
          txid,
          why,
          reason: 'so it is',
        }),
      ),
    ]),
    telling('onchain.prepared refund', {
      is: 'onchain.prepared',
      leg: 'bitcoin',
      purpose: 'refund',
      txid: bitcoinTx.refund,
      amount: t.targetAmount,
      rate: 2,
      capped: false,
      height,
    }),
    telling('onchain.stuck refund', { is: 'onchain.stuck', leg: 'bitcoin', txid: bitcoinTx.refund, leastRate: 4 }),
    telling('htlc.seen nothing', lookAtHtlc()),
    telling('htlc.seen ours in the mempool', lookAtHtlc(seenCoin({ height: null }))),
    telling('htlc.seen ours', lookAtHtlc(seenCoin())),
    telling('htlc.seen ours beside another', lookAtHtlc(otherCoin(), seenCoin())),
    telling('htlc.seen another in the mempool', lookAtHtlc(otherCoin({ height: null }))),
    telling('htlc.seen another', lookAtHtlc(otherCoin())),
    telling('htlc.seen another, claimed', lookAtHtlc(otherCoin({ spend: claimedBy(null) }))),
    telling('htlc.seen another of less', lookAtHtlc(otherCoin({ amount: sats(99_999) }))),
    telling(
      'htlc.seen ours unconfirmed, claimed in the mempool',
      lookAtHtlc(seenCoin({ height: null, spend: claimedBy(null) })),
    ),
    telling('htlc.seen claimed in the mempool', lookAtHtlc(seenCoin({ spend: claimedBy(null) }))),
    telling(
      'htlc.seen claimed by another transaction',
      lookAtHtlc(seenCoin({ spend: claimedBy(null, bitcoinTx.again) })),
    ),
    telling('htlc.seen claimed, mined', lookAtHtlc(seenCoin({ spend: claimedBy(shallow) }))),
    telling('htlc.seen claimed, buried', lookAtHtlc(seenCoin({ spend: claimedBy(buriedAt) }))),
    telling(
      'htlc.seen claimed in the mempool, the lock is about to open',
      lookAtHtlc(seenCoin({ spend: claimedBy(null) })),
      clocksOf(Number(t.lock.timelock) - policy.mtpLag - policy.margin / 2 + 3, locktime + 60),
    ),
    telling('htlc.seen refunded in the mempool', lookAtHtlc(seenCoin({ spend: refundedBy(null) }))),
    telling('htlc.seen refunded, mined', lookAtHtlc(seenCoin({ spend: refundedBy(shallow) }))),
    telling('htlc.seen refunded, buried', lookAtHtlc(seenCoin({ spend: refundedBy(buriedAt) }))),
    telling(
      'htlc.seen spent by nobody knows what',
      lookAtHtlc(seenCoin({ spend: { txid: bitcoinTx.other, height: buriedAt, by: 'unknown' } })),
    ),
    telling('clock, median time past at the locktime', { is: 'clock' }, clocksOf(locktime + 7_200, locktime)),
    telling('clock, median time past above it', { is: 'clock' }, clocksOf(locktime + 3_600, locktime + 1)),
    telling(
      'clock, the lock is about to open',
      { is: 'clock' },
      clocksOf(Number(t.lock.timelock) - policy.mtpLag - policy.margin / 2 + 3, locktime + 60),
    ),
    ...lockTellings,
  ],
};

/**
 * What the states are called here: also by whether a refund of ours is signed, and by a coin that was there before we
 * knew of any.
 */
export function calledOf(p: EvmBitcoinProgress): string {
  const signed = p.at === 'refunding' && p.spends.length > 0 ? ' signed' : '';
  const gift = 'output' in p && p.funding === null ? ' gift' : '';
  const buried = 'output' in p && p.buried && gift === '' ? ' buried' : '';
  return `${nameOf(p)}${signed}${gift}${buried}`;
}
