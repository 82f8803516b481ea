import { HttpError } from '../wire/http.ts';
import { type ArkadeNetwork, arkadeRoutes } from './arkade.ts';
import { type ControlRoute, controlRoutes } from './routes.ts';

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
        'The clock here is wall time and the chain of the real Bitcoin node: wait, or mine blocks with later stamps there.',
      );
    },
  },
  ...arkadeRoutes,
  ...controlRoutes
    .filter((route) => !ours.has(route))
    .map(({ method, path }) => ({ method, path, answer: belongsElsewhere })),
];

function belongsElsewhere(): never {
  throw new HttpError(
    404,
    'Only the Arkade operator is played here: Bitcoin and Lightning are those of the real daemons, and so are their controls.',
  );
}
