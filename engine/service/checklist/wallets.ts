import type { ServiceContext } from '../context.ts';
import { done, type Step } from './step.ts';

const tried =
  'Run with it were @arkade-os/boltz-swap, which wallets on Arkade have, and boltz-core; of Alby Hub, ZEUS, Fulmine and ' +
  'others only the source was read';

/** Whether wallets that speak the Boltz interface are answered, and the base URL that each of them is given. */
export function boltzOf({
  config,
}: {
  readonly config: Pick<ServiceContext['config'], 'boltz' | 'http' | 'port'>;
}): Step {
  const step = { id: 'boltz', part: 'wallets' } as const;
  // Nobody has to open it, so nothing is left to do while it is shut.
  if (!config.boltz.enabled)
    return done({
      ...step,
      sentence: `Wallets that speak the Boltz interface are not answered, until boltz.enabled is true. ${tried}.`,
    });
  const [name] = config.http.hostnames;
  const address = name === undefined ? ownAddress(config) : `https://${name}`;
  const reach = name === undefined ? ', and by those on this machine alone: http.hostnames is empty' : '';
  return done({
    ...step,
    ...(address === null ? {} : { address }),
    sentence: `Wallets that speak the Boltz interface are answered at ${address ?? 'this node'}${reach}. ${tried}.`,
  });
}

/** Null where the port is any free one, another at each start. */
function ownAddress({ port }: Pick<ServiceContext['config'], 'port'>): string | null {
  return port === 0 ? null : `http://127.0.0.1:${port}`;
}
