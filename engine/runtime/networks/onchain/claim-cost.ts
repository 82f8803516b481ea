import { sats, type Sats } from '../../../domain/money.ts';
import { expectedAt, furthest, type Clocks, type Locktime } from '../../../domain/time.ts';
import type { StillFunded } from '../../../legs/onchain/conditions.ts';
import type { BitcoinPort } from '../../../legs/onchain/port.ts';
import { unread, wait, type Safety } from '../../../legs/safety/verdict.ts';
import { revealCeiling, type ClaimCeilings } from '../../../quote/ceilings.ts';
import { bytesOf } from '../../../quote/gas.ts';
import type { Clock } from '../../clock.ts';
import { bitcoinOf, type Ports } from '../../ports.ts';
import { rateNow } from './wanted-rate.ts';

interface Asks {
  readonly ports: Pick<Ports, 'bitcoin'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly ceilings: () => ClaimCeilings;
}

/**
 * No mempool takes a claim that may not pay what the chain asks: what is given for its coin, a secret or a lock, would
 * be given for nothing (facts/faults.md 169, 184). `refundLocktime`: of the other side.
 */
export async function coinTooDear(
  { amount, refundLocktime }: { readonly amount: Sats; readonly refundLocktime: Locktime },
  clocks: Clocks,
  bitcoin: BitcoinPort,
  ceilings: ClaimCeilings,
): Promise<Safety> {
  const [deadline, now] = [expectedAt(refundLocktime, clocks), furthest(clocks.bitcoin).mtp];
  if (deadline === null || now === null) return unread;
  const cost = sats(Math.ceil(bytesOf.claim * (await rateNow(bitcoin, deadline, now))));
  const most = revealCeiling(amount, ceilings);
  if (cost <= most) return null;
  return wait(
    `A claim would cost ${cost} sats now; it may cost at most ${most} of ${amount} before anything is given.`,
  );
}

/** The same of what a client paid us, before ours is given for it. */
export async function sourceTooDear(
  { sourceAmount: amount, refundLocktime }: Pick<StillFunded, 'sourceAmount' | 'refundLocktime'>,
  { ports, clock, ceilings }: Asks,
): Promise<string | null> {
  const dear = await coinTooDear({ amount, refundLocktime }, clock.now(), bitcoinOf(ports), ceilings());
  return dear?.sentence ?? null;
}
