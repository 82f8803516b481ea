import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SandboxWorld } from '../../engine/contract/sandbox.ts';
import { sealSeed } from '../../main/keyfile.ts';
import { newEntropy, seedPath } from '../../main/seed.ts';
import { startWireNode, type WireNode } from './wire-node.ts';

/** The chain of tokens that both nodes are on. */
export const chainId = 137;

/**
 * A node of its own seed and disk on the networks of another one's sandbox, without Lightning: what somebody has who
 * only swaps.
 */
export async function startSecondNode(first: Pick<WireNode, 'url' | 'owner'>): Promise<WireNode> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-second-'));
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  const passphrase = 'nobody is to know of this';
  await sealSeed(seedPath(data), newEntropy(12), [{ way: 'passphrase', passphrase: Buffer.from(passphrase) }]);
  const file = (name: string, content: string): string => {
    const path = join(folder, name);
    writeFileSync(path, content, { mode: 0o600 });
    return path;
  };
  const world = (await first.owner('GET', '/sandbox')) as unknown as SandboxWorld;
  const chain = world.evm?.[chainId];
  if (world.arkade === undefined || world.bitcoin === undefined || chain === undefined)
    throw new Error('the sandbox is not whole yet');
  const { rpcUrl, secondRpcUrl, htlc, coordinator, permit2, tokens } = chain;
  const config = file(
    'config.json',
    JSON.stringify({
      network: 'regtest',
      arkade: { url: world.arkade.url },
      bitcoin: { esplora: [world.bitcoin.esploraUrl] },
      evm: {
        [chainId]: {
          rpc: [rpcUrl, secondRpcUrl],
          contracts: { htlc, coordinator, permit2 },
          peggedToken: tokens[0]?.address,
          tokens: [],
        },
      },
      taker: { providers: [first.url] },
    }),
  );
  const node = await startWireNode({
    folder: data,
    mode: ['--config', config],
    args: ['--passphrase-file', file('passphrase', passphrase)],
  });
  // Claims are sent by its own account where the provider does not: without gas for that nothing is begun there.
  const { address } = await node.owner('POST', `/owner/wallets/evm:${chainId}/address`, {});
  const gas = { address: String(address), token: `0x${'00'.repeat(20)}`, amount: String(20n * 10n ** 18n) };
  await first.owner('POST', `/sandbox/evm/${chainId}/faucet`, gas);
  const { stop } = node;
  return Object.assign(node, {
    async stop() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  });
}
