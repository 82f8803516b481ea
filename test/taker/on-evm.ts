// Somebody's order of a swap with a leg on the EVM chain of the sandbox, and its tokens.
import { isRefusal } from '../../engine/domain/errors.ts';
import { asEvmAddress, type EvmAddress } from '../../engine/domain/evm.ts';
import { fromHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import type { TakerDirection } from '../../engine/domain/chain.ts';
import { evmOf } from '../../engine/runtime/ports.ts';
import type { Opening } from '../../engine/taker/opening.ts';
import type { EvmWorld } from '../support/evm/world.ts';
import { evmNetworkOfWorld } from '../support/node-evm.ts';
import { swapOf } from './by-half.ts';
import type { Pair } from './pair.ts';

/** What the tests swap, in sats. */
export const amount = 50_000n;
/** Where tokens that arrive are sent. */
export const destination = asEvmAddress(fromHex('11'.repeat(20)));
/** The coin of the chain. */
const coin = `0x${'00'.repeat(20)}`;

export async function order(
  pair: Pair,
  direction: TakerDirection,
  { gasless = true, invoice = null, arrives = amount }: Readonly<Partial<Wish>> = {},
): Promise<string> {
  const created = await pair.taker.taker.create({
    ...{ direction, amount: sats(arrives), invoice, provider: '' },
    evm: { chainId: 137, token: null, destination: direction.endsWith('-evm') ? destination : null, gasless },
  });
  if (isRefusal(created)) throw new Error(created.sentence);
  return created.id;
}

interface Wish {
  gasless: boolean;
  invoice: string | null;
  arrives: bigint;
}

/** Of a swap with a deal. */
export function progressOf<P extends { readonly at: string }>(pair: Pair, id: string): Exclude<P, Opening> {
  const progress = pair.taker.runtime.workingSet.readable(id)?.row.progress as P;
  if (!('deal' in progress)) throw new Error(`the swap is ${progress.at}`);
  return progress as unknown as Exclude<P, Opening>;
}

/** The token of locks. */
export function pegged({ endpoints }: EvmWorld): string {
  return endpoints.tokens[0]?.address ?? '';
}

/** What an account has of it. */
export async function tokensOf(pair: Pair, chain: EvmWorld, account: EvmAddress): Promise<bigint> {
  return evmOf(pair.taker.ports, evmNetworkOfWorld).balance(addressOf(pegged(chain)), account);
}

/** Brings the tokens to the account that the swap shows; what it holds after that is asked of the chain. */
export async function bring(pair: Pair, chain: EvmWorld, id: string, more = 0n): Promise<() => Promise<bigint>> {
  const { pay } = swapOf(pair, id);
  const account = pay?.text ?? '';
  // The token takes no signature: the account pays for its approval by itself.
  await chain.give(account, coin, 10n ** 18n);
  await chain.give(account, pegged(chain), BigInt(pay?.amount ?? '0') + more);
  return () => tokensOf(pair, chain, addressOf(account));
}

function addressOf(text: string): EvmAddress {
  return asEvmAddress(fromHex(text.slice(2).toLowerCase()));
}
