import { furthest } from '../../../domain/time.ts';
import { lightningFailure } from '../../../legs/lightning/failures.ts';
import { lightningOf } from '../../ports.ts';
import type { LightningContext } from './context.ts';

/** A block reaches one node before the other. */
const blocksOnTheWay = 1;

/**
 * The height of the Lightning node, where it follows the chain. A payment's limit becomes a number of blocks from that:
 * one that lags would let it run that much longer, into the client's refund. What it holds for us, it claims on the
 * chain once its channel closes: one that stands still sees no block that calls for that (facts/faults.md 251).
 *
 * Loses money when wrong: the payment that what we give was given for.
 */
export async function heightInStep({
  ports,
  clock,
}: {
  readonly ports: LightningContext['ports'];
  readonly clock: Pick<LightningContext['clock'], 'now'>;
}): Promise<number> {
  const { height, synced } = await lightningOf(ports).info();
  const chain = furthest(clock.now().bitcoin).height;
  if (synced && (chain === null || height >= chain - blocksOnTheWay)) return height;
  throw lightningFailure(
    'lightning-behind',
    'safe',
    `the Lightning node is at height ${height}, the chain at ${chain ?? 'an unknown one'}: nothing is given or paid ` +
      'until it has caught up',
  );
}
