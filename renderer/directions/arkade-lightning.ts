import { satsText } from '../format/sats.ts';
import type { PageDirection } from './direction.ts';

export const arkadeLightning: PageDirection = {
  amountLabel: 'The invoice receives, in sats',
  invoice: async (client, amount) => (await client.call('lightningInvoice', { body: { amount_sats: amount } })).bolt11,
  placeLabel: (swap) => `Arkade address, send exactly ${satsText(swap.give.sats ?? 0)}`,
  qrLabel: 'QR code of the Arkade address',
  fundLabel: 'Fund from the sandbox faucet',
  async fund(client, swap) {
    await client.call('arkadeFaucet', { body: { address: swap.pay?.text ?? '', amount: swap.give.sats ?? 0 } });
  },
};
