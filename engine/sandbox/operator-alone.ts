import { type Refusal, refuse } from '../domain/errors.ts';
import type { BitcoinClockPort } from '../legs/onchain/port.ts';
import type { ArkadeNetwork } from './control/arkade.ts';
import type { PortBook } from './port-book.ts';
import { followChain } from './real-chain.ts';
import { type RealNode, realNode } from './real-node.ts';
import { serveArkade } from './wire/arkade.ts';
import { createOperator } from './world/arkade/operator.ts';
import { genesis } from './world/bitcoin/block.ts';
import type { Journal } from './world/journal.ts';

export interface OperatorAlone extends ArkadeNetwork {
  stop(): Promise<void>;
}

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

/** An operator as the journal has it, behind its wire, on the clock of a real chain. */
export async function openOperatorAlone(chain: BitcoinClockPort, journal: Journal, ports: PortBook): Promise<OperatorAlone> {
  const clock = followChain(chain, await chain.tip());
  const operator = createOperator({ clock, journal });
  try {
    const arkade = await ports.serve('arkade', 0, (port) => serveArkade(operator, { port }), ({ url }) => Number(new URL(url).port));
    return {
      clock,
      operator,
      arkadeUrl: arkade.url,
      async stop() {
        await arkade.stop();
        operator.stop();
        await clock.stop();
      },
    };
  } catch (error) {
    operator.stop();
    await clock.stop();
    throw error;
  }
}
