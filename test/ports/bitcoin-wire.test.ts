import { connectBitcoin } from '../../engine/adapters/bitcoin/connect.ts';
import { serveEsplora } from '../../engine/sandbox/wire/esplora.ts';
import { openBitcoinWorld } from './bitcoin-controls.ts';
import { bitcoinPortSuite } from './bitcoin-suite.ts';

bitcoinPortSuite('the sandbox chain over Esplora', async () => {
  const { world, controls } = openBitcoinWorld();
  const server = await serveEsplora(world, 0);
  const port = connectBitcoin({ network: 'regtest', core: null, esplora: [server.url] });
  if (port === null) throw new Error('nothing is connected');
  return { controls, port, stop: () => server.stop() };
});
