import { PortFailure } from '../../../domain/errors.ts';
import { closeUnpaid } from '../../../legs/lightning/closing-cost.ts';
import type { ClosingFunds, LightningPort } from '../../../legs/lightning/port.ts';
import { bitcoinOf, lightningOf, type Ports } from '../../ports.ts';
import { believedRate } from '../onchain/fee-rate.ts';

/** Blocks: an HTLC on a commitment is a race with who has the other way to it. */
const within = 3;
/** Milliseconds for which a reading is that of whoever else asks. */
const briefly = 1_000;

interface Reading {
  readonly funds: ClosingFunds;
  readonly rate: number;
  /** Payments of ours that were begun since. */
  begun: number;
}

const readings = new WeakMap<LightningPort, { until: number; readonly reading: Promise<Reading> }>();

/**
 * Why nothing is given or paid over Lightning yet; null where the wallet of its node could pay for the close of its
 * channels, one payment more included. What nobody tells is waited for. `begins`: a payment of ours follows at once.
 */
export async function tooPoorToClose(
  ports: Pick<Ports, 'bitcoin' | 'lightning'>,
  { begins = false }: { readonly begins?: boolean } = {},
): Promise<string | null> {
  try {
    const reading = await readingOf(ports);
    const reason = closeUnpaid(reading.funds, reading.rate, reading.begun + 1);
    if (reason === null && begins) reading.begun += 1;
    return reason;
  } catch (cause) {
    if (!(cause instanceof PortFailure)) throw cause;
    return `whether the Lightning node could pay for the close of a channel is not known: ${cause.message}`;
  }
}

/** However many payments are held or begun, the node is asked once in a second. */
function readingOf(ports: Pick<Ports, 'bitcoin' | 'lightning'>): Promise<Reading> {
  const port = lightningOf(ports);
  const last = readings.get(port);
  if (last !== undefined && performance.now() < last.until) return last.reading;
  const now = { until: Number.POSITIVE_INFINITY, reading: read(port, ports) };
  readings.set(port, now);
  now.reading.then(
    () => {
      now.until = performance.now() + briefly;
    },
    () => {
      if (readings.get(port) === now) readings.delete(port);
    },
  );
  return now.reading;
}

async function read(port: LightningPort, ports: Pick<Ports, 'bitcoin'>): Promise<Reading> {
  const [funds, rate] = await Promise.all([
    port.closingFunds(),
    believedRate(bitcoinOf(ports), { within, doubtAbove: 0, late: false }),
  ]);
  return { funds, rate, begun: 0 };
}
