import type { EvmAccount } from '../../engine/index.ts';
import { shown, type Amount } from './amount.ts';
import { ask } from './http.ts';
import { offered } from './offered.ts';
import type { Tour } from './tour.ts';

export interface Token {
  readonly symbol: string;
  readonly address: string;
  readonly decimals: number;
}

/** One chain of the sandbox, as the stop's client has it. */
export interface Chain {
  readonly id: string;
  readonly account: EvmAccount;
  token(symbol: string): Token;
  /** What somebody has of a token. */
  balance(token: Token, of: string): Promise<Amount>;
  give(token: Token, units: bigint): Promise<void>;
}

const coin: Token = { symbol: 'coins', address: `0x${'00'.repeat(20)}`, decimals: 18 };

/** Smallest units, as a record has them, the way wallets show them. */
export function ofToken({ decimals, symbol }: Token, units: string): string {
  return shown({ units: BigInt(units), decimals, symbol });
}

/** A chain of the sandbox, once it can be swapped on. */
export async function chainOf(tour: Tour, side: 'source' | 'target', id: string): Promise<Chain> {
  const { node, client } = tour;
  const { evm } = await ask(node, 'GET', '/sandbox');
  const chain = (evm as Readonly<Record<string, { rpcUrl: string; tokens: readonly Token[] }>> | undefined)?.[id];
  if (chain === undefined)
    throw new Error(`There is no chain ${id} in this sandbox: it needs anvil, which npm brings for most machines.`);
  await offered(node, { [side]: id });
  const account = client.evm.on(Number(id), chain.rpcUrl);
  return {
    id,
    account,
    token(symbol) {
      const token = [...chain.tokens, coin].find((one) => one.symbol === symbol);
      if (token === undefined) throw new Error(`There is no ${symbol} on chain ${id} of this sandbox.`);
      return token;
    },
    async balance({ address, decimals, symbol }, of) {
      return { units: await account.balance(address, of), decimals, symbol };
    },
    async give({ address }, units) {
      await ask(node, 'POST', `/sandbox/evm/${id}/faucet`, {
        address: client.evm.address,
        token: address,
        amount: units.toString(),
      });
    },
  };
}

/** Enough to pay for transactions of its own. */
export async function giveGas(chain: Chain): Promise<void> {
  await chain.give(chain.token('coins'), 10n ** 18n);
}
