import { refuse } from '../../domain/errors.ts';
import { bitcoinOn } from '../../domain/token.ts';
import { claimOnArkade } from '../halves/arkade/claim/half.ts';
import type { ArkadeClaimTerms } from '../halves/arkade/claim/terms.ts';
import { fundOnArkade } from '../halves/arkade/fund/half.ts';
import type { ArkadeFundTerms } from '../halves/arkade/fund/terms.ts';
import { operatorThen, type OperatorInRecord } from '../restore/operator.ts';
import { arkadeFields, toArkadeFields } from '../shape.ts';
import type { ArkadeLeg } from '../terms.ts';
import type { Source, Target } from './agreed.ts';

const token = () => bitcoinOn('Arkade');

/** Coins of ours at a VHTLC. */
export const fromArkade: Source<OperatorInRecord, ArkadeFundTerms, typeof arkadeFields, ArkadeLeg> = {
  ...{ fields: arkadeFields, token, fund: fundOnArkade },
  ordered: (from) => ({ operator: from.operator() }),
  recovered: (record, { operator, agreed: { network } }) => ({
    operator: operatorThen(record, operator(), { side: 'source', network }),
  }),
};

/** A VHTLC that is claimed to our own wallet: nobody's word says where. */
export const toArkade: Target<OperatorInRecord, ArkadeClaimTerms, typeof toArkadeFields, ArkadeLeg> = {
  ...{ fields: toArkadeFields, token, claim: claimOnArkade },
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
