import { createHash, randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createKeys } from '../../engine/adapters/keys/keys.ts';
import { connectLnd } from '../../engine/adapters/lnd/connect.ts';
import { asSha256 } from '../../engine/domain/hash.ts';
import { sats } from '../../engine/domain/money.ts';
import { unix } from '../../engine/domain/time.ts';
import { schnorrSign } from '../../engine/legs/secp256k1.ts';
import type { SandboxEndpoints } from '../../engine/sandbox/endpoints.ts';
import { httpClient } from './http-client.ts';
import { quantiles, type Quantiles } from './trace.ts';

/** What no implementation on this machine can go below, measured now. */
export interface Floors {
  readonly fsync: Quantiles;
  readonly loopback: Quantiles;
  readonly keyDerivation: Quantiles;
  readonly schnorrSign: Quantiles;
}

function timed(times: number, act: (i: number) => void): Quantiles {
  for (let i = 0; i < Math.min(times, 20); i++) act(i);
  return quantiles(
    Array.from({ length: times }, (_, i) => {
      const begun = performance.now();
      act(i + 20);
      return performance.now() - begun;
    }),
  );
}

export async function measureFloors(folder: string, times: number): Promise<Floors> {
  const path = join(folder, 'floor');
  const file = openSync(path, 'w');
  const block = randomBytes(4_096);
  const fsync = timed(times, () => {
    writeSync(file, block, 0, block.length, 0);
    fsyncSync(file);
  });
  closeSync(file);
  rmSync(path);
  const keys = createKeys(randomBytes(64), 'regtest');
  const keyDerivation = timed(times, (i) => void keys.signer({ branch: 'swap', index: i }));
  const secret = randomBytes(32);
  const signing = timed(times, () => void schnorrSign(block.subarray(0, 32), secret));
  return { fsync, loopback: await measureLoopback(times), keyDerivation, schnorrSign: signing };
}

async function measureLoopback(times: number): Promise<Quantiles> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end('{}'));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const client = httpClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 1);
  const samples: number[] = [];
  for (let i = 0; i < times; i++) {
    const begun = performance.now();
    await client.post('/', {});
    samples.push(performance.now() - begun);
  }
  client.close();
  server.close();
  return quantiles(samples.slice(20));
}

/** What the Lightning node of the sandbox takes for a hold invoice: the wait inside every lightning-arkade create. */
export async function measureHoldInvoice({ lnd }: SandboxEndpoints, times: number): Promise<Quantiles> {
  const lightning = connectLnd({
    socket: lnd.socket,
    cert: Buffer.from(lnd.cert, 'base64'),
    macaroon: Buffer.from(lnd.macaroon, 'hex'),
    network: 'regtest',
  });
  const samples: number[] = [];
  for (let i = 0; i < times; i++) {
    const hash = asSha256(new Uint8Array(createHash('sha256').update(randomBytes(32)).digest()));
    const begun = performance.now();
    await lightning.createHold({
      hash,
      amount: sats(2_000n),
      description: 'floor',
      expiresAt: unix(Math.floor(Date.now() / 1_000) + 600),
      cltvDelta: 200,
    });
    samples.push(performance.now() - begun);
  }
  await lightning.stop();
  return quantiles(samples.slice(5));
}
