import { connectBitcoin } from '../../engine/adapters/bitcoin/connect.ts';
import { serveCore } from '../../engine/sandbox/wire/core.ts';
import { serveEsplora } from '../../engine/sandbox/wire/esplora.ts';
import { openBitcoinWorld } from './bitcoin-controls.ts';
import { bitcoinPortSuite, type OpenBitcoin } from './bitcoin-suite.ts';

bitcoinPortSuite('the sandbox chain over Esplora', async () => {
  const { world, controls } = openBitcoinWorld();
  const server = await serveEsplora(world, 0);
  const port = connectBitcoin({ network: 'regtest', core: null, esplora: [server.url] });
  if (port === null) throw new Error('nothing is connected');
  return { controls, port, stop: () => server.stop() };
});

bitcoinPortSuite('the sandbox chain over two Esplora servers of others, which prove what they say', async () => {
  const { world, controls } = openBitcoinWorld();
  const servers = [await serveEsplora(world, 0), await serveEsplora(world, 0)];
  const port = connectBitcoin({
    network: 'regtest',
    core: null,
    esplora: servers.map(({ url }) => url),
    isOwn: () => false,
  });
  if (port === null) throw new Error('nothing is connected');
  return { controls, port, stop: async () => void (await Promise.all(servers.map((server) => server.stop()))) };
});

async function overCore(options: {
  txindex: boolean;
  errorsAreOk: boolean;
  spenderIndex?: boolean;
}): Promise<OpenBitcoin> {
  const { world, controls } = openBitcoinWorld();
  const credentials = { user: 'sandbox', password: 'of the tests' };
  const server = await serveCore({ world, port: 0, ...credentials, ...options });
  const port = connectBitcoin({ network: 'regtest', core: { url: server.url, ...credentials, ca: null }, esplora: [] });
  if (port === null) throw new Error('nothing is connected');
  return { controls, port, stop: () => server.stop() };
}

bitcoinPortSuite('the sandbox chain over JSON-RPC', () => overCore({ txindex: true, errorsAreOk: false }));
bitcoinPortSuite('the sandbox chain over JSON-RPC, with an index of spends', () =>
  overCore({ txindex: true, errorsAreOk: false, spenderIndex: true }),
);
bitcoinPortSuite('the sandbox chain over JSON-RPC, no index of transactions, errors with HTTP 200', () =>
  overCore({ txindex: false, errorsAreOk: true }),
);
