import type { Refusal } from '../../domain/errors.ts';
import { refuse } from '../../domain/errors.ts';
import { shown } from '../../contract/field.ts';
import type { Parsed, Reply, RouteName } from '../../contract/routes.ts';
import type { Service } from '../service.ts';

/** One parsed request with what its handler may use. */
export interface Call<N extends RouteName> {
  readonly service: Service;
  readonly request: Parsed<N>;
  /** Text of the X-Developer-Key header. */
  readonly developerKey: string | null;
  /** Whose requests are counted together, as an address; null for whoever is not counted. */
  readonly client: string | null;
  /** Aborted when the caller has gone. */
  readonly signal: AbortSignal;
}

export type Handler<N extends RouteName> = (call: Call<N>) => Reply<N> | Refusal | Promise<Reply<N> | Refusal>;
export type Handlers<N extends RouteName> = { readonly [K in N]: Handler<K> };

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether the engine needs to be asked at all: a malformed id names no swap. */
export function isSwapId(id: string): boolean {
  return uuid.test(id);
}

export function unknownSwap(id: string): Refusal {
  return refuse(
    'unknown-swap',
    `No swap has the id ${shown(id)}: check the id, or find your swaps with /swap/recover.`,
  );
}

/** Runs `use` for an id that may name a swap. */
export function withSwap<T>(id: string, use: (id: string) => T): T | Refusal {
  return isSwapId(id) ? use(id) : unknownSwap(id);
}

/** DECISIONS.md, "A surcharge belongs to a developer key". */
export function refuseExtraFees(bps: number, developerKey: string | null): Refusal | null {
  if (bps === 0 || developerKey !== null) return null;
  return refuse(
    'invalid',
    `extra_fees is ${bps} but needs a developer key that allows it: send the key in the X-Developer-Key header, ` +
      'or leave extra_fees out.',
  );
}
