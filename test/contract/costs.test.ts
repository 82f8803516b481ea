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
import type { DoorCall } from '../../engine/api/door.ts';
import { operationAt } from '../../engine/boltz/routes.ts';
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

  it('fault 304, bitcoin: and by the coins that a transaction takes, whichever door it comes by', () => {
    const spending = (inputs: number, marker = '') => ({
      body: {
        pub_nonce: '02'.repeat(66),
        transaction: `02000000${marker}${inputs.toString(16).padStart(2, '0')}${'00'.repeat(41 * inputs)}00000000`,
        index: 0,
        preimage: '11'.repeat(32),
        signature: '22'.repeat(64),
      },
    });
    const costsOf = (inputs: number, marker?: string) =>
      (['cooperativeClaim', 'cooperativeRefund'] as const).map((name) => whole(name, spending(inputs, marker)));
    expect([costsOf(1), costsOf(1, '0001'), costsOf(101), costsOf(101, '0001')]).toEqual([
      [5, 5],
      [5, 5],
      [105, 105],
      [105, 105],
    ]);
    const doorCosts = (path: string, toSign: object) => {
      const body = path.includes('chain/x/claim') ? { toSign } : toSign;
      return operationAt('POST', path)?.operation.more?.({ body } as DoorCall);
    };
    const { transaction } = spending(101, '0001').body;
    for (const path of ['reverse/x/claim', 'chain/x/claim', 'submarine/x/refund', 'chain/x/refund'])
      expect([doorCosts(`swap/${path}`, { transaction }), doorCosts(`swap/${path}`, {})]).toEqual([100, 0]);
    // Where a body names two, whichever is read costs no less.
    const both = { transaction: spending(1).body.transaction, toSign: { transaction } };
    expect(operationAt('POST', 'swap/chain/x/claim')?.operation.more?.({ body: both } as DoorCall)).toBe(100);
  });
});
