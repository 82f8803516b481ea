import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { connectLnd } from '../../../engine/adapters/lnd/connect.ts';
import { PortFailure } from '../../../engine/domain/errors.ts';
import { asPreimage, asSha256, type Sha256 } from '../../../engine/domain/hash.ts';
import { fromHex } from '../../../engine/domain/hex.ts';
import { sats } from '../../../engine/domain/money.ts';
import { unix } from '../../../engine/domain/time.ts';
import { sha256Of } from '../../../engine/legs/secret.ts';
import { makeCertificate } from '../../../engine/sandbox/wire/lnd/certificate.ts';
import { bakeMacaroon } from '../../../engine/sandbox/wire/lnd/macaroon.ts';
import { serveLnd } from '../../../engine/sandbox/wire/lnd.ts';
import { openWorlds } from '../../sandbox/worlds.ts';
import { openGate } from '../../support/tcp-gate.ts';

const certificate = makeCertificate();
const rootKey = new Uint8Array(32).fill(7);
const macaroon = bakeMacaroon(rootKey);
const preimage = asPreimage(new Uint8Array(32).fill(9));
const hash = sha256Of(preimage);
const stops: (() => unknown)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

/** The sandbox's node behind its real wire, and the adapter on it. */
async function open(options: { network?: 'mainnet' | 'regtest'; macaroon?: Uint8Array } = {}) {
  const worlds = openWorlds();
  const server = await serveLnd({ world: worlds.lightning, bitcoin: worlds.bitcoin, port: 0, certificate, rootKey });
  const port = connectLnd({
    socket: server.socket,
    cert: Buffer.from(certificate.cert),
    macaroon: options.macaroon ?? macaroon,
    network: options.network ?? 'regtest',
    now: () => unix(worlds.bitcoin.clock.now()),
    limit: 3_000,
  });
  stops.push(
    () => worlds.lightning.stop(),
    () => server.stop(),
    () => port.stop(),
  );
  return { ...worlds, port, lndPort: server.port };
}

function outside(
  worlds: Awaited<ReturnType<typeof open>>,
  terms: { hold?: boolean } = {},
): { bolt11: string; hash: Sha256 } {
  const invoice = worlds.lightning.addInvoice('outside', { hold: false, amountMsat: 25_000_000n, ...terms });
  return { bolt11: invoice.bolt11, hash: asSha256(fromHex(invoice.hash)) };
}

async function failure(call: Promise<unknown>): Promise<[string, string] | null> {
  try {
    await call;
    return null;
  } catch (error) {
    if (!(error instanceof PortFailure)) throw error;
    return [error.code, error.retry];
  }
}

describe('a node that accepts the connection and says nothing', () => {
  it('is given up by our own clock: reading may be repeated, anything else must be asked after', async () => {
    const silent: Server = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    stops.push(() => silent.close());
    const port = connectLnd({
      socket: `localhost:${(silent.address() as AddressInfo).port}`,
      cert: Buffer.from(certificate.cert),
      macaroon,
      network: 'regtest',
      limit: 150,
    });
    stops.push(() => port.stop());
    const { bolt11 } = outside(await open());
    const reads = [port.info(), port.liquidity(), port.hold(hash), port.payment(hash), port.estimateFee(bolt11)];
    const acts = [port.settle(preimage), port.cancel(hash), port.createInvoice({ amount: sats(1), description: '' })];
    const retries = async (calls: Promise<unknown>[]) =>
      (await Promise.all(calls.map(failure))).map((error) => error?.[1]);
    expect([await retries(reads), await retries(acts)]).toEqual([reads.map(() => 'safe'), acts.map(() => 'ask-first')]);
  });
});

describe('a connection that died without a word', () => {
  it('costs one call its time and is given up for a new one, over which the watch goes on', async () => {
    const bench = await open();
    const gate = await openGate({ host: '127.0.0.1', port: bench.lndPort });
    const port = connectLnd({
      socket: `localhost:${gate.port}`,
      cert: Buffer.from(certificate.cert),
      macaroon,
      network: 'regtest',
      now: () => unix(bench.bitcoin.clock.now()),
      limit: 1_000,
    });
    stops.push(
      () => gate.shut(),
      () => port.stop(),
    );
    const calls: string[] = [];
    const watch = port.watch({ onHold: () => calls.push('hold'), onPayment: () => {}, onGap: () => calls.push('gap') });
    const { bolt11 } = await port.createHold({
      hash,
      amount: sats(1_000),
      description: '',
      expiresAt: unix(bench.bitcoin.clock.now() + 600),
      cltvDelta: 100,
    });
    watch.addHold(hash);
    await port.hold(hash);
    gate.freeze();
    bench.lightning.send('outside', { bolt11, feeLimitMsat: 10_000n });
    expect(await failure(port.hold(hash))).toEqual(['lightning-timeout', 'safe']);
    expect((await port.hold(hash)).is).toBe('held');
    await expect.poll(() => calls, { timeout: 60_000 }).toEqual(['gap', 'hold']);
  });

  it('is not taken for one over which lnd is slow with a single call', async () => {
    const bench = await open();
    let gaps = 0;
    const watch = bench.port.watch({ onHold: () => {}, onPayment: () => {}, onGap: () => gaps++ });
    await bench.port.createHold({
      hash,
      amount: sats(1_000),
      description: '',
      expiresAt: unix(bench.bitcoin.clock.now() + 600),
      cltvDelta: 100,
    });
    watch.addHold(hash);
    bench.lightning.setFaults({ chain: 'away' });
    const slow = failure(bench.port.info());
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await bench.port.hold(hash)).is).toBe('open');
    expect(await slow).toEqual(['lightning-timeout', 'safe']);
    bench.lightning.setFaults({ chain: 'back' });
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect([(await bench.port.info()).synced, gaps]).toEqual([true, 0]);
  });
});

describe('paying over lnd', () => {
  it('twice at the same moment sends one payment', async () => {
    const bench = await open();
    const invoice = outside(bench, { hold: true });
    const before = await bench.port.liquidity();
    const request = {
      ...invoice,
      amount: sats(25_000),
      maxFeeMsat: 100_000n,
      maxTimeoutHeight: bench.bitcoin.clock.height() + 400,
    };
    await Promise.all([bench.port.pay(request), bench.port.pay(request), bench.port.pay(request)]);
    await expect.poll(async () => (await bench.port.payment(invoice.hash)).is).toBe('in-flight');
    const { pending } = await bench.port.liquidity();
    expect(pending - before.pending).toBeLessThan(50_000n);
  });

  it('twice at the same moment fails once: no second attempt follows the failure', async () => {
    const bench = await open();
    const invoice = outside(bench);
    bench.lightning.setFaults({ nextPayment: 'fails' });
    const request = {
      ...invoice,
      amount: sats(25_000),
      maxFeeMsat: 100_000n,
      maxTimeoutHeight: bench.bitcoin.clock.height() + 400,
    };
    await Promise.all([bench.port.pay(request), bench.port.pay(request), bench.port.pay(request)]);
    await bench.port.pay(request);
    expect((await bench.port.payment(invoice.hash)).is).toBe('failed');
  });

  it('past its height is refused for good before it is sent, and a payment in flight is found', async () => {
    const bench = await open();
    const [late, held] = [outside(bench), outside(bench, { hold: true })];
    const height = bench.bitcoin.clock.height();
    const terms = { amount: sats(25_000), maxFeeMsat: 100_000n };
    expect(await failure(bench.port.pay({ ...late, ...terms, maxTimeoutHeight: height + 2 }))).toEqual([
      'payment-too-late',
      'never',
    ]);
    expect(await failure(bench.port.pay({ ...late, ...terms, maxTimeoutHeight: height + 10 }))).toEqual([
      'payment-refused',
      'never',
    ]);
    expect(await bench.port.payment(late.hash)).toEqual({ is: 'absent' });
    await bench.port.pay({ ...held, ...terms, maxTimeoutHeight: height + 400 });
    expect(await failure(bench.port.pay({ ...held, ...terms, maxTimeoutHeight: height + 2 }))).toBeNull();
    expect(await bench.port.payment(held.hash)).toEqual({ is: 'in-flight' });
  });
});

describe('a node that is not ours to use', () => {
  it('on another network is told by name and gets no invoice and no payment', async () => {
    const bench = await open({ network: 'mainnet' });
    const invoice = outside(bench);
    const terms = {
      hash,
      amount: sats(1_000),
      description: '',
      expiresAt: unix(bench.bitcoin.clock.now() + 600),
      cltvDelta: 100,
    };
    expect([
      await failure(bench.port.info()),
      await failure(bench.port.createHold(terms)),
      await failure(bench.port.pay({ ...invoice, amount: sats(25_000), maxFeeMsat: 0n, maxTimeoutHeight: 10_000_000 })),
    ]).toEqual([
      ['other-network', 'safe'],
      ['lightning-unclear', 'ask-first'],
      ['invoice-mismatch', 'never'],
    ]);
  });

  it('that refuses our macaroon ends nothing: the owner can heal it', async () => {
    const { port } = await open({ macaroon: bakeMacaroon(new Uint8Array(32).fill(8)) });
    const failures = await Promise.all([
      failure(port.hold(hash)),
      failure(port.settle(preimage)),
      failure(port.info()),
    ]);
    expect(failures.map((one) => one?.[1])).toEqual(['safe', 'safe', 'safe']);
  });
});
