import type { TakerPlay } from './mortal-taker.ts';
import { zero } from './chain-reader.ts';

export function pegged({ evm }: TakerPlay): string {
  return evm.world.endpoints.tokens[0]?.address ?? '';
}

export function faultsIf(cases: readonly (readonly [boolean, string])[]): string[] {
  return cases.flatMap(([wrong, what]) => (wrong ? [what] : []));
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
  const { pay } = on.swap(id);
  const account = pay?.text ?? '';
  await on.evm.world.give(account, zero, 10n ** 18n);
  await on.evm.world.give(account, pegged(on), BigInt(pay?.amount ?? '0'));
  return account;
}
