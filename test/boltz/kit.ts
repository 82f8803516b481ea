import { ArkadeSwaps, BoltzSwapProvider, InMemorySwapRepository, type ArkadeSwapsConfig } from '@arkade-os/boltz-swap';
import {
  EsploraProvider,
  InMemoryContractRepository,
  InMemoryWalletRepository,
  RestArkProvider,
  RestIndexerProvider,
  SingleKey,
  Wallet,
} from '@arkade-os/sdk';
import { EventSource } from 'eventsource';
import { text, type Json } from '../stories/client/http.ts';
import { startWireNode, type WireNode, type WireNodeOptions } from '../stories/wire-node.ts';

/** A sandbox node whose owner opened the door for the Boltz interface. */
export async function startDoorNode(options: WireNodeOptions = {}): Promise<WireNode> {
  const node = await startWireNode(options);
  await node.owner('PATCH', '/owner/settings', { boltz: { enabled: true } });
  return node;
}

/** The same, whose owner agreed to lose so much by locks that a secret of any length opens. */
export async function startLooseNode(toArkade: Json): Promise<WireNode> {
  const node = await startDoorNode();
  await node.owner('PATCH', '/owner/settings', { boltz: { toArkade: { enabled: true, ...toArkade } } });
  return node;
}

/** Sats that it lost by such locks, or may lose by what is under way. */
export async function atRisk(node: WireNode): Promise<number> {
  const { steps } = (await node.owner('GET', '/owner/checklist')) as unknown as { steps: Json[] };
  const sentence = text(steps.find(({ id }) => id === 'toArkade') ?? {}, 'sentence');
  return Number(/: ([\d\s.,]+) sats\.$/.exec(sentence)?.[1]?.replace(/\D/g, ''));
}

class NoChain extends EsploraProvider {
  override async getCoins(): Promise<[]> {
    return [];
  }
}

/** A wallet of the published SDK on the sandbox's operator, and the published swap client over it. */
export interface PublishedClient {
  readonly wallet: Wallet;
  readonly provider: BoltzSwapProvider;
  readonly swaps: ArkadeSwaps;
  readonly publicKey: string;
  close(): Promise<void>;
}

/** As published, with nothing changed: it derives every script again, and refuses what differs. */
export async function openPublishedClient(
  node: WireNode,
  funds: readonly number[],
  { apiUrl = node.url, swapManager = false }: Pick<ArkadeSwapsConfig, 'swapManager'> & { apiUrl?: string } = {},
): Promise<PublishedClient> {
  globalThis.EventSource ??= EventSource as unknown as typeof globalThis.EventSource;
  const operator = text((await node.owner('GET', '/sandbox'))['arkade'] as Json, 'url');
  const identity = SingleKey.fromRandomBytes();
  const wallet = await Wallet.create({
    identity,
    arkProvider: new RestArkProvider(operator),
    indexerProvider: new RestIndexerProvider(operator),
    onchainProvider: new NoChain('http://127.0.0.1:1', { forcePolling: true, pollingInterval: 3_600_000 }),
    storage: { walletRepository: new InMemoryWalletRepository(), contractRepository: new InMemoryContractRepository() },
    settlementConfig: false,
  });
  const address = await wallet.getAddress();
  for (const amount of funds) await node.faucet(address, amount);
  const provider = new BoltzSwapProvider({ apiUrl, network: 'regtest' });
  const swaps = new ArkadeSwaps({
    wallet,
    swapProvider: provider,
    swapManager,
    swapRepository: new InMemorySwapRepository(),
  });
  return {
    wallet,
    provider,
    swaps,
    publicKey: Buffer.from(await identity.compressedPublicKey()).toString('hex'),
    async close() {
      await swaps.dispose();
      await wallet.dispose();
    },
  };
}
