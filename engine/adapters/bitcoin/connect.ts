import type { BitcoinNetwork } from '../../domain/chain.ts';
import type { BitcoinPort } from '../../legs/onchain/port.ts';
import { isOwnHost } from '../lnurl/private.ts';
import { core } from './core.ts';
import { esplora } from './esplora.ts';
import type { CoreEndpoint } from './json-rpc.ts';
import type { Source } from './source-state.ts';
import { bitcoinSources } from './sources.ts';

export interface BitcoinEndpoints {
  readonly network: BitcoinNetwork;
  /** A node with Core's JSON-RPC, asked first. */
  readonly core: CoreEndpoint | null;
  /** Base addresses of Esplora servers, in the order of preference. */
  readonly esplora: readonly string[];
  /** Milliseconds for one request to an Esplora server. */
  readonly limit?: number;
  /** Unix seconds; the machine's when left out. */
  readonly wall?: () => number;
  /** Whether an Esplora server is the owner's own; by its address when left out. */
  readonly isOwn?: (url: URL) => boolean;
}

/**
 * The Bitcoin chain from everything that is configured, null when nothing is. Nothing is asked before the first
 * question.
 */
export function connectBitcoin({
  network,
  core: node,
  esplora: urls,
  limit,
  wall = machineWall,
  isOwn = isOwnHost,
}: BitcoinEndpoints): BitcoinPort | null {
  const sources: Source[] = [];
  if (node !== null)
    sources.push({ name: `the Bitcoin node ${new URL(node.url).host}`, kind: 'node', port: core(node) });
  for (const url of urls) {
    const base = url.replace(/\/+$/, '');
    sources.push({
      name: `the Esplora server ${new URL(base).host}`,
      kind: isOwn(new URL(base)) ? 'own' : 'public',
      port: esplora({ url: base, ...(limit === undefined ? {} : { limit }) }),
    });
  }
  return sources.length === 0 ? null : bitcoinSources(network, sources, wall);
}

function machineWall(): number {
  return Math.floor(Date.now() / 1_000);
}
