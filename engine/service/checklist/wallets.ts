import type { ServiceContext } from '../context.ts';
import type { LooseLocks } from '../limits/loose-locks.ts';
import { misreadPort } from '../../contract/ports.ts';
import { done, failed, grouped, type Step } from './step.ts';

/** Held to the table of the documents by a test. */
export const tried =
  'It was run with @arkade-os/boltz-swap 0.3.61, which wallets on Arkade have, boltz-core 4.0.1, and the Go package of ' +
  'boltz-client 2.10.0, which Alby Hub has; of Alby Hub itself, ZEUS, Fulmine and others only the source was read';

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
  if (address !== null && isMisread(address))
    return failed({
      ...step,
      address,
      sentence:
        `At ${address} wallets on Arkade hear nothing of their swaps: they take 9069 in an address for another port, ` +
        'and ask that for their WebSocket.',
      act: 'Give the node a port, or a name in http.hostnames, without 9069 in it.',
    });
  const reach = name === undefined ? ', and by those on this machine alone: http.hostnames is empty' : '';
  return done({
    ...step,
    ...(address === null ? {} : { address }),
    sentence: `Wallets that speak the Boltz interface are answered at ${address ?? 'this node'}${reach}. ${tried}.`,
  });
}

/** What can be lost stands beside the switch; no step while the door is shut. */
export function toArkadeOf({
  config,
  loose,
}: {
  readonly config: Pick<ServiceContext['config'], 'boltz'>;
  readonly loose?: Pick<LooseLocks, 'state'>;
}): Step[] {
  if (!config.boltz.enabled) return [];
  const step = { id: 'toArkade', part: 'wallets' } as const;
  const { maxSwapSats, maxLossSats } = config.boltz.toArkade;
  const [each, all] = [grouped(BigInt(maxSwapSats)), grouped(BigInt(maxLossSats))];
  const risk =
    'Their script takes a secret of any length: a client that picks another than 32 bytes takes what this node locked ' +
    `and keeps what it gave. So you can lose ${each} sats by one swap and ${all} sats in all, and the first loss ` +
    'turns it off';
  const state = loose?.state() ?? { is: 'off' };
  switch (state.is) {
    case 'off':
      return [
        done({
          ...step,
          sentence: `Wallets on Arkade are not paid from Lightning and the Bitcoin chain, until boltz.toArkade.enabled is true. ${risk}.`,
        }),
      ];
    case 'on': {
      const counted = grouped(state.counted);
      return [
        done({
          ...step,
          sentence: `Wallets on Arkade are paid from Lightning and the Bitcoin chain. ${risk}. Lost or under way of it: ${counted} sats.`,
        }),
      ];
    }
    case 'over':
      return [
        failed({
          ...step,
          sentence:
            `Wallets on Arkade are not paid from Lightning and the Bitcoin chain any more: ${whys[state.why]}. ${risk}. Lost, or not seen ` +
            `to have ended well: ${grouped(state.counted)} sats.`,
          act: 'Set boltz.toArkade.enabled to false where it is set, and start the node; to true again if you still want it.',
        }),
      ];
  }
}

const whys = {
  loss: 'a client took such a lock and kept what it gave',
  denied: 'such a lock may be lost, for its operator does not show how it was spent, or it was out for too long',
  restored: 'the database is an older copy, which knows no later loss',
} as const;

/** Null where the port is any free one, another at each start. */
function ownAddress({ port }: Pick<ServiceContext['config'], 'port'>): string | null {
  return port === 0 ? null : `http://127.0.0.1:${port}`;
}

/** Published clients replace it wherever it stands in the port (facts/boltz.md). */
function isMisread(address: string): boolean {
  return new URL(address).port.includes(misreadPort);
}
