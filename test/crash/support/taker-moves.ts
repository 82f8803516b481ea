import type { Sats } from '../../../engine/domain/money.ts';
import type { Outpoint } from '../../../engine/domain/outpoint.ts';
import type { BitcoinLeg, Deal, Leg } from '../../../engine/taker/terms.ts';
import type { TakerPlay } from './mortal-taker.ts';
import { zero } from './chain-reader.ts';

/** Most that a claim or a refund on the Bitcoin chain may have cost. */
export const mostFee = 3_000n;

export function pegged({ evm }: TakerPlay): string {
  return evm.world.endpoints.tokens[0]?.address ?? '';
}

export function faultsIf(cases: readonly (readonly [boolean, string])[]): string[] {
  return cases.flatMap(([wrong, what]) => (wrong ? [what] : []));
}

/** What was agreed, of a swap that was opened before its client may die. */
export function dealOf<S extends Leg, T extends Leg>({ pair }: TakerPlay, id: string): Deal<S, T> {
  const { deal } = pair.taker.store.swaps.byId(id)?.progress as { readonly deal?: Deal };
  if (deal === undefined) throw new Error('nothing is agreed yet');
  return deal as Deal<S, T>;
}

/** By the client's wallet, which has nothing to begin with. */
export async function bitcoins({ pair }: TakerPlay): Promise<bigint> {
  return (await pair.taker.runtime.ports.bitcoinWallet?.balance([]))?.available ?? 0n;
}

export function payHtlc({ pair }: TakerPlay, { script, amount }: BitcoinLeg): Outpoint {
  const coin = pair.world.bitcoin.faucet(script, amount as Sats);
  if (coin === null) throw new Error('the faucet is empty');
  return coin;
}

export async function mined(on: TakerPlay, what: string, reached: () => boolean | Promise<boolean>): Promise<void> {
  await on.until(what, async () => {
    if (await reached()) return true;
    await on.pair.world.mine(1);
    return false;
  });
}

/** The token takes no signature: the account pays for its approval by itself. */
export async function bringTokens(on: TakerPlay, id: string): Promise<string> {
  const { pay } = await on.swap(id);
  const account = pay?.text ?? '';
  await on.evm.world.give(account, zero, 10n ** 18n);
  await on.evm.world.give(account, pegged(on), BigInt(pay?.amount ?? '0'));
  return account;
}
