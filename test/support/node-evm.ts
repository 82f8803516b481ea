import { connectEvm } from '../../engine/adapters/evm/connect.ts';
import type { Config } from '../../engine/config.ts';
import { withSandboxChains } from '../../engine/config/chains.ts';
import type { EvmNetwork } from '../../engine/domain/chain.ts';
import { toHex } from '../../engine/domain/hex.ts';
import type { EvmPort } from '../../engine/legs/evm/port.ts';
import type { EvmWorld } from './evm/world.ts';
import { leashed, type Boundary, type Life } from './leash.ts';

export const evmNetworkOfWorld = 'evm:137' as const satisfies EvmNetwork;

const coin = `0x${'00'.repeat(20)}`;
const startingCoins = 10_000n * 10n ** 18n;
const startingBitcoins = 10n * 10n ** 8n;
/** Whatever else there is only asks or computes: nothing is lost with it. */
const acts = ['simulate', 'broadcast'];

export function withEvmWorld(config: Config, world: EvmWorld | undefined): Config {
  return world === undefined ? config : withSandboxChains(config, { '137': world.endpoints });
}

/** The node's own port of the chain, on a leash where something leaves it. */
export function evmPortOn(
  world: EvmWorld,
  on: { readonly key: Uint8Array; readonly life: Life; readonly boundary: Boundary; readonly wall: () => number },
): EvmPort {
  const port = connectEvm({
    chainId: 137,
    rpc: [world.endpoints.rpcUrl],
    key: on.key,
    boundTo: null,
    wall: on.wall,
  });
  const plain = Object.keys(port).filter((name) => !acts.includes(name));
  return leashed(port, 'evm', on.life, on.boundary, plain);
}

/** What the sandbox gives a node at its first start. */
export async function fundEvmAccount(world: EvmWorld, account: Uint8Array): Promise<void> {
  const [pegged] = world.endpoints.tokens;
  const to = `0x${toHex(account)}`;
  await world.give(to, pegged?.address ?? coin, startingBitcoins);
  await world.give(to, coin, startingCoins);
}
