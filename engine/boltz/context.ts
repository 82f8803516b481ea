import type { Service } from '../api/service.ts';
import type { ServiceContext } from '../service/context.ts';
import type { Raws } from './raws.ts';
import type { Tellings } from './tellings.ts';

/** What the door stands on: the node's operations, and what it told its clients. */
export interface DoorContext {
  readonly context: ServiceContext;
  readonly service: Pick<Service, 'create'>;
  readonly tellings: Tellings;
  readonly raws: Raws;
}
