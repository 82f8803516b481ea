import { coreChain } from '../adapters/bitcoin/core-chain.ts';
import { coreRpc } from '../adapters/bitcoin/json-rpc.ts';
import { PortFailure, type Refusal, refuse } from '../domain/errors.ts';
import type { BitcoinClockPort } from '../legs/onchain/port.ts';
import { type RunningArkade, openArkade } from './arkade-network.ts';
import type { PortBook } from './port-book.ts';
import { followChain } from './real-chain.ts';
import { genesis } from './world/bitcoin/block.ts';
import type { Journal } from './world/journal.ts';

export interface RealNode {
  /** `http(s)://user:password@host:port` of a Core-style JSON-RPC. */
  readonly url: string;
  /** The PEM certificate that the node's own is judged by; the machine's authorities without one. */
  readonly ca?: string;
}

/** The node behind `--bitcoin-rpc`, once it has answered as a node of the chain that the operator plays on. */
export async function reachNode({ url, ca }: RealNode): Promise<BitcoinClockPort | Refusal> {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    return refuse(
      'invalid',
      '--bitcoin-rpc takes the address of a JSON-RPC as http://user:password@host:port or ' +
        'https://user:password@host:port.',
    );
  }
  const { username, password, host, origin, pathname, protocol } = new URL(url);
  const [user, secret] = [decodeURIComponent(username), decodeURIComponent(password)];
  const chain = coreChain(coreRpc({ url: origin + pathname, user, password: secret, ca: ca ?? null }));
  try {
    const first = await chain.genesis();
    if (first === genesis.hash) return chain;
    return refuse(
      'invalid',
      `The chain of the Bitcoin node at ${host} begins with block ${first}, the sandbox's operator plays on ` +
        `regtest, which begins with ${genesis.hash}: give it a node on regtest.`,
    );
  } catch (error) {
    if (!(error instanceof PortFailure)) throw error;
    const hint =
      protocol === 'https:' && ca === undefined
        ? ' If it signed its certificate itself, give that with --bitcoin-rpc-ca.'
        : '';
    return refuse('unavailable', `${error.message}${hint}`);
  }
}

/** An operator as the journal has it, on the clock of a real chain. */
export async function openOperatorAlone(
  chain: BitcoinClockPort,
  journal: Journal,
  ports: PortBook,
): Promise<RunningArkade> {
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
