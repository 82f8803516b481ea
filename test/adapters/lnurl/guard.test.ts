import { createSocket, type Socket } from 'node:dgram';
import { promises } from 'node:dns';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { byNameServers, Forbidden, publicLookup } from '../../../engine/adapters/lnurl/guard.ts';

const servers: Socket[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

const typeA = 1;

/** A name server that gives every name these IPv4 addresses and none of IPv6; without any it says nothing at all. */
async function nameServer(addresses: readonly string[] | null): Promise<promises.Resolver> {
  const server = createSocket('udp4');
  servers.push(server);
  server.on('message', (query, from) => {
    if (addresses === null) return;
    const question = query.subarray(12, query.indexOf(0, 12) + 5);
    const given = question.readUInt16BE(question.length - 4) === typeA ? addresses : [];
    const head = Buffer.from([query[0] ?? 0, query[1] ?? 0, 0x81, 0x80, 0, 1, 0, given.length, 0, 0, 0, 0]);
    const answers = given.map((address) =>
      Buffer.from([0xc0, 12, 0, typeA, 0, 1, 0, 0, 0, 60, 0, 4, ...address.split('.').map(Number)]),
    );
    server.send(Buffer.concat([head, question, ...answers]), from.port, from.address);
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  const resolver = new promises.Resolver({ timeout: 100, tries: 1 });
  resolver.setServers([`127.0.0.1:${(server.address() as AddressInfo).port}`]);
  return resolver;
}

/** What a call to a name would connect to, or why to nothing. */
async function connects(resolver: promises.Resolver): Promise<unknown> {
  return new Promise((resolve) =>
    publicLookup(false, byNameServers(resolver))('told.example', { all: true }, (error, addresses) =>
      resolve(error === null ? addresses : error instanceof Forbidden ? 'forbidden' : 'unknown'),
    ),
  );
}

test('a name is judged by all of its addresses, and connected to those', async () => {
  expect(await connects(await nameServer(['8.8.8.8', '9.9.9.9']))).toEqual([
    { address: '8.8.8.8', family: 4 },
    { address: '9.9.9.9', family: 4 },
  ]);
  for (const address of ['127.0.0.1', '10.1.2.3', '169.254.169.254', '192.168.1.1'])
    expect([address, await connects(await nameServer(['8.8.8.8', address]))]).toEqual([address, 'forbidden']);
});

test('a name server that has nothing, or says nothing, ends the call soon', async () => {
  expect([await connects(await nameServer([])), await connects(await nameServer(null))]).toEqual([
    'unknown',
    'unknown',
  ]);
});
