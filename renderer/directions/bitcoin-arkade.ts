import { satsText } from '../format/sats.ts';
import type { PageDirection } from './direction.ts';

export const bitcoinArkade: PageDirection = {
  amountLabel: 'You receive on Arkade, in sats',
  invoice: async () => null,
  placeLabel: (swap) => `Bitcoin address, send exactly ${satsText(swap.give.sats ?? 0)}`,
  qrLabel: 'QR code of the Bitcoin address',
  fundLabel: 'Fund from the sandbox faucet',
  async fund(client, swap) {
    await client.call('bitcoinFaucet', { body: { address: swap.pay?.text ?? '', amount: swap.give.sats ?? 0 } });
  },
};
