import { setTimeout as pause } from 'node:timers/promises';
import type { DoorCall } from '../api/door.ts';
import { refuse, type Refusal } from '../domain/errors.ts';
import { holderOf } from '../domain/site.ts';

/** Requests of one client, or of one site, that wait at once until it can pay, and those of all clients together. */
const mostOfClient = 2;
const mostOfAll = 32;

/** A request that may wait until its client can pay for the rest of it. */
export interface Waiting {
  /** Null once the units are paid; else why the request ends here. */
  pay(units: number): Promise<Refusal | null>;
  /** The request is answered. */
  end(): void;
}

/** For a connection that is closed: no client gets this answer. */
const left = refuse('unavailable', 'The connection was closed: send the request again.');

/**
 * What costs more than a client has at once waits until the client can pay, in one of a few places, which it keeps to
 * its end; whoever hangs up gives its place back at once (facts/faults.md 265).
 */
export function createWaiting(): (caller: Pick<DoorCall, 'client' | 'charge' | 'signal'>) => Waiting {
  const ofClients = new Map<string, number>();
  let all = 0;

  function count(client: string, by: 1 | -1): void {
    all += by;
    const now = (ofClients.get(client) ?? 0) + by;
    if (now === 0) ofClients.delete(client);
    else ofClients.set(client, now);
  }

  return ({ client: caller, charge, signal }) => {
    const client = caller === null ? null : holderOf(caller);
    let counts = false;
    return {
      async pay(units) {
        if (signal.aborted) return left;
        for (let wait = charge(units); wait > 0; wait = charge(units)) {
          // The owner, who is no client, always has a place.
          if (!counts && client !== null) {
            if (all >= mostOfAll || (ofClients.get(client) ?? 0) >= mostOfClient) return tooManyWait(wait);
            counts = true;
            count(client, 1);
          }
          await pause(wait * 1_000, undefined, { signal }).catch(() => undefined);
          if (signal.aborted) return left;
        }
        return null;
      },
      end() {
        if (counts && client !== null) count(client, -1);
        counts = false;
      },
    };
  };
}

function tooManyWait(seconds: number): Refusal {
  return refuse(
    'flood',
    `Too many requests that are answered in parts wait already: ask for fewer keys at once, or wait ${seconds} seconds.`,
    seconds,
  );
}
