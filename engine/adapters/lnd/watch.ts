import { asSha256, type Sha256 } from '../../domain/hash.ts';
import { fromHex, toHex } from '../../domain/hex.ts';
import type { LightningPort, LightningSubscription } from '../../legs/lightning/port.ts';
import { isTransport, readError } from './failure.ts';
import { settledBy, track } from './payments.ts';
import type { Lnd, Stream } from './rpc.ts';

const firstPause = 1_000;
const longestPause = 30_000;

type Handlers = Parameters<LightningPort['watch']>[0];

/**
 * One stream of lnd per watched hash, because the stream over all invoices never tells that a payment is held. Each
 * opens again by itself after 1, 2, 4 ... 30 s; a new stream begins with the present state, so a hash reports itself
 * after every interruption, and `onGap` follows once when the connection was lost.
 */
export function watch(node: Lnd, handlers: Handlers): LightningSubscription {
  let stopped = false;
  let interrupted = false;
  const followed = new Map<string, Followed>();

  function follow(key: string, kind: Kind): void {
    if (stopped || followed.has(key)) return;
    const one: Followed = { stream: null, timer: null, pause: firstPause, stands: false };
    followed.set(key, one);
    connect(one, kind);
  }

  function connect(one: Followed, kind: Kind): void {
    const stream = kind.open();
    one.stream = stream;
    one.stands = false;
    let over = false;
    function again(error: unknown): void {
      if (over || one.stream !== stream) return;
      over = true;
      one.stands = false;
      if (error !== null && isTransport(readError(error))) interrupted = true;
      one.timer = setTimeout(() => connect(one, kind), one.pause);
      one.timer.unref();
      one.pause = Math.min(2 * one.pause, longestPause);
    }
    stream.on('data', (row: unknown) => {
      if (one.stream !== stream) return;
      node.noteAnswer();
      one.pause = firstPause;
      one.stands = true;
      if (interrupted) {
        interrupted = false;
        handlers.onGap();
      }
      kind.report(row);
      // lnd ends a stream with the last state there can be: nothing will come after it.
      over = kind.final.has(String((row as Row)[kind.state]));
    });
    stream.on('error', again);
    stream.on('end', () => again(null));
  }

  const stopListening = node.onRenewed(() => {
    for (const { stream } of followed.values()) stream?.cancel();
  });

  function leave(key: string): void {
    const one = followed.get(key);
    if (one === undefined) return;
    followed.delete(key);
    const { stream, timer } = one;
    one.stream = null;
    if (timer !== null) clearTimeout(timer);
    stream?.cancel();
  }

  return {
    addHold(hash) {
      const key = toHex(hash);
      follow(`hold:${key}`, {
        open: () => holdStream(node, hash),
        state: 'state',
        final: finalHolds,
        report(row) {
          // Every stream begins with the present state, and an open invoice is what the caller has just made.
          if ((row as Row).state !== 'OPEN') handlers.onHold(asSha256(fromHex(key)));
        },
      });
    },
    removeHold: (hash) => leave(`hold:${toHex(hash)}`),
    followsHold: (hash) => followed.get(`hold:${toHex(hash)}`)?.stands ?? false,
    addPayment(hash) {
      const key = toHex(hash);
      follow(`payment:${key}`, {
        open: () => track(node, hash),
        state: 'status',
        final: finalPayments,
        report: (row) => handlers.onPayment(hash, settledBy(row, hash) ?? undefined),
      });
    },
    removePayment: (hash) => leave(`payment:${toHex(hash)}`),
    async stop() {
      stopped = true;
      stopListening();
      for (const key of [...followed.keys()]) leave(key);
    },
  };
}

interface Row {
  readonly state?: string;
  readonly status?: string;
}

/** How a hold or a payment is followed: `state` is the field of lnd's row that tells it, `final` its last values. */
interface Kind {
  readonly open: () => Stream;
  readonly state: keyof Row;
  readonly final: ReadonlySet<string>;
  readonly report: (row: unknown) => void;
}

const finalHolds: ReadonlySet<string> = new Set(['SETTLED', 'CANCELED']);
const finalPayments: ReadonlySet<string> = new Set(['SUCCEEDED', 'FAILED']);

interface Followed {
  stream: Stream | null;
  timer: NodeJS.Timeout | null;
  pause: number;
  /** lnd has told by the stream that is open, and it did not end. */
  stands: boolean;
}

function holdStream(node: Lnd, hash: Sha256): Stream {
  return node.lnd.invoices.subscribeSingleInvoice({ r_hash: Buffer.from(hash) });
}
