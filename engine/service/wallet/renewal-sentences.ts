import { noSats, plus } from '../../domain/money.ts';
import type { WalletVtxo } from '../../legs/arkade/vtxo.ts';
import type { DearCoin } from '../../quote/renewal.ts';

export function sentenceOf(dear: readonly DearCoin[]): string {
  const sum = dear.reduce((all, { coin }) => plus(all, coin.amount), noSats);
  const first = dear.reduce((soonest, { coin }) => Math.min(soonest, coin.expiresAt), Infinity);
  const most = dear.reduce((highest, { fee }) => (fee > highest ? fee : highest), noSats);
  const setting = dear.some(({ above }) => above === 'coin')
    ? 'ceilings.renewalBps or ceilings.renewalMinSats'
    : 'ceilings.renewalMonthBps';
  return (
    `${dear.length} coins of ${sum} sats on Arkade are not renewed: the operator asks ${most} sats, above the ` +
    `ceiling. The first of them expires at ${new Date(first * 1_000).toISOString()}. Raise ${setting} in the ` +
    'settings to pay it, or move the coins elsewhere.'
  );
}

export function sentenceOfShort(short: readonly WalletVtxo[]): string {
  const sum = short.reduce((all, { amount }) => plus(all, amount), noSats);
  const first = short.reduce((soonest, { expiresAt }) => Math.min(soonest, expiresAt), Infinity);
  return (
    `The Arkade operator raised its exit delay: ${short.length} coins of ${sum} sats have a shorter one, and the ` +
    'operator refuses to move them. Ask it to take them, or bring them to the chain, before the first expires ' +
    `at ${new Date(first * 1_000).toISOString()}.`
  );
}
