// The sandbox networks in a process of their own, as `npm run sandbox` runs them, with a stopwatch at their doors: what
// arrived and what was made public, each with the machine's clock. `GET /trace` hands it out and forgets it, `GET
// /answers` the same of the requests of the node and when they were answered. `POST /hold` lets no payment arrive, as
// `GET /held` counts them, until `POST /release` lets all arrive in one moment and says when.
import { sha256 } from '@noble/hashes/sha2.js';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fromHex, toHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import { createMiner } from '../../engine/sandbox/control/miner.ts';
import { controlRoutes } from '../../engine/sandbox/control/routes.ts';
import { serveControl } from '../../engine/sandbox/control/server.ts';
import { endpointsFile, sandboxFolder } from '../../engine/sandbox/endpoints.ts';
import { openEvm } from '../../engine/sandbox/evm-networks.ts';
import { evmState } from '../../engine/sandbox/control/evm.ts';
import { openPortBook } from '../../engine/sandbox/port-book.ts';
import { openSecrets } from '../../engine/sandbox/secrets.ts';
import { serveArkadeAdmin } from '../../engine/sandbox/wire/arkade/admin.ts';
import { serveArkade } from '../../engine/sandbox/wire/arkade.ts';
import { serveCore } from '../../engine/sandbox/wire/core.ts';
import { serveEsplora } from '../../engine/sandbox/wire/esplora.ts';
import { serveLnd } from '../../engine/sandbox/wire/lnd.ts';
import { serveLnurl } from '../../engine/sandbox/wire/lnurl.ts';
import { createOperator, type Operator } from '../../engine/sandbox/world/arkade/operator.ts';
import { parsePsbt } from '../../engine/sandbox/world/arkade/psbt.ts';
import { createBitcoin } from '../../engine/sandbox/world/bitcoin/chain.ts';
import { createSources } from '../../engine/sandbox/world/bitcoin/sources.ts';
import { createTime } from '../../engine/sandbox/world/clock.ts';
import { createLightning, type LightningWorld } from '../../engine/sandbox/world/lightning/lightning.ts';
import { createSkew } from '../../engine/sandbox/world/skew.ts';
import { openSqliteJournal } from '../../engine/sandbox/world/sqlite-journal.ts';
import { keccak } from '../../engine/sandbox/world/evm/hex.ts';
import { watchDoors } from './doors.ts';
import type { Traced } from './trace.ts';

const [dataDir = ''] = process.argv.slice(2);
/** Sats on the chain with which the Lightning node could close a channel for each of a thousand payments at once. */
const lightningCoins = 100_000_000;
let trace: Traced[] = [];

/** Milliseconds since the epoch, with a fraction: the same on every process of the machine. */
function now(): number {
  return performance.timeOrigin + performance.now();
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}

function note(what: Traced['what'], key: string, at = now()): void {
  trace.push({ what, key, at });
}

mkdirSync(sandboxFolder(dataDir), { recursive: true, mode: 0o700 });
const journal = openSqliteJournal(join(sandboxFolder(dataDir), 'networks.db'));
if (journal === 'locked') throw new Error(`the sandbox of ${dataDir} runs already`);
const secrets = openSecrets(journal);
const ports = openPortBook(journal);
const time = createTime(journal);
const opening = openEvm(journal, () => time.now(), ports);
const bitcoin = createBitcoin({ journal, time });
let held: (() => void)[] | null = null;
const lightning = createLightning({
  journal,
  clock: bitcoin.clock,
  schedule: (arrive) => void (held === null ? setTimeout(arrive, 1) : held.push(arrive)),
});
setInterval(() => lightning.tick(), 1_000);
const coin = bitcoin.faucet(lightning.newAddress('p2tr'), sats(lightningCoins));
if (coin === null) throw new Error('the wallet of the Lightning node got no coin');
bitcoin.mine(1);
const operator = createOperator({ clock: bitcoin.clock, journal });

const watchedLightning: LightningWorld = {
  ...lightning,
  settle(owner, preimage) {
    note('settle', toHex(sha256(fromHex(preimage))));
    lightning.settle(owner, preimage);
  },
  invoice(owner, hash) {
    note('look', hash);
    return lightning.invoice(owner, hash);
  },
};
lightning.onEvent((event) => {
  if (event.is === 'payment' && event.payer === 'node' && lightning.payment('node', event.hash)?.outcome === 'settled')
    note('paid', event.hash);
});

const watchedOperator: Operator = {
  ...operator,
  submit(tx, checkpoints) {
    const at = now();
    const answer = operator.submit(tx, checkpoints);
    note('submit', parsePsbt(tx).id, at);
    return answer;
  },
  finalize(txid, checkpoints) {
    // The event that makes the preimage public leaves within this call.
    note('public', txid);
    operator.finalize(txid, checkpoints);
  },
  indexer: {
    ...operator.indexer,
    coins(query) {
      for (const script of query.scripts ?? []) note('look', script);
      return operator.indexer.coins(query);
    },
  },
};

/** Transactions of the Bitcoin chain that somebody has read. */
const noted = new Set<string>();

function read(txid: string | undefined): void {
  if (txid === undefined || noted.has(txid)) return;
  noted.add(txid);
  note('read', txid);
}

const watchedBitcoin: typeof bitcoin = {
  ...bitcoin,
  submit(bytes) {
    const at = now();
    const tx = bitcoin.submit(bytes);
    note('sent', tx.txid, at);
    return tx;
  },
  spend(outpoint) {
    const spend = bitcoin.spend(outpoint);
    read(spend?.txid);
    return spend;
  },
  transaction(txid) {
    const entry = bitcoin.transaction(txid);
    if (entry !== undefined) read(txid);
    return entry;
  },
};

const arkade = await serveArkade(watchedOperator, { port: 0 });
const admin = await serveArkadeAdmin(operator, { port: 0 });
const core = await ports.serve(
  'core',
  0,
  (port) => serveCore({ world: watchedBitcoin, port, ...secrets.rpc }),
  (server) => server.port,
);
const esplora = await serveEsplora(watchedBitcoin, 0);
const lnd = await ports.serve(
  'lnd',
  0,
  (port) => serveLnd({ world: watchedLightning, bitcoin, port, ...secrets }),
  (server) => server.port,
);
const payee = await serveLnurl(lightning, 0);
const { evm } = await opening;
for (const { chain } of evm.values()) {
  const { send, call, mine } = chain;
  chain.mine = async (blocks) => {
    await mine(blocks);
    // Readers wait until the block is written down, as this does.
    for (const raw of chain.record.blocks().at(-1)?.transactions ?? []) note('mined', keccak(raw));
  };
  chain.send = (raw) => {
    note('send', String(raw));
    return send(raw);
  };
  chain.call = async (method, ...params) => {
    const answer = await call(method, ...params);
    if (method === 'eth_getLogs')
      for (const { transactionHash } of answer as { transactionHash: string }[]) note('log', transactionHash);
    note('call', method);
    return answer;
  };
}
const doors = watchDoors(
  new Map([
    [portOf(arkade.url), 'arkade'],
    [core.port, 'core'],
    [portOf(esplora.url), 'esplora'],
    [lnd.port, 'lnd'],
    [portOf(payee.url), 'lnurl'],
    ...[...evm].map(([chainId, { server }]): [number, string] => [server.port, `evm-${chainId}`]),
  ]),
  now,
);
const networks = {
  clock: bitcoin.clock,
  bitcoin,
  sources: createSources(journal),
  lightning,
  operator,
  miner: createMiner(bitcoin, journal),
  skew: createSkew(journal),
  arkadeUrl: arkade.url,
  arkadeAdminUrl: admin.url,
  esploraUrl: esplora.url,
  payee,
  evm,
};
const control = await serveControl({
  routes: controlRoutes,
  networks: () => networks,
  reset: async () => undefined,
  port: 0,
  token: secrets.token,
});
const tracing = createServer(({ method, url }, response) => {
  if (method === 'POST') {
    const arriving = url === '/release-one' ? (held?.splice(0, 1) ?? []) : (held ?? []);
    if (url !== '/release-one') held = url === '/hold' ? [] : null;
    response.end(JSON.stringify({ at: now(), payments: arriving.length }));
    for (const arrive of arriving) arrive();
    return;
  }
  if (url === '/held') {
    response.end(JSON.stringify(held?.length ?? 0));
    return;
  }
  if (url === '/answers') {
    response.end(JSON.stringify(doors.take()));
    return;
  }
  response.end(JSON.stringify(trace));
  trace = [];
}).listen(0, '127.0.0.1');
await pause(10);

const endpoints = {
  pid: process.pid,
  control: { url: control.url, token: secrets.token },
  arkade: { url: arkade.url, adminUrl: admin.url },
  bitcoin: { esploraUrl: esplora.url, rpc: { url: core.url, ...secrets.rpc } },
  ...evmState(networks),
  lnd: {
    socket: lnd.socket,
    cert: Buffer.from(secrets.certificate.cert).toString('base64'),
    macaroon: toHex(secrets.macaroon),
  },
};
writeFileSync(endpointsFile(dataDir), JSON.stringify(endpoints), { mode: 0o600 });
process.stdout.write(
  `${JSON.stringify({ event: 'ready', url: `http://127.0.0.1:${(tracing.address() as AddressInfo).port}` })}\n`,
);
process.once('SIGTERM', () => {
  void Promise.all([...evm.values()].map(({ chain }) => chain.stop())).then(() => process.exit(0));
});
