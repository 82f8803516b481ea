import { connectionFailure, isRefusal, PortFailure, type Refusal } from '../domain/errors.ts';
import type { Log } from '../runtime/log.ts';

/** An open connection: the port over it, and how it is closed. */
export interface Connection<P> {
  readonly port: P;
  /** True when it was opened with credentials that are not the ones on the disk any more. */
  stale?(): boolean;
  stop(): Promise<void>;
}

/** What is configured for a network: how to connect to it. A refusal says what keeps it from being tried at all. */
export interface Endpoint<P> {
  open(): Promise<Connection<P> | Refusal>;
  /** Who is at the other end: its name, then those that it had before. Rejects with a `PortFailure`. */
  identify(port: P): Promise<readonly string[]>;
}

/** A subscription that goes on over whatever connection there is. */
export interface Follower<P> {
  attach(port: P | null): void;
  stop(): Promise<void>;
}

/** What a port that never changes is made of: each of its methods goes over the connection of the moment. */
export interface Over<P> {
  /** Calls once the other end was judged; after a failure that may have been a lost connection it is judged anew. */
  ask<T>(call: (port: P) => Promise<T>): Promise<T>;
  /** As `ask`, about what a stranger chose: however it fails, the other end is still who it was. */
  askAside<T>(call: (port: P) => Promise<T>): Promise<T>;
  /** The port for what answers at once and sends nothing; throws a `PortFailure` while nothing is open. */
  now(): P;
  follow<F extends Follower<P>>(follower: F): F;
}

export interface LinkOptions<P extends object> {
  readonly name: string;
  /** Said of every call while nothing is connected. */
  readonly absent: string;
  /** Null when this one may be used, else one sentence that says why it may not be. */
  judge(names: readonly string[]): string | null;
  portOver(over: Over<P>): P;
  readonly log: Log;
}

export interface Link<P extends object> {
  /** The same object for ever: swaps hold it while what is behind it comes, goes and changes. */
  readonly port: P;
  replace(endpoint: Endpoint<P> | null): Promise<void>;
  stop(): Promise<void>;
}

/** Milliseconds after which the other end is asked again who it is, without any sign that it changed. */
const knownFor = 60_000;

/**
 * A network behind a port that never changes. Nothing is called over a connection before the other end has said who it
 * is and was judged; after every failure that may have been a lost connection it is asked again, for whoever answers
 * next need not be who answered before.
 */
export function createLink<P extends object>(options: LinkOptions<P>): Link<P> {
  const followers = new Set<Follower<P>>();
  let endpoint: Endpoint<P> | null = null;
  let opened: Connection<P> | null = null;
  let lastJudgement: { until: number; judged: Promise<P> } | null = null;
  let lastWarning: string | null = null;

  async function open(at: Endpoint<P>): Promise<Connection<P>> {
    if (opened !== null) return opened;
    const connection = await at.open();
    if (isRefusal(connection)) throw connectionFailure('not-connected', connection.sentence);
    if (at !== endpoint) {
      await connection.stop();
      throw connectionFailure('not-connected', 'The connection was changed meanwhile.');
    }
    opened = connection;
    for (const follower of followers) follower.attach(connection.port);
    return connection;
  }

  async function judge(at: Endpoint<P>): Promise<P> {
    const { port } = await open(at);
    const wrong = options.judge(await identity(at, port));
    if (wrong !== null) throw connectionFailure('not-ours', wrong);
    if (lastWarning !== null) options.log.info({ network: options.name }, 'the network can be used again');
    lastWarning = null;
    return port;
  }

  /** Nothing was asked of it yet, so whatever it failed with, nothing can have happened. */
  async function identity(at: Endpoint<P>, port: P): Promise<readonly string[]> {
    try {
      return await at.identify(port);
    } catch (cause) {
      if (opened?.port === port && opened.stale?.() === true) await close();
      if (cause instanceof PortFailure && cause.retry !== 'safe') throw cause.retold('safe');
      throw cause;
    }
  }

  function judged(): Promise<P> {
    const at = endpoint;
    if (at === null) return Promise.reject(connectionFailure('absent', options.absent));
    if (lastJudgement !== null && performance.now() < lastJudgement.until) return lastJudgement.judged;
    const asking = { until: performance.now() + knownFor, judged: judge(at) };
    lastJudgement = asking;
    asking.judged.catch((cause: unknown) => {
      if (lastJudgement === asking) lastJudgement = null;
      const sentence = cause instanceof Error ? cause.message : String(cause);
      if (sentence !== lastWarning)
        options.log.warn({ network: options.name, cause: sentence }, 'the network cannot be used');
      lastWarning = sentence;
    });
    return asking.judged;
  }

  async function ask<T>(call: (port: P) => Promise<T>): Promise<T> {
    const port = await judged();
    try {
      return await call(port);
    } catch (cause) {
      // Only a definite answer shows that it was still there.
      if (!(cause instanceof PortFailure && cause.retry === 'never')) lastJudgement = null;
      throw cause;
    }
  }

  async function askAside<T>(call: (port: P) => Promise<T>): Promise<T> {
    return call(await judged());
  }

  function now(): P {
    if (opened !== null) return opened.port;
    throw endpoint === null
      ? connectionFailure('absent', options.absent)
      : connectionFailure('not-connected', lastWarning ?? 'The network is not connected yet.');
  }

  function follow<F extends Follower<P>>(follower: F): F {
    followers.add(follower);
    follower.attach(opened?.port ?? null);
    const stop = follower.stop.bind(follower);
    follower.stop = () => {
      followers.delete(follower);
      return stop();
    };
    return follower;
  }

  async function close(): Promise<void> {
    const old = opened;
    opened = null;
    lastJudgement = null;
    for (const follower of followers) follower.attach(null);
    await old?.stop();
  }

  return {
    port: options.portOver({ ask, askAside, now, follow }),
    async replace(next) {
      endpoint = next;
      lastWarning = null;
      const closed = close();
      // Followers want their connection at once; a failure here shows in the next call.
      if (next !== null) judged().catch(() => undefined);
      await closed;
    },
    async stop() {
      endpoint = null;
      await close();
    },
  };
}
