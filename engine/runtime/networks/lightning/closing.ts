import { PortFailure } from '../../../domain/errors.ts';
import type { Sha256 } from '../../../domain/hash.ts';
import { heldUnsafely, partsPaid } from '../../../legs/lightning/closing-cost.ts';
import type { ClosingFunds, LightningPort } from '../../../legs/lightning/port.ts';
import { bitcoinOf, lightningOf, type Ports } from '../../ports.ts';
import { believedRate } from '../onchain/fee-rate.ts';
import { noteBegun, partsToCome } from './begun.ts';

/** Blocks: an HTLC on a commitment is a race with who has the other way to it. */
const within = 3;

type Asks = Pick<Ports, 'bitcoin' | 'lightning'>;

interface Reading {
  readonly funds: ClosingFunds;
  readonly rate: number;
  /** HTLCs of other payments of ours, which were begun and are not in the channels yet. */
  readonly others: number;
}

interface Line {
  running: Promise<unknown>;
  /** Not begun yet. */
  next: Promise<Omit<Reading, 'others'>> | null;
}

const lines = new WeakMap<LightningPort, Line>();

/**
 * Why nothing is given yet for a payment that is held; null where the wallet of its node could pay for the close of its
 * channels, one payment more included. What nobody tells is waited for.
 */
export function tooPoorToClose(hash: Sha256, ports: Asks): Promise<string | null> {
  return judged(hash, ports, ({ funds, rate, others }) => heldUnsafely(funds, rate, others + 1, hash));
}

/**
 * In how many HTLCs a payment of ours may be begun, for it follows at once; or, while not in one, why not. From then on
 * these count for whatever else is given or paid, until its node lists them or it is over.
 */
export function partsToBegin(hash: Sha256, ports: Asks): Promise<number | string> {
  return judged(hash, ports, ({ funds, rate, others }) => {
    const parts = partsPaid(funds, rate, others);
    if (typeof parts === 'number') noteBegun(lightningOf(ports), hash, parts);
    return parts;
  });
}

/** Nothing is waited for between what was begun and the judgement, which notes what begins. */
async function judged<T>(hash: Sha256, ports: Asks, judge: (reading: Reading) => T): Promise<T | string> {
  try {
    const port = lightningOf(ports);
    const reading = await readingOf(port, ports);
    return judge({ ...reading, others: partsToCome(port, reading.funds.hashes, hash) });
  } catch (cause) {
    if (!(cause instanceof PortFailure)) throw cause;
    return `whether the Lightning node could pay for the close of a channel is not known: ${cause.message}`;
  }
}

/**
 * Begun after the call: a payment that was held before has all its parts in it. However many are held or begun, the
 * node is asked for one at a time, and whoever comes meanwhile has the next.
 */
function readingOf(port: LightningPort, ports: Asks): Promise<Omit<Reading, 'others'>> {
  const line: Line = lines.get(port) ?? { running: Promise.resolve(), next: null };
  lines.set(port, line);
  line.next ??= line.running.then(() => {
    const reading = read(port, ports);
    line.next = null;
    line.running = reading.catch(() => undefined);
    return reading;
  });
  return line.next;
}

async function read(port: LightningPort, ports: Asks): Promise<Omit<Reading, 'others'>> {
  const [funds, rate] = await Promise.all([
    port.closingFunds(),
    believedRate(bitcoinOf(ports), { within, doubtAbove: 0, late: false }),
  ]);
  return { funds, rate };
}
