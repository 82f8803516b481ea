import { asPublicKey } from '../../engine/domain/hash.ts';
import { sats } from '../../engine/domain/money.ts';
import { unix } from '../../engine/domain/time.ts';
import type { SeenHtlcCoin, SeenHtlcSpend } from '../../engine/legs/onchain/events.ts';
import { htlcAddress, htlcScript, type TimeHtlcTerms } from '../../engine/legs/onchain/htlc.ts';
import { legsForCoin } from '../../engine/legs/onchain/timelocks.ts';
import { hash160OfSha256 } from '../../engine/legs/secret.ts';
import { defaultPolicy as policy } from '../../engine/legs/timeout-policy.ts';
import { claimUntil } from '../../engine/legs/timelocks.ts';
import {
  bitcoinArkade,
  type BitcoinArkadeProgress,
  type BitcoinArkadeTerms,
} from '../../engine/swap/directions/bitcoin-arkade.ts';
import type { Event } from '../../engine/swap/machine.ts';
import {
  clocksAt,
  coin as lockCoin,
  coinPoint,
  everywhere,
  hash,
  otherPoint,
  preimage,
  serverKey,
  sighting,
  spentBy,
  start,
  startHeight,
  telling,
  txid,
  unread,
  vhtlc,
  type Case,
  type Telling,
} from './cases.ts';
import { nameOf } from './table.ts';

const legs = legsForCoin({ clocks: clocksAt(start), policy, confirmations: 1 });
if ('refusal' in legs) throw new Error(legs.sentence);

const clientKey = asPublicKey(Uint8Array.of(3, ...new Uint8Array(32).fill(5)));
const htlc: TimeHtlcTerms = {
  form: 'p2wsh',
  hash: hash160OfSha256(hash),
  claimer: serverKey,
  refunder: clientKey,
  refundLocktime: legs.refundLocktime,
};

export const bitcoinArkadeTerms: BitcoinArkadeTerms & {
  readonly htlc: TimeHtlcTerms;
  readonly targetArkadeAddress: string;
} = {
  hash: hash160OfSha256(hash),
  sourceAmount: sats(100_850),
  targetAmount: sats(100_000),
  feeSats: sats(250),
  networkFeeSats: sats(600),
  htlc,
  htlcScript: htlcScript(htlc).pkScript,
  htlcAddress: htlcAddress(htlc, 'regtest'),
  vhtlc: vhtlc(legs.vhtlcRefundLocktime),
  script: new Uint8Array(34).fill(9),
  address: 'tark1vhtlc',
  keyIndex: 0,
  serverKey,
  claimKeyText: '02'.repeat(33),
  refundKeyText: '03'.repeat(33),
  targetArkadeAddress: 'tark1client',
  toleranceBps: 100,
  confirmations: 1,
  htlcSince: startHeight,
  fundBefore: legs.fundBefore,
  giveBefore: legs.lockBefore,
  lockBefore: legs.lockBefore,
  minCoinExpiry: legs.minCoinExpiry,
  policy,
};
const t = bitcoinArkadeTerms;

export const fresh: BitcoinArkadeProgress = { at: 'pending', extras: [], vanished: false };

/** The client's transaction on the Bitcoin chain. */
export const fundPoint = { txid: '11'.repeat(32), vout: 0 };
const replacedPoint = { txid: '22'.repeat(32), vout: 0 };
const dustPoint = { txid: '33'.repeat(32), vout: 2 };
const clientRefund = '44'.repeat(32);
const forgottenClaim = '55'.repeat(32);

/** The client's coin as the chain shows it, right and in a block unless it is said otherwise. */
export function bitcoin(change: Partial<SeenHtlcCoin> = {}): SeenHtlcCoin {
  return { outpoint: fundPoint, amount: t.sourceAmount, height: startHeight, spend: null, ...change };
}

const dust = (spend: SeenHtlcSpend | null = null) => bitcoin({ outpoint: dustPoint, amount: sats(1_000), spend });
const otherOne = (change: Partial<SeenHtlcCoin> = {}) => bitcoin({ outpoint: replacedPoint, ...change });

export const spendBy = {
  claim: (height: number | null, by = txid.claim): SeenHtlcSpend => ({
    txid: by,
    height,
    by: 'claim',
    preimage,
    bytes: new Uint8Array(1),
  }),
  refund: (height: number | null): SeenHtlcSpend => ({ txid: clientRefund, height, by: 'refund' }),
  unknown: { txid: clientRefund, height: null, by: 'unknown' } satisfies SeenHtlcSpend,
};

export function lookAt(coins: readonly SeenHtlcCoin[], at: number = start + 60): Event & { is: 'htlc.seen' } {
  return { is: 'htlc.seen', coins, height: startHeight, mtp: unix(at - 1_800), asked: unix(at) };
}

function look(label: string, ...coins: SeenHtlcCoin[]): Telling {
  return telling(`htlc.seen ${label}`, lookAt(coins));
}

function lookLater(label: string, at: number, ...coins: SeenHtlcCoin[]): Telling {
  return telling(`htlc.seen ${label}`, lookAt(coins, at), clocksAt(at));
}

const buriedAt = startHeight - 5;
const tooLate = t.lockBefore + 1_801;
const line = claimUntil(t.htlc.refundLocktime, policy) + 1_801;
const refundable = t.htlc.refundLocktime + 1_801;
const clock: Event = { is: 'clock' };

/** What is claimed lies on the Bitcoin chain; what is refunded there left the operator. */
function claimedOnBitcoin(of: Telling): Telling {
  const { event } = of;
  const isRefund = event.is === 'onchain.prepared' && event.purpose === 'refund';
  return 'leg' in event && !isRefund ? { ...of, event: { ...event, leg: 'bitcoin' } } : of;
}

export const bitcoinArkadeCase: Case<BitcoinArkadeTerms, BitcoinArkadeProgress> = {
  machine: bitcoinArkade,
  terms: t,
  first: fresh,
  alike: (p) =>
    [
      nameOf(p),
      ...('extras' in p ? [p.extras.some(({ spent }) => !spent) ? 'extras' : p.extras.length > 0 ? 'spent' : ''] : []),
      ...[
        'mined',
        'redeemTxid',
        'refundTxid',
        'halted',
        'told',
        'racing',
        'bothLegs',
        'finishing',
        'asked',
        'returned',
        'unwatched',
      ].filter((mark) => mark in p && Boolean(p[mark as keyof typeof p])),
    ].join(),
  events: [
    ...everywhere.filter(({ event }) => !/^(hold|payment|abandoned)/.test(event.is)).map(claimedOnBitcoin),
    telling('onchain.final of our refund', { is: 'onchain.final', leg: 'arkade', txid: txid.refund, fee: sats(300) }),
    telling('onchain.stuck of our refund', { is: 'onchain.stuck', leg: 'arkade', txid: txid.refund, leastRate: 3 }),
    look('nothing'),
    lookLater('nothing, funding window over', t.fundBefore),
    lookLater('nothing, too late to lock', tooLate),
    look('right, in a mempool', bitcoin({ height: null })),
    look('right', bitcoin()),
    telling('htlc.seen right, clock unread', lookAt([bitcoin()]), unread(start + 60)),
    telling(
      'htlc.seen right, sources contradict each other',
      lookAt([bitcoin()]),
      clocksAt(start + 60, { doubt: 'they contradict each other' }),
    ),
    lookLater('right, funding window over', t.fundBefore, bitcoin()),
    lookLater('right, in a mempool, too late to lock', tooLate, bitcoin({ height: null })),
    lookLater('right, too late to lock', tooLate, bitcoin()),
    look('short by one, in a mempool', bitcoin({ amount: sats(t.sourceAmount - 1n), height: null })),
    look('short by one', bitcoin({ amount: sats(t.sourceAmount - 1n) })),
    look('over within tolerance', bitcoin({ amount: sats(t.sourceAmount + 1_008n) })),
    look('over the tolerance', bitcoin({ amount: sats(t.sourceAmount + 1_009n) })),
    look('dust', dust()),
    look('dust beside the right one', dust(), bitcoin()),
    lookLater('dust, funding window over', t.fundBefore, dust()),
    look('another right one in its place', otherOne()),
    look('paid twice', bitcoin(), otherOne()),
    look('claimed in a mempool', bitcoin({ spend: spendBy.claim(null) })),
    look('claimed', bitcoin({ spend: spendBy.claim(startHeight) })),
    look('claimed and buried', bitcoin({ spend: spendBy.claim(buriedAt) })),
    look('claimed by one that we forgot', bitcoin({ spend: spendBy.claim(buriedAt, forgottenClaim) })),
    look('refunded in a mempool', bitcoin({ spend: spendBy.refund(null) })),
    look('refunded', bitcoin({ spend: spendBy.refund(startHeight) })),
    look('refunded and buried', bitcoin({ spend: spendBy.refund(buriedAt) })),
    look('spent by nobody knows what', bitcoin({ spend: spendBy.unknown })),
    look('dust refunded', dust(spendBy.refund(startHeight))),
    sighting('nothing'),
    sighting('unspent', lockCoin()),
    sighting('of our amount', lockCoin({ amount: t.targetAmount })),
    sighting('claimed by the client', lockCoin(spentBy.clientClaim)),
    sighting('claimed in a batch', lockCoin(spentBy.batchClaim)),
    sighting('claimed with a wrong secret', lockCoin(spentBy.forgedClaim)),
    sighting('refunded', lockCoin(spentBy.refund)),
    sighting('spent, not readable yet', lockCoin(spentBy.unreadable)),
    sighting('spent by no leaf', lockCoin(spentBy.stranger)),
    sighting('on the chain', lockCoin({ unrolled: true })),
    sighting('on the chain, spent by no leaf', lockCoin(spentBy.strangerThoughUnrolled)),
    sighting('taken by a batch that hides its leaf', lockCoin(spentBy.hiddenBatch)),
    sighting('claimed in a queue', lockCoin(spentBy.queuedClaim)),
    sighting('claimed in a mempool', lockCoin(spentBy.claimInMempool)),
    sighting('claimed on the chain', lockCoin(spentBy.buriedClaim)),
    sighting('refunded on the chain', lockCoin(spentBy.buriedRefund)),
    telling(
      'vhtlc.seen claimed in a queue, at the line',
      { is: 'vhtlc.seen', coins: [lockCoin(spentBy.queuedClaim)] },
      clocksAt(line),
    ),
    telling(
      'vhtlc.prepared lock, too late',
      { is: 'vhtlc.prepared', purpose: 'lock', txid: txid.lock, output: coinPoint },
      clocksAt(tooLate),
    ),
    telling('claim.relayed our coin', { is: 'claim.relayed', preimage, coins: [otherPoint, coinPoint], fact: true }),
    telling('claim.relayed our coin, which a batch had before', {
      is: 'claim.relayed',
      preimage,
      coins: [coinPoint],
      fact: false,
    }),
    telling('clock', clock),
    telling('clock, funding window over', clock, clocksAt(t.fundBefore)),
    telling('clock, too late to lock', clock, clocksAt(tooLate)),
    telling('clock, locktime passed by wall time only', clock, clocksAt(t.vhtlc.refundLocktime + 60)),
    telling('clock, median time past at the locktime', clock, clocksAt(t.vhtlc.refundLocktime + 1_800)),
    telling('clock, locktime passed', clock, clocksAt(t.vhtlc.refundLocktime + 1_801)),
    telling('clock, at the line', clock, clocksAt(line)),
    telling("clock, the client's refund opens", clock, clocksAt(refundable)),
    telling("clock, a day after the client's refund opened", clock, clocksAt(refundable + 86_400)),
  ],
};
