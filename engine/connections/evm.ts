import { isDeepStrictEqual } from 'node:util';
import type { Config } from '../config.ts';
import { probeEvm } from '../adapters/evm/probe.ts';
import { otherNetwork } from '../domain/chain.ts';
import type { EvmSeen } from '../service/networks/evm.ts';

export interface EvmChains {
  use(chains: Config['evm']): void;
  seen(): readonly EvmSeen[];
  stop(): Promise<void>;
}

const limitMs = 8_000;

/** Asks the RPCs of the configured chains now and then: who they are, and their latest block. */
export function createEvmChains({ everyMs }: { everyMs: number }): EvmChains {
  let chains: Config['evm'] = {};
  let seen = new Map<string, EvmSeen>();
  let timer: NodeJS.Timeout | null = null;
  let looking: Promise<void> = Promise.resolve();

  async function look(): Promise<void> {
    const configured = chains;
    const answers = await Promise.all(Object.entries(configured).map(([chain, { rpc }]) => askChain(chain, rpc)));
    if (configured === chains) seen = new Map(answers.map((one) => [one.chain, one]));
  }

  function lookSoon(): void {
    looking = looking.then(look);
  }

  return {
    use(next) {
      if (isDeepStrictEqual(chains, next)) return;
      chains = next;
      seen = new Map(Object.keys(next).map((chain) => [chain, { chain, state: 'away', detail: 'not asked yet' }]));
      if (timer !== null) clearInterval(timer);
      timer = Object.keys(next).length === 0 ? null : setInterval(lookSoon, everyMs);
      lookSoon();
    },
    seen: () => [...seen.values()],
    async stop() {
      if (timer !== null) clearInterval(timer);
      chains = {};
      await looking;
    },
  };
}

/** One that belongs to another chain makes the whole chain unusable: nobody could tell whose word is believed. */
async function askChain(chain: string, rpc: readonly string[]): Promise<EvmSeen> {
  const answers = await Promise.all(rpc.map(async (url) => ({ url, answer: await probeEvm(url, limitMs) })));
  const silent: string[] = [];
  let best: { height: number; blockTime: number } | null = null;
  for (const { url, answer } of answers) {
    if (answer.is === 'unanswered') {
      silent.push(`${new URL(url).host}: ${answer.words}`);
      continue;
    }
    const { chainId, height, blockTime } = answer.facts;
    if (String(chainId) !== chain) return { chain, state: 'away', detail: otherChain(url, chainId, chain) };
    if (best === null || height > best.height) best = { height, blockTime };
  }
  if (best === null)
    return { chain, state: 'away', detail: `No RPC of chain ${chain} answers (${silent.join('; ')}).` };
  const partly = silent.length === 0 ? '' : `, silent: ${silent.join('; ')}`;
  return {
    chain,
    state: 'connected',
    detail: `${rpc.length - silent.length} of ${rpc.length} RPCs answer${partly}`,
    ...best,
  };
}

function otherChain(url: string, theirs: number, ours: string): string {
  return otherNetwork(`The EVM RPC ${new URL(url).host}`, `chain ${theirs}`, `chain ${ours}`);
}
