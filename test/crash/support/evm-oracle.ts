import { rpcAt } from '../../../engine/adapters/evm/rpc.ts';
import type { SandboxEndpoints } from '../../../engine/sandbox/endpoints.ts';
import { readChain, zero, type ChainReader } from './chain-reader.ts';
import { accountFaults, holding, type EvmLeg, type Holdings } from './evm-verdict.ts';
import type { Scenario } from './scenario.ts';

/** What the EVM chains say, each by an RPC that no fault befalls. */
export interface EvmOracle {
  /** Says who the node is on all of them. */
  know(account: string): void;
  /** The node's coins as if gas had cost nothing so far. */
  holdings(): Promise<Holdings>;
  legOf(scenario: Pick<Scenario, 'hash' | 'record' | 'toEvm' | 'fromEvm'>): Promise<EvmLeg | undefined>;
  reader(chainId: number): ChainReader;
  nonces(): Promise<readonly AccountNonces[]>;
  /** What is wrong with the node's transactions. */
  faults(): Promise<string[]>;
}

/** Nonces that a chain took of the node's account, and those that it would take. */
export interface AccountNonces {
  readonly chainId: string;
  readonly mined: number;
  readonly pending: number;
}

/** Clients of swaps from a token are given twice of what they need. */
export const givenTimes = 2n;

export function openEvmOracle({ evm = {} }: Pick<SandboxEndpoints, 'evm'>): EvmOracle {
  const readers = new Map(
    Object.entries(evm).map(([id, { htlc, secondRpcUrl }]) => [id, readChain(id, htlc, rpcAt(secondRpcUrl))]),
  );
  let node = zero;

  function reader(chainId: number): ChainReader {
    const one = readers.get(String(chainId));
    if (one === undefined) throw new Error(`the sandbox has no chain ${chainId}`);
    return one;
  }

  async function heldOf(chain: ChainReader, tokens: readonly string[], accounts: readonly string[]) {
    const held = new Map<string, bigint>();
    for (const token of new Set(tokens.map((one) => one.toLowerCase())))
      for (const account of accounts) held.set(token, (held.get(token) ?? 0n) + (await chain.balance(token, account)));
    return held;
  }

  function noncesOf(): Promise<AccountNonces[]> {
    return Promise.all([...readers].map(async ([chainId, chain]) => ({ chainId, ...(await chain.nonces(node)) })));
  }

  async function heldNow(): Promise<Map<string, bigint>> {
    const held = new Map<string, bigint>();
    for (const [id, { htlc, coordinator, tokens }] of Object.entries(evm))
      for (const token of new Set([zero, ...tokens.map(({ address }) => address.toLowerCase())]))
        for (const [whose, account] of [
          ['node', node],
          ['htlc', htlc],
          ['coordinator', coordinator],
        ] as const)
          held.set(holding(id, whose, token), await reader(Number(id)).balance(token, account));
    return held;
  }

  return {
    know(account) {
      node = account;
    },
    reader,
    async holdings() {
      // A transaction that is mined between two of these questions is looked at again.
      for (;;) {
        const before = await noncesOf();
        const held = await heldNow();
        for (const [id, chain] of readers)
          for (const { cost } of await chain.sent(node)) {
            const coins = holding(id, 'node', zero);
            held.set(coins, (held.get(coins) ?? 0n) + cost);
          }
        if (JSON.stringify(before) === JSON.stringify(await noncesOf())) return held;
      }
    },
    async legOf({ hash, record, toEvm, fromEvm }) {
      if (!('evm_chain_id' in record)) return undefined;
      const chain = reader(record.evm_chain_id);
      const locks = await chain.locks(hash);
      if (toEvm !== undefined) {
        const target = record.target_token.token_id.toLowerCase();
        // Coins of the claiming account are for gas.
        const accounts = [toEvm.destination, ...(target === zero ? [] : [toEvm.account.address])];
        return { locks, held: await heldOf(chain, [target], accounts), given: 0n };
      }
      if (fromEvm === undefined) return undefined;
      const tokens = [record.source_token.token_id, record.wbtc_address];
      return {
        locks,
        held: await heldOf(chain, tokens, [fromEvm.account.address]),
        given: givenTimes * fromEvm.price,
      };
    },
    nonces: noncesOf,
    async faults() {
      const faults: string[] = [];
      for (const [id, chain] of readers)
        faults.push(...accountFaults(id, await chain.sent(node), await chain.nonces(node)));
      return faults;
    },
  };
}
