import { setTimeout as pause } from 'node:timers/promises';
import type { DoorCall } from '../api/door.ts';
import { refuse, type Refusal } from '../domain/errors.ts';
import { createPlaces } from '../domain/places.ts';

/** Requests of one client, or of one site, that wait at once until it can pay, and those of all clients together. */
const most = { ofHolder: 2, ofAll: 32 };

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
  const places = createPlaces(most);

  return ({ client, charge, signal }) => {
    let giveBack: (() => void) | null = null;
    return {
      async pay(units) {
        if (signal.aborted) return left;
        for (let wait = charge(units); wait > 0; wait = charge(units)) {
          giveBack ??= places.take(client);
          if (giveBack === null) return tooManyWait(wait);
          await pause(wait * 1_000, undefined, { signal }).catch(() => undefined);
          if (signal.aborted) return left;
        }
        return null;
      },
      end() {
        giveBack?.();
        giveBack = null;
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
