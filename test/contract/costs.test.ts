import { describe, expect, it } from 'vitest';
import { isRefusal } from '../../engine/domain/errors.ts';
import {
  moreOf,
  parseRequest,
  routeNames,
  routes,
  type RawArgs,
  type RouteName,
} from '../../engine/contract/routes.ts';
import { bodies } from './bodies.ts';

function whole(name: RouteName, raw: RawArgs): number {
  const parsed = parseRequest(name, { params: { id: 'x' }, ...raw });
  if (isRefusal(parsed)) throw new Error(parsed.sentence);
  return Math.round((routes[name].cost + moreOf(name, parsed)) * 1_000) / 1_000;
}

describe("what a request costs of a client's allowance", () => {
  it('fault 51: is told by its route', () => {
    const dear = Object.fromEntries(
      routeNames
        .filter((name) => routes[name].access === 'public' && routes[name].cost > 0.2)
        .map((name) => [name, routes[name].cost]),
    );
    expect(dear).toEqual({
      createArkadeEvm: 1,
      createEvmLightning: 1,
      createEvmBitcoin: 1,
      createArkadeLightning: 1,
      createLightningArkade: 1,
      createBitcoinArkade: 1,
      createLightningEvm: 1,
      createEvmArkade: 1,
      createBitcoinEvm: 1,
      createLightningBitcoin: 1,
      createBitcoinLightning: 1,
      createArkadeBitcoin: 1,
      recover: 20,
      dexQuote: 5,
      dexFundCalls: 5,
      dexClaimCalls: 5,
      redeemData: 2,
      claimGasless: 2,
      permit2Funding: 2,
      useropFunding: 2,
      fundGasless: 2,
      refundCalldata: 2,
      cooperativeClaim: 5,
      cooperativeRefund: 5,
      signServerClaim: 10,
      collabRefundEvmParams: 2,
      collabRefundEvm: 2,
      collabRefund: 10,
      collabRefundArkadeLightning: 10,
      collabRefundDelegate: 10,
      delegateSettle: 10,
      openapi: 1,
    });
  });

  it('fault 51: and by what it asks for: ids by their number, and whatever makes the node ask outside', () => {
    const ids = (count: number) => ({ body: { ids: Array.from({ length: count }, () => 'x') } });
    const to = (source: string, target: string) => ({
      query: {
        source_chain: source,
        source_token: source === '137' ? bodies.createEvmLightning.token_address : 'btc',
        target_chain: target,
        target_token: 'btc',
        source_amount: '50000',
      },
    });
    expect({
      noIds: whole('bulkStatus', ids(0)),
      ids: whole('bulkStatus', ids(100)),
      invoice: whole('createArkadeLightning', { body: bodies.createArkadeLightning }),
      address: whole('createArkadeLightning', {
        body: {
          ...bodies.createArkadeLightning,
          lightning_invoice: undefined,
          lightning_address: 'a@b.example',
          target_amount_sats: 5_000,
        },
      }),
      evmToAddress: whole('createEvmLightning', { body: bodies.createEvmLightning }),
      quote: whole('quote', to('Arkade', 'Lightning')),
      dexQuote: whole('quote', to('137', 'Lightning')),
      send: whole('lightningSendQuote', {
        query: { source_chain: 'Arkade', target_amount_sats: '5000', lightning_address: 'a@b.example' },
      }),
      sendToInvoice: whole('lightningSendQuote', {
        query: { source_chain: 'Arkade', lightning_invoice: bodies.createArkadeLightning.lightning_invoice },
      }),
    }).toEqual({
      noIds: 0.2,
      ids: 10,
      invoice: 1,
      address: 5,
      evmToAddress: 5,
      quote: 0.2,
      dexQuote: 5,
      send: 5,
      sendToInvoice: 0.2,
    });
  });
});
