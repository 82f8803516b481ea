import type { VhtlcRecord } from '../../contract/records/parts.ts';
import { sha256Of } from '../../legs/secret.ts';
import { operatorThen } from './operator.ts';
import type { Restoring } from './restoring.ts';

/** The part on Arkade of an order that pays out there, to our own wallet: nobody's word says where. */
export function ontoArkade(record: VhtlcRecord, from: Restoring) {
  return {
    operator: operatorThen(record, from.operator(), { side: 'target', network: from.agreed.network }),
    hash: sha256Of(from.secret),
    targetAddress: from.arkadeAddress,
  };
}
