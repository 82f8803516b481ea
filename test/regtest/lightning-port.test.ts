import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import {
  cancelHodlInvoice,
  createChainAddress,
  createHodlInvoice,
  createInvoice,
  getInvoice,
  getPayment,
  getRouteToDestination,
  payViaPaymentRequest,
  payViaRoutes,
  settleHodlInvoice,
  updateRoutingFees,
} from 'ln-service';
import { parsePaymentRequest } from 'invoices';
import { afterAll, beforeAll } from 'vitest';
import { connectLnd } from '../../engine/adapters/lnd/connect.ts';
import { neededPermissions } from '../../engine/adapters/lnd/permissions.ts';
import { type Sha256 } from '../../engine/domain/hash.ts';
import { fromHex, toHex } from '../../engine/domain/hex.ts';
import { unix } from '../../engine/domain/time.ts';
import { hashOf, type LightningControls, patience } from '../ports/lightning-scene.ts';
import { lightningPortSuite } from '../ports/lightning-suite.ts';
import { openGate, type TcpGate } from '../support/tcp-gate.ts';
import { lndVersion } from './kit/build.ts';
import { until } from './kit/daemon.ts';
import type { Lnd } from './kit/lnd.ts';
import { type Net, startNet } from './kit/net.ts';
import { onDaemons } from './kit/on-daemons.ts';
import { keyHashTwin } from './kit/twins.ts';

const largestPart = 5_000_000;
/**
 * Calls that lnd does not answer are given up after this; everything else takes milliseconds, or seconds on a machine
 * with much to do.
 */
const callLimitMs = 5_000;

onDaemons('the Lightning port on real lnd', () => {
  let net: Net;
  let gate: TcpGate;
  let macaroon: Uint8Array;

  beforeAll(async () => {
    net = await startNet({ lnds: ['node', 'hub', 'outside'] });
    const [node, hub] = [net.lnd('node'), net.lnd('hub')];
    const [host = '', port = ''] = node.socket.split(':');
    gate = await openGate({ host, port: Number(port) });
    macaroon = await bake(node);
    await updateRoutingFees({
      lnd: hub.lnd,
      base_fee_mtokens: '1000',
      fee_rate: 1,
      cltv_delta: 80,
      max_htlc_mtokens: String(largestPart * 1_000),
    });
    await pause(500);
  });
  afterAll(async () => {
    await gate.shut();
    await net.stop();
  });

  lightningPortSuite(`lnd ${lndVersion}`, async () => {
    await net.forgive();
    await gate.open();
    const port = connectLnd({
      socket: `localhost:${gate.port}`,
      cert: readFileSync(net.lnd('node').certFile),
      macaroon,
      network: 'regtest',
      limit: callLimitMs,
    });
    return { port, controls: controlsOf(net, gate), stop: () => port.stop() };
  });
});

/** A macaroon of exactly the calls that are said to be needed: whatever else is called fails here. */
async function bake({ lnd }: Lnd): Promise<Uint8Array> {
  const permissions = Object.keys(neededPermissions).map((call) => ({ entity: 'uri', action: call }));
  const { macaroon } = await new Promise<{ macaroon: string }>((resolve, reject) => {
    lnd.default.bakeMacaroon({ permissions }, (error: unknown, answer: { macaroon: string }) =>
      error ? reject(error) : resolve(answer),
    );
  });
  return fromHex(macaroon);
}

/** The rest of the network: the hub and the wallet behind it are lnds of their own. */
function controlsOf(net: Net, gate: TcpGate): LightningControls {
  const outside = net.lnd('outside');
  const preimages = new Map<string, string>();
  const attempts = new Map<string, Promise<unknown>>();

  /** Pays without waiting for the end, which may never come while the payment is held. */
  async function inBackground(hash: string, work: Promise<unknown>): Promise<void> {
    attempts.set(
      hash,
      work.catch((error: unknown) => error),
    );
    await Promise.race([attempts.get(hash), pause(50)]);
  }

  async function held(hash: Sha256): Promise<void> {
    await until(
      'the outside wallet holds the payment',
      async () => ((await getInvoice({ lnd: outside.lnd, id: toHex(hash) })).is_held === true ? true : null),
      { limitMs: patience.timeout },
    );
  }

  async function outsideInvoice(
    terms: Parameters<LightningControls['outsideInvoice']>[0],
  ): Promise<{ bolt11: string; hash: Sha256 }> {
    const secret = new Uint8Array(randomBytes(32));
    const hash = hashOf(secret);
    const { msat, hold = false, expirySeconds, cltvDelta } = terms;
    const common = {
      lnd: outside.lnd,
      mtokens: String(msat),
      ...(cltvDelta === undefined ? {} : { cltv_delta: cltvDelta }),
      ...(expirySeconds === undefined
        ? {}
        : { expires_at: new Date(Date.now() + expirySeconds * 1_000).toISOString() }),
    };
    preimages.set(toHex(hash), toHex(secret));
    const { request } = hold
      ? await createHodlInvoice({ ...common, id: toHex(hash) })
      : await createInvoice({ ...common, secret: toHex(secret) });
    return { bolt11: request, hash };
  }

  return {
    rules: { cancelBlocks: 12, leastCltvDelta: 18 },
    largestPart,
    now: async () => unix(Math.floor(Date.now() / 1_000)),
    advance: (seconds) => pause(seconds * 1_000),
    outsideInvoice,
    heldOutside: held,
    async settleOutside(hash) {
      await held(hash);
      await settleHodlInvoice({ lnd: outside.lnd, secret: preimages.get(toHex(hash)) ?? '' });
    },
    async cancelOutside(hash) {
      await held(hash);
      await cancelHodlInvoice({ lnd: outside.lnd, id: toHex(hash) });
    },
    async payFromOutside(bolt11, { partMsat } = {}) {
      const { id } = parsePaymentRequest({ request: bolt11 });
      const parts = partMsat === undefined ? {} : { max_paths: 16, max_path_mtokens: String(partMsat) };
      await inBackground(id, payViaPaymentRequest({ lnd: outside.lnd, request: bolt11, max_fee: 1_000, ...parts }));
    },
    async sendPartFromOutside(bolt11, partMsat) {
      const { id, destination, cltv_delta, mtokens, payment = '', routes } = parsePaymentRequest({ request: bolt11 });
      const { route } = await getRouteToDestination({
        lnd: outside.lnd,
        destination,
        // ln-service and lnd add three blocks each.
        cltv_delta: cltv_delta - 3,
        mtokens: String(partMsat),
        payment,
        total_mtokens: mtokens,
        ...(routes === undefined ? {} : { routes }),
      });
      if (route === undefined) throw new Error('the outside wallet finds no route for a part');
      await inBackground(id, payViaRoutes({ lnd: outside.lnd, id, routes: [route] }));
    },
    async outsidePayment(hash) {
      const { is_confirmed, is_failed } = await getPayment({ lnd: outside.lnd, id: toHex(hash) }).catch(
        async (error: unknown) => {
          if (!Array.isArray(error) || error[1] !== 'SentPaymentNotFound') throw error;
          return { is_confirmed: false, is_failed: true };
        },
      );
      if (is_confirmed) return 'settled';
      return is_failed ? 'failed' : 'in-flight';
    },
    mine: (blocks) => net.mine(blocks),
    async payWallet(amount) {
      const { address: to } = await createChainAddress({ lnd: net.lnd('node').lnd, format: 'p2wpkh' });
      return (await net.faucet.pay([{ to, amount }])).txid;
    },
    async payWalletTwice(amount) {
      const { address: to } = await createChainAddress({ lnd: net.lnd('node').lnd, format: 'p2wpkh' });
      return (
        await net.faucet.pay([
          { to, amount },
          { to: keyHashTwin(to), amount },
        ])
      ).txid;
    },
    cut: () => gate.shut(),
    mend: () => gate.open(),
    kill: (whom) => net.lnd(whom).kill(),
    async revive(whom) {
      await net.lnd(whom).start();
      await net.reconnect();
    },
    withdrawPeer: () => net.lnd('hub').kill(),
    async returnPeer() {
      await net.lnd('hub').start();
      await net.reconnect();
      await net.forgive();
    },
    withdrawChain: () => net.node.kill(),
    async returnChain() {
      await net.node.start(net.memory);
      const height = await net.height();
      await Promise.all(net.lnds.map((lnd) => lnd.reached(height)));
    },
  };
}
