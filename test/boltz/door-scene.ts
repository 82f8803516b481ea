import { afterAll, beforeAll } from 'vitest';
import { text, type Json } from '../stories/client/http.ts';
import { eventually, type WireNode } from '../stories/wire-node.ts';
import { openPublishedClient, type PublishedClient } from './kit.ts';

/** What a file of tests stands on: a node whose door is open, the published client over it, and the chain. */
export interface DoorScene {
  readonly node: WireNode;
  readonly client: PublishedClient;
  mine(): Promise<unknown>;
  fund(address: string, amount: number): Promise<unknown>;
  wordNow(id: string): Promise<string>;
  /** The status, once it says this. */
  becomes(id: string, word: string): Promise<Json>;
  /** The same, a block mined before each look. */
  becomesByBlocks(id: string, word: string): Promise<Json>;
}

/** From before the first test of the file until after the last. `byHand`: no block comes but those that are mined. */
export function openDoorScene(
  start: () => Promise<WireNode>,
  { funds = [], byHand = false }: { readonly funds?: readonly number[]; readonly byHand?: boolean } = {},
): DoorScene {
  let node: WireNode;
  let client: PublishedClient;
  beforeAll(async () => {
    node = await start();
    if (byHand) await node.owner('POST', '/sandbox/bitcoin/mine', { auto_seconds: null });
    client = await openPublishedClient(node, funds);
  }, 120_000);
  afterAll(async () => {
    await client?.close();
    await node?.stop();
  });

  const mine = () => node.owner('POST', '/sandbox/bitcoin/mine', { blocks: 1 });
  const statusOf = (id: string) => node.get(`/v2/swap/${id}`);
  const until = (look: () => Promise<Json>, word: string) => eventually(look, ({ status }) => status === word);

  return {
    get node() {
      return node;
    },
    get client() {
      return client;
    },
    mine,
    fund: (address, amount) => node.owner('POST', '/sandbox/bitcoin/faucet', { address, amount }),
    wordNow: async (id) => text(await statusOf(id), 'status'),
    becomes: (id, word) => until(() => statusOf(id), word),
    becomesByBlocks: (id, word) => until(async () => (await mine(), statusOf(id)), word),
  };
}
