import { setTimeout as pause } from 'node:timers/promises';
import type { Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { rpcAt } from '../../../engine/adapters/evm/rpc.ts';
import type { SandboxControls } from '../../../engine/sandbox/controls.ts';
import type { SandboxEndpoints } from '../../../engine/sandbox/endpoints.ts';
import { zero } from './chain-reader.ts';

/** Somebody who writes down what the chains say, and holds them to it. */
export interface Witness {
  /** What a chain said and does not say any more. */
  broken(): Promise<string[]>;
  /** How many blocks and transactions were written down. */
  readonly heard: number;
  stop(): Promise<void>;
}

const everyMs = 100;
const gas = 21_000n;

interface EvmTold {
  readonly chainId: string;
  readonly blocks: Map<string, string>;
  readonly transactions: Set<string>;
}

export async function startWitness(
  { evm = {}, bitcoin }: SandboxEndpoints,
  controls: SandboxControls,
): Promise<Witness> {
  const account = privateKeyToAccount(generatePrivateKey());
  const tips = new Set<string>();
  const words = new Map<string, EvmTold>(
    Object.keys(evm).map((chainId) => [chainId, { chainId, blocks: new Map(), transactions: new Set() }]),
  );
  const rpcOf = (chainId: string) => rpcAt(evm[chainId]?.secondRpcUrl ?? '');
  let isOver = false;
  for (const chain of words.keys())
    await controls.evmFaucet(chain, { address: account.address, token: zero, amount: (10n ** 20n).toString() });

  async function watchChain({ chainId, blocks, transactions }: EvmTold): Promise<void> {
    const ask = rpcOf(chainId);
    for (let nonce = 0; !isOver; await pause(everyMs)) {
      try {
        const { number, hash } = (await ask('eth_getBlockByNumber', 'latest', false)) as { number: Hex; hash: Hex };
        const before = blocks.get(number);
        if (before !== undefined && before !== hash) throw new Error(`block ${number} of chain ${chainId} changed`);
        blocks.set(number, hash);
        const next = Number(await ask('eth_getTransactionCount', account.address, 'pending'));
        if (next < nonce) continue; // Its next block brings it back: what was accepted is asked for in the end.
        // What the chain wants and no more: its price is everybody's.
        const gasPrice = BigInt((await ask('eth_gasPrice')) as string);
        const raw = await account.signTransaction({
          ...{ type: 'legacy', chainId: Number(chainId), to: account.address, value: 0n, gas, gasPrice },
          nonce: next,
        });
        transactions.add((await ask('eth_sendRawTransaction', raw)) as string);
        nonce = next + 1;
      } catch (cause) {
        if (cause instanceof Error && cause.message.includes('changed')) throw cause;
        // Down: what was not answered, nobody was told.
      }
    }
  }

  async function watchBitcoin(): Promise<void> {
    for (; !isOver; await pause(4 * everyMs)) {
      await controls.mine(1);
      const tip = await fetch(`${bitcoin.esploraUrl}/blocks/tip/hash`).then(
        (reply) => reply.text(),
        () => null,
      );
      if (tip !== null) tips.add(tip);
    }
  }

  const watching = Promise.all([...[...words.values()].map(watchChain), watchBitcoin()]);
  watching.catch(() => undefined); // Told by `stop`.
  return {
    get heard() {
      const each = [...words.values()].map(({ blocks, transactions }) => blocks.size + transactions.size);
      return each.reduce((sum, one) => sum + one, tips.size);
    },
    async broken() {
      const faults: string[] = [];
      for (const { chainId, blocks, transactions } of words.values()) {
        const ask = rpcOf(chainId);
        for (const [number, hash] of blocks) {
          const block = (await ask('eth_getBlockByNumber', number, false)) as { hash: string } | null;
          if (block?.hash !== hash) faults.push(`chain ${chainId} said ${hash} at ${number}, and has ${block?.hash}`);
        }
        for (const txid of transactions)
          if ((await ask('eth_getTransactionByHash', txid)) === null)
            faults.push(`chain ${chainId} accepted ${txid} and lost it`);
      }
      for (const tip of tips) {
        const reply = await fetch(`${bitcoin.esploraUrl}/block/${tip}/status`);
        const status = reply.ok ? ((await reply.json()) as { in_best_chain: boolean }) : null;
        if (status?.in_best_chain !== true) faults.push(`the Bitcoin chain had the tip ${tip} and lost it`);
      }
      return faults;
    },
    async stop() {
      isOver = true;
      await watching;
    },
  };
}
