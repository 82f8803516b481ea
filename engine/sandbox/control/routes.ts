import { HttpError } from '../wire/http.ts';
import { OperatorError } from '../world/arkade/errors.ts';
import { TxRejected } from '../world/bitcoin/rejection.ts';
import { EvmRefused } from '../world/evm/errors.ts';
import { LightningError } from '../world/lightning/errors.ts';
import type { LightningWorld } from '../world/lightning/lightning.ts';
import { readInvoice } from '../world/lightning/payments.ts';
import type { Skew } from '../world/skew.ts';
import { type ArkadeNetwork, arkadeRoutes } from './arkade.ts';
import { type BitcoinNetwork, bitcoinRoutes } from './bitcoin.ts';
import { type EvmNetworks, evmRoutes, evmState } from './evm.ts';
import type { ControlRoute } from './route.ts';
import { mostSats, onlyOne, readFields } from './fields.ts';

/** The networks that the controls play on, and where they are served. */
export interface Networks extends ArkadeNetwork, BitcoinNetwork, EvmNetworks {
  readonly lightning: LightningWorld;
  readonly skew: Skew;
  readonly esploraUrl: string;
  /** Where the outside wallet takes payments by LNURL and Lightning address. */
  readonly payee: { readonly url: string; readonly lnurl: string; readonly lightningAddress: string };
}

const aYear = 31_536_000;
/** What the outside wallet pays for a route at most: more than the hub ever asks. */
const outsideFeeLimitMsat = 10_000_000_000n;

const outcomes = { 'in-flight': 'in_flight', settled: 'settled', failed: 'failed' } as const;

export const controlRoutes: readonly ControlRoute<Networks>[] = [
  ...arkadeRoutes,
  ...bitcoinRoutes,
  ...evmRoutes,
  {
    method: 'GET',
    path: /^\/sandbox$/,
    answer: ({ bitcoin, sources, lightning, operator, evm, skew, arkadeUrl, esploraUrl, payee }) => ({
      clock: bitcoin.clock.now(),
      ...(skew.seconds() === 0 ? {} : { skew: skew.seconds() }),
      arkade: { url: arkadeUrl },
      bitcoin: {
        esploraUrl,
        height: bitcoin.clock.height(),
        mtp: bitcoin.clock.mtp(),
        feeRate: bitcoin.feeRate(),
      },
      lightning: {
        nodePubkey: lightning.pubkey('node'),
        peerPubkey: lightning.pubkey('outside'),
        lnurl: payee.lnurl,
        lightningAddress: payee.lightningAddress,
      },
      ...evmState({ evm }),
      faults: {
        arkade: operator.faults.isAway ? 'away' : 'back',
        lightning: lightning.faults().node,
        bitcoin: sources.is(),
        nextPayment: lightning.faults().nextPayment,
        hanging: lightning
          .inFlight()
          .filter(({ payer, fate }) => payer === 'node' && fate === 'hangs')
          .map(({ hash }) => hash),
        evm: Object.fromEntries([...evm].map(([chain, { server }]) => [chain, server.fault()])),
      },
    }),
  },
  {
    method: 'POST',
    path: /^\/sandbox\/clock\/advance$/,
    async answer({ bitcoin, evm }, body) {
      bitcoin.advance(readFields(body, ['seconds']).whole('seconds', 0, aYear));
      // Read before the blocks come: time goes on while they do.
      const clock = bitcoin.clock.now();
      await Promise.all([...evm.values()].map(({ chain }) => chain.follow()));
      return { clock };
    },
  },
  {
    method: 'POST',
    path: /^\/sandbox\/clock\/skew$/,
    answer({ skew }, body) {
      skew.set(readFields(body, ['seconds']).whole('seconds', -aYear, aYear));
      return {};
    },
  },
  {
    method: 'POST',
    path: /^\/sandbox\/lightning\/invoice$/,
    answer({ lightning }, body) {
      const fields = readFields(body, ['amount_sats', 'description', 'expiry_seconds', 'hold']);
      const { bolt11, hash } = lightning.addInvoice('outside', {
        hold: fields.flag('hold'),
        amountMsat: BigInt(fields.whole('amount_sats', 1, mostSats)) * 1000n,
        ...(fields.has('description') ? { memo: fields.text('description') } : {}),
        ...(fields.has('expiry_seconds') ? { expirySeconds: fields.whole('expiry_seconds', 1, aYear) } : {}),
      });
      return { bolt11, payment_hash: hash };
    },
  },
  {
    method: 'POST',
    path: /^\/sandbox\/lightning\/pay$/,
    answer({ lightning }, body) {
      const bolt11 = readFields(body, ['bolt11']).text('bolt11');
      lightning.send('outside', { bolt11, feeLimitMsat: outsideFeeLimitMsat });
      return { payment_hash: readInvoice(bolt11).hash };
    },
  },
  {
    method: 'GET',
    path: /^\/sandbox\/lightning\/payments\/([0-9a-fA-F]{64})$/,
    answer({ lightning }, _, [hash = '']) {
      const payment = lightning.payment('outside', hash.toLowerCase()) ?? lightning.payment('node', hash.toLowerCase());
      if (payment === undefined) throw new HttpError(404, `There is no payment with the hash ${hash}.`);
      return { state: outcomes[payment.outcome], ...(payment.preimage === null ? {} : { preimage: payment.preimage }) };
    },
  },
  {
    method: 'POST',
    path: /^\/sandbox\/lightning\/fault$/,
    answer({ lightning }, body) {
      const names = ['next_payment', 'node'] as const;
      const fields = readFields(body, names);
      if (onlyOne(fields, names) === 'node') lightning.setFaults({ node: fields.choice('node', ['away', 'back']) });
      else lightning.setFaults({ nextPayment: fields.choice('next_payment', ['fails', 'hangs']) });
      return {};
    },
  },
  {
    method: 'POST',
    path: /^\/sandbox\/lightning\/release$/,
    answer({ lightning }, body) {
      const fields = readFields(body, ['payment_hash', 'outcome']);
      lightning.release(fields.hash('payment_hash'), fields.choice('outcome', ['settles', 'fails']));
      return {};
    },
  },
];

/** What a world refuses is the caller's mistake. */
export function asHttpError(error: unknown): unknown {
  if (error instanceof LightningError)
    return new HttpError(error.kind === 'unknown-payment' ? 404 : 400, error.message);
  if (error instanceof OperatorError || error instanceof TxRejected || error instanceof EvmRefused)
    return new HttpError(400, error.message);
  return error;
}
