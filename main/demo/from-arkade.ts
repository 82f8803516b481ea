import { medianTimeAbove } from './blocks.ts';
import { ask, type Json } from './http.ts';
import type { Tour } from './tour.ts';

type Coin = Parameters<Tour['client']['refund']>[0] & {
  readonly id: string;
  readonly vhtlc_refund_locktime: number;
};

/** The service signs that the client has its VHTLC back; `route`: where swaps of its kind ask for that. */
export async function refundTogether({ node, client }: Tour, route: string, coin: Coin): Promise<void> {
  await client.refund(coin, async (half) => {
    const both = await ask(node, 'POST', `${route}/${coin.id}/collab-refund`, { ...half });
    return both as Json & { ark_tx: string; checkpoint_txs: string[] };
  });
}

/** The client takes its VHTLC back once its time is over. */
export async function refundAlone({ node, client, say, past }: Tour, coin: Coin): Promise<void> {
  say('  asks nobody, and lets the time of its VHTLC run');
  await past(coin.vhtlc_refund_locktime + 60);
  await medianTimeAbove(node, coin.vhtlc_refund_locktime);
  await client.refundAlone(coin);
}
