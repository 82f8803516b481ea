import { randomBytes } from 'node:crypto';
import { HDKey } from '@scure/bip32';
import type { Stage } from '../../crash/support/scenario.ts';
import type { Json } from '../../stories/client/http.ts';
import { floodOf, type Ask } from './flood.ts';

/** The same over the door of the Boltz interface: swaps of every kind, and all that may be asked of one. */
export const boltzFlood = floodOf({
  door: ' of the Boltz interface',
  addresses: ['203.0.113.11', '203.0.113.12', '203.0.113.13'],
  socketPath: '/v2/ws',
  ask(stage, last) {
    const isCreate = stage.chance.next() < 0.5;
    return { ...(isCreate ? create(stage) : question(stage, last)), isCreate };
  },
});

const hex = (length: number): string => randomBytes(length).toString('hex');
const btc = { from: 'BTC', to: 'BTC' };

/** None from Arkade for an invoice that comes later: it ends days after all that the run waits for. */
function create({ wallet: { publicKey }, chance }: Stage): Omit<Ask, 'isCreate'> {
  const amount = Math.floor(chance.between(20_000, 60_000));
  const hash = { preimageHash: hex(32) };
  return chance.pick([
    {
      path: '/v2/swap/reverse',
      body: { ...btc, ...hash, claimPublicKey: publicKey, invoiceAmount: amount },
    },
    {
      path: '/v2/swap/submarine',
      body: { ...btc, ...hash, refundPublicKey: publicKey },
    },
    {
      path: '/v2/swap/chain',
      body: {
        ...{ from: 'ARK', to: 'BTC', ...hash, claimPublicKey: publicKey },
        ...{ refundPublicKey: publicKey, userLockAmount: amount },
      },
    },
  ]);
}

const large = () => hex(20_000);

/** Of a swap of its own, or of one that nobody made. */
function question({ chance }: Stage, last: Json | null): Omit<Ask, 'isCreate'> {
  const id = typeof last?.['id'] === 'string' ? last['id'] : hex(6);
  const partial = { pubNonce: hex(66), transaction: large(), index: 0 };
  const psbt = Buffer.from(large()).toString('base64');
  return chance.pick<Omit<Ask, 'isCreate'>>([
    { path: '/v2/swap/restore', body: { xpub: HDKey.fromMasterSeed(randomBytes(32)).publicExtendedKey } },
    { path: '/v2/chain/BTC/transaction', body: { hex: large() } },
    { path: `/v2/swap/submarine/${id}/refund`, body: partial },
    { path: `/v2/swap/submarine/${id}/refund/ark`, body: { transaction: psbt, checkpoint: psbt } },
    { path: `/v2/swap/submarine/${id}/claim`, body: { pubNonce: hex(66), partialSignature: hex(32) } },
    { path: `/v2/swap/submarine/${id}/invoice`, body: { invoice: `lnbcrt${hex(200)}` } },
    { path: `/v2/swap/reverse/${id}/claim`, body: { ...partial, preimage: hex(31) } },
    { path: `/v2/swap/chain/${id}/quote`, body: { amount: Math.floor(chance.between(1, 90_000)) } },
    { path: `/v2/swap/chain/${id}/claim`, body: { preimage: hex(33), toSign: partial } },
    { path: `/v2/swap/chain/${id}/refund/ark`, body: { transaction: psbt, checkpoint: psbt } },
  ]);
}
