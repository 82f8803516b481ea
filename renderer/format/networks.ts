import type { IconName } from '../parts/icon.tsx';
import { words } from '../words/words.ts';

/** `Arkade`, `Polygon`; a chain without a name by its number. */
export function networkName(network: string): string {
  const name = Object.hasOwn(words.networks, network) ? words.networks[network as keyof typeof words.networks] : null;
  return typeof name === 'string' ? name : words.networks.other(network.replace(/^evm:/, ''));
}

export function networkIcon(network: string): IconName {
  if (network === 'arkade') return 'arch';
  if (network === 'lightning') return 'bolt';
  return network === 'bitcoin' ? 'block' : 'hex';
}
