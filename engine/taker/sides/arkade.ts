import { refuse } from '../../domain/errors.ts';
import { operatorThen, type OperatorInRecord } from '../restore/operator.ts';
import type { TakerOperator } from '../terms.ts';
import type { Side } from './agreed.ts';

interface FromArkade {
  readonly operator: TakerOperator;
}

/** Coins of ours at a VHTLC. */
export const fromArkade: Side<OperatorInRecord, FromArkade> = {
  ordered: (from) => ({ operator: from.operator() }),
  recovered: (record, { operator, agreed: { network } }) => ({
    operator: operatorThen(record, operator(), { side: 'source', network }),
  }),
};

/** A VHTLC that is claimed to our own wallet: nobody's word says where. */
export const toArkade: Side<OperatorInRecord, FromArkade & { readonly targetAddress: string }> = {
  async ordered(from) {
    const operator = from.operator();
    const targetAddress = await from.arkadeAddress();
    if (targetAddress === null) return refuse('unavailable', 'No Arkade operator is connected: try again later.');
    return { operator, targetAddress };
  },
  recovered: (record, { operator, arkadeAddress, agreed: { network } }) => ({
    operator: operatorThen(record, operator(), { side: 'target', network }),
    targetAddress: arkadeAddress,
  }),
  instead: ({ arkadeAddress }) => ({ target_arkade_address: arkadeAddress }),
};
