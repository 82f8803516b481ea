import { unix, type Clocks } from '../../engine/domain/time.ts';
import { legsForLock } from '../../engine/legs/onchain/timelocks.ts';
import { coinsUntil } from '../../engine/legs/timelocks.ts';
import { evmArkade, type EvmArkadeProgress, type EvmArkadeTerms } from '../../engine/swap/directions/evm-arkade.ts';
import { bitcoinArkadeCase, bitcoinArkadeTerms } from './bitcoin-arkade-cases.ts';
import { clocksAt, coin, serverKey, spentBy, start, vhtlc, type Case, type Telling } from './cases.ts';
import { evmBitcoinTerms } from './evm-bitcoin-cases.ts';
import {
  evmClocksAt,
  fresh as freshSource,
  lockTellings,
  network,
  relayTellings,
  telling,
} from './evm-lightning-cases.ts';
import { nameOf } from './table.ts';

const { policy } = evmBitcoinTerms;
const legs = legsForLock({ clocks: { ...clocksAt(start), [network]: { mtp: start, height: 1 } }, network, policy });
if ('refusal' in legs) throw new Error(legs.sentence);

// The lock is the very one of a swap to Bitcoin, the VHTLC that of a swap from Bitcoin: what is told of either there is
// told here.
const {
  htlc: _,
  htlcScript: _1,
  htlcAddress: _2,
  mostFee: _3,
  htlcSince: _4,
  targetAddress: _5,
  ...source
} = evmBitcoinTerms;
const { script, address, keyIndex, targetAmount, targetArkadeAddress } = bitcoinArkadeTerms;

export const evmArkadeTerms: EvmArkadeTerms = {
  ...source,
  ...{ script, address, keyIndex, serverKey, targetAmount, targetArkadeAddress },
  vhtlc: vhtlc(legs.htlcRefundLocktime),
  clientKeyText: '02'.repeat(33),
  lockBefore: legs.lockBefore,
  minCoinExpiry: coinsUntil(legs.htlcRefundLocktime, policy),
};
const t = evmArkadeTerms;

export const fresh: EvmArkadeProgress = freshSource as EvmArkadeProgress;

/** With the clock of the lock's chain beside that of Bitcoin. */
function onBoth({ event, now, ...rest }: Telling): Telling {
  const { [network]: chain } = evmClocksAt(now.wall);
  return { ...rest, event, now: network in now ? now : { ...now, [network]: chain! } };
}

/** What the half that locks a VHTLC hears. */
function isOfOurs({ event }: Telling): boolean {
  if (!/^(vhtlc|onchain|claim|clock)/.test(event.is)) return false;
  return !('leg' in event && event.leg !== 'arkade') && !('purpose' in event && event.purpose === 'claim');
}

/** The lock is surely ours until then, by its chain's clock; median time past is above our locktime. */
export function atTheLine(seconds = 0): Clocks {
  const at = Number(t.lock.timelock) - policy.mtpLag - policy.margin / 2 + 2 + seconds;
  return { ...evmClocksAt(at), bitcoin: { mtp: unix(at - 1_800), height: 900_200 } };
}

const ofOurs = bitcoinArkadeCase.events.filter(isOfOurs).map(onBoth);

export const evmArkadeCase: Case<EvmArkadeTerms, EvmArkadeProgress> = {
  machine: evmArkade,
  terms: t,
  first: fresh,
  // What is listed beside the swap's own lock is in the cases of evm-lightning: here a state differs by whether
  // anything is.
  alike: (p) =>
    [
      nameOf(p),
      ...('extras' in p ? [p.extras.length > 0, p.extras.some(({ taken: isTaken }) => !isTaken)] : []),
      ...[
        'claimTxid',
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
    ...relayTellings,
    ...ofOurs,
    ...lockTellings.filter(({ label }) => !ofOurs.some((one) => one.label === label)),
    telling('clock, the lock is about to open', { is: 'clock' }, atTheLine()),
    telling(
      'vhtlc.seen claimed in a queue, the lock about to open',
      { is: 'vhtlc.seen', coins: [coin(spentBy.queuedClaim)] },
      atTheLine(),
    ),
    telling(
      'vhtlc.seen claimed in a mempool, the lock about to open',
      { is: 'vhtlc.seen', coins: [coin(spentBy.claimInMempool)] },
      atTheLine(),
    ),
    telling(
      'vhtlc.seen taken by a batch that hides its leaf, the lock about to open',
      { is: 'vhtlc.seen', coins: [coin(spentBy.hiddenBatch)] },
      atTheLine(),
    ),
  ],
};

/** What the states are called here: also by what is known of a claim beside our refund. */
export function calledOf(p: EvmArkadeProgress): string {
  const marks = ['told', 'racing', 'bothLegs', 'asked'].filter(
    (mark) => mark in p && Boolean(p[mark as keyof typeof p]),
  );
  return [nameOf(p), ...marks].join(' ');
}
