import { type Refusal, refuse } from '../domain/errors.ts';
import type { BitcoinClockPort } from '../legs/onchain/port.ts';
import { type RunningArkade, openArkade } from './arkade-network.ts';
import type { PortBook } from './port-book.ts';
import { followChain } from './real-chain.ts';
import { type RealNode, realNode } from './real-node.ts';
import { genesis } from './world/bitcoin/block.ts';
import type { Journal } from './world/journal.ts';

/** The node behind `--bitcoin-rpc`, once it has answered as a node of the chain that the operator plays on. */
export async function reachNode(node: RealNode): Promise<BitcoinClockPort | Refusal> {
  if (!URL.canParse(node.url) || !/^https?:$/.test(new URL(node.url).protocol)) {
    return refuse('invalid', '--bitcoin-rpc takes the address of a JSON-RPC as http://user:password@host:port or https://user:password@host:port.');
  }
  const { host, protocol } = new URL(node.url);
  try {
    const chain = realNode(node);
    const first = await chain.genesis();
    if (first === genesis.hash) return chain;
    return refuse('invalid', `The chain of the Bitcoin node at ${host} begins with block ${first}, the sandbox's operator plays on regtest, which begins with ${genesis.hash}: give it a node on regtest.`);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const hint = protocol === 'https:' && node.ca === undefined ? ', and give its certificate with --bitcoin-rpc-ca if it signed that itself' : '';
    return refuse('unavailable', `The Bitcoin node at ${host} cannot be followed (${why}): check that it runs, its address, user and password${hint}.`);
  }
}

/** An operator as the journal has it, on the clock of a real chain. */
export async function openOperatorAlone(chain: BitcoinClockPort, journal: Journal, ports: PortBook): Promise<RunningArkade> {
  const clock = followChain(chain, await chain.tip());
  try {
    const arkade = await openArkade({ clock, journal }, ports);
    return {
      ...arkade,
      async stop() {
        await arkade.stop();
        await clock.stop();
      },
    };
  } catch (error) {
    await clock.stop();
    throw error;
  }
}
