import type { Service } from '../api/service.ts';
import type { ServiceContext } from '../service/context.ts';
import type { Preimage } from '../domain/hash.ts';
import type { Latest } from '../domain/latest.ts';
import type { Raws } from './raws.ts';
import type { Tellings } from './tellings.ts';
import type { createWaiting } from './waiting.ts';

/** What the door stands on: the node's operations, and what it told its clients. */
export interface DoorContext {
  readonly context: ServiceContext;
  readonly service: Pick<Service, 'create'>;
  readonly tellings: Tellings;
  readonly raws: Raws;
  readonly waiting: ReturnType<typeof createWaiting>;
  /** By the id of its swap, what a client showed of it before it asks for a signature; in memory alone. */
  readonly secrets: Latest<string, Preimage>;
  /** By the id of its swap: somebody read that our claim can be signed; in memory alone. */
  readonly readToSign: Latest<string, true>;
}
