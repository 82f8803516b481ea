import { sats } from '../../engine/domain/money.ts';
import { unix, type Locktime } from '../../engine/domain/time.ts';
import type { SeenHtlcSpend } from '../../engine/legs/onchain/events.ts';
import type { PartialPurpose } from '../../engine/legs/onchain/key-spend.ts';
import type { Event } from '../../engine/swap/machine.ts';
import { clocksAt, start, startHeight, telling, type Telling } from '../swap/cases.ts';

/* What a client of an HTLC with the key of both is told of it, whichever side of it is its own. */

export const jointTxid = '71'.repeat(32);
export const foreignTxid = '72'.repeat(32);

/** A spend by the key of both, as the note of it says what it is; null where there is none. */
export function byKey(purpose: PartialPurpose | null, height: number | null): SeenHtlcSpend {
  const txid = purpose === null ? foreignTxid : jointTxid;
  return { txid, height, by: 'key', purpose, bytes: new Uint8Array(1) };
}

export const buriedAt = startHeight - 6;

function looking(label: string, coin: (change: { spend: SeenHtlcSpend }) => object, spend: SeenHtlcSpend): Telling {
  const coins = [coin({ spend })];
  const event = { is: 'htlc.seen', coins, height: startHeight + 12, mtp: unix(start), asked: unix(start) };
  return telling(label, event as unknown as Event, clocksAt(start + 7_200));
}

/** `coin`: ours to take, with what spends it. */
export function jointTellings(
  purpose: PartialPurpose,
  coin: (change: { spend: SeenHtlcSpend }) => object,
  deadline: Locktime,
): readonly Telling[] {
  const prepared = {
    is: 'onchain.prepared',
    leg: 'bitcoin',
    purpose,
    txid: jointTxid,
    amount: sats(100_000),
    rate: 2,
    capped: false,
    deadline,
    height: startHeight + 12,
    joint: true,
  } as const;
  const at = clocksAt(start + 600);
  const ofJoint = { leg: 'bitcoin', txid: jointTxid } as const;
  return [
    telling('both: signed', prepared, at),
    telling('both: declined', { is: 'provider.declined', reason: 'not now' }, at),
    telling('both: not asked', { is: 'provider.claim-withheld', reason: 'too late' }, at),
    telling('both: stuck', { is: 'onchain.stuck', ...ofJoint, leastRate: 4 }, at),
    telling('both: buried', { is: 'onchain.final', ...ofJoint, fee: sats(200) }, at),
    telling('both: no answer for a minute', { is: 'clock' }, clocksAt(start + 7_300)),
    looking('both: seen, in no block', coin, byKey(purpose, null)),
    looking('both: seen, buried', coin, byKey(purpose, buriedAt)),
    looking('both: foreign, in no block', coin, byKey(null, null)),
    looking('both: foreign, buried', coin, byKey(null, buriedAt)),
  ];
}
