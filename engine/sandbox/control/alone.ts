import { HttpError } from '../wire/http.ts';
import { sats } from '../../domain/money.ts';
import type { Outpoint } from '../../domain/outpoint.ts';
import { type ArkadeNetwork, arkadeRoutes } from './arkade.ts';
import { mostSats, readFields } from './fields.ts';
import { controlRoutes } from './routes.ts';
import type { ControlRoute } from './route.ts';

const ours = new Set<unknown>(arkadeRoutes);

/** The controls of an operator that follows a real chain: what the sandbox plays elsewhere belongs to others here. */
export const aloneRoutes: readonly ControlRoute<ArkadeNetwork>[] = [
  {
    method: 'GET',
    path: /^\/sandbox$/,
    answer: ({ clock, arkadeUrl }) => ({
      clock: clock.now(),
      arkade: { url: arkadeUrl },
      chain: { height: clock.height(), mtp: clock.mtp() },
    }),
  },
  {
    method: 'POST',
    path: /^\/sandbox\/clock\/advance$/,
    answer() {
      throw new HttpError(
        404,
        'The clock here is wall time and the chain of the real Bitcoin node: wait, or mine blocks with later ' +
          'stamps there.',
      );
    },
  },
  {
    method: 'POST',
    path: /^\/sandbox\/arkade\/faucet$/,
    answer({ operator }, body) {
      const fields = readFields(body, ['address', 'amount', 'from', 'from_sats']);
      const pay = [fields.text('address'), sats(fields.whole('amount', 1, mostSats))] as const;
      if (!fields.has('from')) return coinOf(operator.faucet(...pay));
      const [, txid = '', vout = ''] = /^([0-9a-f]{64}):(\d{1,6})$/.exec(fields.text('from')) ?? [];
      if (txid === '') throw new HttpError(400, 'The field "from" is a coin of the operator\'s wallet, as txid:vout.');
      const from = { txid, vout: Number(vout), amount: sats(fields.whole('from_sats', 1, mostSats)) };
      const paid = operator.faucet(...pay, from);
      return { ...coinOf(paid), commitment: paid.commitment };
    },
  },
  ...arkadeRoutes,
  ...controlRoutes
    .filter((route) => !ours.has(route))
    .map(({ method, path }) => ({ method, path, answer: belongsElsewhere })),
];

const coinOf = ({ txid, vout }: Outpoint) => ({ txid, vout });

function belongsElsewhere(): never {
  throw new HttpError(
    404,
    'Only the Arkade operator is played here: Bitcoin and Lightning are those of the real daemons, and so are ' +
      'their controls.',
  );
}
