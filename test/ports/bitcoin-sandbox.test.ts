import { createBitcoinPort } from '../support/sandbox-ports/bitcoin.ts';
import { openBitcoinWorld } from './bitcoin-controls.ts';
import { bitcoinPortSuite } from './bitcoin-suite.ts';

bitcoinPortSuite('the sandbox chain, in process', async () => {
  const { world, controls } = openBitcoinWorld();
  return { controls, port: createBitcoinPort(world), stop: async () => undefined };
});
