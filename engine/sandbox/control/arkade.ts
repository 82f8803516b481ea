import { sats } from '../../domain/money.ts';
import type { Operator } from '../world/arkade/operator.ts';
import type { WorldClock } from '../world/clock.ts';
import { mostSats, onlyOne, readFields } from './fields.ts';
import type { ControlRoute } from './route.ts';

/** An Arkade operator, and where it is served. */
export interface ArkadeNetwork {
  readonly clock: WorldClock;
  readonly operator: Operator;
  readonly arkadeUrl: string;
  readonly arkadeAdminUrl: string;
}

export const arkadeRoutes: readonly ControlRoute<ArkadeNetwork>[] = [
  {
    method: 'POST',
    path: /^\/sandbox\/arkade\/faucet$/,
    answer({ operator }, body) {
      const fields = readFields(body, ['address', 'amount']);
      const { txid, vout } = operator.faucet(fields.text('address'), sats(fields.whole('amount', 1, mostSats)));
      return { txid, vout };
    },
  },
  {
    method: 'POST',
    path: /^\/sandbox\/arkade\/fault$/,
    answer({ operator }, body) {
      const { faults } = operator;
      const names = ['expire', 'unroll', 'next_submit', 'next_event', 'operator', 'intent_fee_sats'] as const;
      const fields = readFields(body, names);
      switch (onlyOne(fields, names)) {
        case 'expire':
          faults.expire(fields.text('expire'));
          break;
        case 'unroll':
          faults.unroll(fields.text('unroll'));
          break;
        case 'next_submit':
          fields.choice('next_submit', ['unanswered']);
          faults.loseNextSubmit();
          break;
        case 'next_event':
          fields.choice('next_event', ['dropped']);
          faults.dropNextEvent();
          break;
        case 'operator':
          if (fields.choice('operator', ['away', 'back']) === 'away') faults.away();
          else faults.back();
          break;
        case 'intent_fee_sats':
          operator.admin.setIntentFee({ offchainInput: feeProgram(fields.whole('intent_fee_sats', 0, mostSats)) });
      }
      return {};
    },
  },
];

/** CEL, as operators publish their fees: a number that is not whole, or nothing at all. */
function feeProgram(perCoin: number): string {
  return perCoin === 0 ? '' : `${perCoin}.0`;
}
