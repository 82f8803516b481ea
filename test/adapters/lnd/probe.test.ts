import { afterEach, expect, test } from 'vitest';
import { neededPermissions } from '../../../engine/adapters/lnd/permissions.ts';
import { probeLnd } from '../../../engine/adapters/lnd/probe.ts';
import { PortFailure } from '../../../engine/domain/errors.ts';
import { makeCertificate } from '../../../engine/sandbox/wire/lnd/certificate.ts';
import { bakeMacaroon } from '../../../engine/sandbox/wire/lnd/macaroon.ts';
import { serveLnd } from '../../../engine/sandbox/wire/lnd.ts';
import { openWorlds } from '../../sandbox/worlds.ts';

const certificate = makeCertificate();
const rootKey = new Uint8Array(32).fill(7);
const exact = Object.keys(neededPermissions).map((call) => `uri:${call}`);
const stops: (() => unknown)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function probe(options: { rights?: readonly string[]; key?: Uint8Array; cert?: string; away?: boolean } = {}) {
  const worlds = openWorlds();
  const server = await serveLnd({ world: worlds.lightning, bitcoin: worlds.bitcoin, port: 0, certificate, rootKey });
  stops.push(
    () => worlds.lightning.stop(),
    () => server.stop(),
  );
  if (options.away === true) await server.stop();
  const macaroon = bakeMacaroon(options.key ?? rootKey, options.rights ?? exact);
  const report = await probeLnd({
    socket: server.socket,
    cert: Buffer.from(options.cert ?? certificate.cert),
    macaroon,
    network: 'regtest',
    limit: 3_000,
  });
  return { report, worlds };
}

test('a probe tells who answers, where its chain is, what its channels hold and what the macaroon may do', async () => {
  const { report, worlds } = await probe();
  const { lightning, bitcoin } = worlds;
  expect(report).toEqual({
    rights: { rights: exact, caveats: [], expiresAt: null, lacking: [], unlisted: [], excess: [] },
    node: {
      alias: 'sandbox',
      pubkey: lightning.pubkey('node'),
      version: '0.20.2-beta commit=sandbox',
      network: 'regtest',
      height: bitcoin.tip().height,
      synced: true,
      syncedToGraph: true,
      tipTime: bitcoin.tip().time,
      latencyMs: expect.any(Number),
    },
    channels: {
      ...{ active: 1, inactive: 0, unsure: 0, pending: 0n, leastHeld: 354n },
      ...{ outbound: 1_000_000_000n, inbound: 1_000_000_000n },
    },
    closing: { coins: 1_000_000n, channels: 0, htlcs: [], hashes: [], theirs: [] },
  });
});

test('what keeps a node from telling is told in its place, and the rights all the same', async () => {
  const ways = {
    away: await probe({ away: true }),
    certificate: await probe({ cert: makeCertificate().cert }),
    'root key': await probe({ key: new Uint8Array(32).fill(8) }),
    'lacking right': await probe({ rights: exact.filter((right) => !right.endsWith('ListChannels')) }),
  };
  const reports = Object.entries(ways).map(([name, { report }]) => [
    name,
    codeOf(report.node),
    codeOf(report.channels),
    report.rights?.lacking,
  ]);
  expect(reports).toEqual([
    ['away', 'lightning-away', 'lightning-away', []],
    ['certificate', 'lightning-certificate', 'lightning-certificate', []],
    ['root key', 'lightning-unauthorized', 'lightning-unauthorized', []],
    ['lacking right', null, 'lightning-unauthorized', ['/lnrpc.Lightning/ListChannels']],
  ]);
});

function codeOf(answer: unknown): string | null {
  return answer instanceof PortFailure ? answer.code : null;
}
