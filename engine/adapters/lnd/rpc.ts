import type { AuthenticatedLnd } from 'ln-service';
import type { Retry } from '../../domain/errors.ts';
import type { BitcoinNetwork } from '../../domain/chain.ts';
import { type Unix, unix } from '../../domain/time.ts';
import { failedOnLightning } from '../../legs/lightning/failures.ts';
import { dial } from './dial.ts';
import { failureOf, isTransport, readError, timedOut } from './failure.ts';

export interface LndConnection {
  /** Host and port of lnd's gRPC. */
  readonly socket: string;
  /** The whole of lnd's `tls.cert`. */
  readonly cert: Uint8Array;
  /** The whole of a macaroon file; `permissions.ts` lists what it must allow. */
  readonly macaroon: Uint8Array;
  readonly network: BitcoinNetwork;
  /** The engine's clock, where that is not the machine's. */
  readonly now?: () => Unix;
  /** Milliseconds after which a call is given up; 15 s when left out. */
  readonly limit?: number;
}

const defaultLimit = 15_000;

/** One connection to lnd and what every call over it needs. */
export interface Lnd {
  /** The connection that stands now: not to be kept. */
  readonly lnd: AuthenticatedLnd;
  readonly network: BitcoinNetwork;
  /** Milliseconds after which a call is given up: lnd hangs without a word while its chain backend is away. */
  readonly limit: number;
  readonly now: () => Unix;
  /** lnd said something, be it a refusal. */
  noteAnswer(): void;
  /**
   * A call that began at `since`, in milliseconds of `performance`, ran out of its time. When lnd said nothing at all
   * meanwhile, the connection is given up for a new one: gRPC takes some that died for alive, and waits for ever.
   */
  silent(since: number): void;
  /** Called after the connection was given up; what ran over it says nothing any more. */
  onRenewed(listener: () => void): () => void;
}

/** Connects lazily: a node that is away shows in the first call, and is found again by itself when it is back. */
export function openLnd(connection: LndConnection): Lnd {
  const listeners = new Set<() => void>();
  let lnd = dial(connection);
  let heardAt = 0;
  return {
    get lnd() {
      return lnd;
    },
    noteAnswer() {
      heardAt = performance.now();
    },
    silent(since) {
      if (heardAt >= since) return;
      heardAt = performance.now();
      hangUp(lnd);
      lnd = dial(connection);
      for (const listener of listeners) listener();
    },
    onRenewed(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    network: connection.network,
    limit: connection.limit ?? defaultLimit,
    now: connection.now ?? (() => unix(Math.floor(Date.now() / 1_000))),
  };
}

export function closeLnd({ lnd }: Lnd): void {
  hangUp(lnd);
}

function hangUp(lnd: AuthenticatedLnd): void {
  for (const client of Object.values(lnd) as { close?(): void }[]) client.close?.();
}

/** A server stream of grpc-js, as far as it is used here. */
export interface Stream {
  on(event: 'data', listener: (row: unknown) => void): unknown;
  on(event: 'error', listener: (error: unknown) => void): unknown;
  on(event: 'end', listener: () => void): unknown;
  cancel(): void;
}

/** Ends a call of ln-service by our own clock and gives its errors one shape. */
export async function timed<T>(node: Lnd, what: string, unsure: Retry, work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(timedOut(what, node.limit, unsure)), node.limit);
  });
  try {
    const answer = await Promise.race([work(), limit]);
    node.noteAnswer();
    return answer;
  } catch (error) {
    const failure = failureOf(what, error, unsure);
    if (failedOnLightning(failure, 'lightning-timeout')) node.silent(began);
    else if (!isTransport(readError(error))) node.noteAnswer();
    throw failure;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The first row of a stream, which is then left. Rejects with the stream's own error. Left as well after `limit`
 * milliseconds: a node that hangs is asked again and again, and would end up holding every stream of the past.
 */
export function firstRow(limit: number, open: () => Stream): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const stream = open();
    const timer = setTimeout(() => stream.cancel(), limit);
    timer.unref();
    stream.on('data', (row) => {
      clearTimeout(timer);
      resolve(row);
      stream.cancel();
    });
    // After the first row this is our own cancel coming back; the promise is settled and nothing is lost.
    stream.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    stream.on('end', () => {
      clearTimeout(timer);
      reject(new Error('the stream ended without an answer'));
    });
  });
}

/** A unary call in lnd's own shapes, which gRPC gives up by itself after the node's limit. */
export function unary<T>(
  node: Lnd,
  call: (options: { readonly deadline: number }, done: (error: unknown, row: T) => void) => void,
): Promise<T> {
  return new Promise((resolve, reject) =>
    call({ deadline: Date.now() + node.limit }, (error, row) => (error ? reject(error) : resolve(row))),
  );
}
