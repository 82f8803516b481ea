import { directionNames, type DirectionName } from '../../domain/chain.ts';
import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import {
  directionContracts,
  type Creates,
  type createRoutes,
  type Records,
} from '../../contract/directions/directions.ts';
import { usedWords, type DirectionContract } from '../../contract/directions/direction.ts';
import { refuseOffCurve } from '../curve.ts';
import type { Service } from '../service.ts';
import { refuseExtraFees, type Handlers } from './handler.ts';

interface Created<D extends DirectionName> {
  readonly service: Service;
  readonly request: { readonly body: Creates[D] };
  readonly developerKey: string | null;
  readonly client: string | null;
}

/** Refuses what the request itself says wrong, and opens the swap. */
function create<D extends DirectionName>(name: D): (call: Created<D>) => Promise<Records[D] | Refusal> {
  const contract: DirectionContract = directionContracts[name];
  return async ({ service, request: { body }, developerKey, client }) => {
    const refusal = refuseExtraFees(body.extraFeesBps, developerKey) ?? refuseOffCurve(contract.keys(body));
    if (refusal !== null) return refusal;
    const created = await service.create(name, body, developerKey, client);
    return isRefusal(created) && created.refusal === 'hash-used'
      ? withWords(created, usedWords[contract.hashOf])
      : created;
  };
}

/** Clients decide by these words whether to retry with another key, so no sentence of ours may lose them. */
function withWords(refusal: Refusal, words: string): Refusal {
  return refusal.sentence.includes(words) ? refusal : refuse('hash-used', `${words}: ${refusal.sentence}`);
}

/** The create of every direction of the contract, under the name of its operation. */
export const createHandlers = Object.fromEntries(
  directionNames.map((name) => [directionContracts[name].operation, create(name)]),
) as unknown as Handlers<keyof typeof createRoutes>;
