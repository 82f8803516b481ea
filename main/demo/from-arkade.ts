import { medianTimeAbove } from './blocks.ts';
import { unix } from '../../engine/domain/time.ts';
import { ask, textOf, type Json } from './http.ts';
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

/**
 * Its coin expires, and the operator takes it only through a batch: the service signs the client's intent and joins the
 * batch with it. `route` as above.
 */
export async function refundInBatch(
  { node, client, say }: Tour,
  route: string,
  { coin, ...record }: Coin & { readonly coin: string },
): Promise<void> {
  await ask(node, 'POST', '/sandbox/arkade/fault', { expire: coin });
  say('  its coin expires, and can only be refunded through a batch');
  const cosigner = textOf(await ask(node, 'GET', '/api/delegate/cosigner-pk'), 'cosigner_pk');
  const now = unix(Number((await ask(node, 'GET', '/sandbox'))['clock']));
  await client.refundInBatch(record, { cosigner, now }, async ({ intent_proof, intent_message }) => {
    const both = await ask(node, 'POST', `${route}/${record.id}/collab-refund-delegate`, {
      intent_proof,
      forfeit_psbts: [],
    });
    const joined = { ...both, intent_message, cosigner_pk: cosigner, swap_id: record.id };
    const batch = await ask(node, 'POST', '/api/delegate/settle', joined);
    say(`  the service joins the batch ${textOf(batch, 'commitment_txid')}`);
  });
}

/** The client takes its VHTLC back once its time is over. */
export async function refundAlone({ node, client, say, past }: Tour, coin: Coin): Promise<void> {
  say('  asks nobody, and lets the time of its VHTLC run');
  await past(coin.vhtlc_refund_locktime + 60);
  await medianTimeAbove(node, coin.vhtlc_refund_locktime);
  await client.refundAlone(coin);
}
