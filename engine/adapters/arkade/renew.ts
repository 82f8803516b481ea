import type { Sats } from '../../domain/money.ts';
import { outpointKey } from '../../domain/outpoint.ts';
import type { ArkadePort } from '../../legs/arkade/port.ts';
import type { Vtxo, WalletVtxo } from '../../legs/arkade/vtxo.ts';
import { smallestPiece, wantedCoins } from './choose-coins.ts';
import { intentFees } from './fees.ts';
import { takeThroughBatch } from './intent.ts';
import type { ArkadeOptions, Operator } from './operator.ts';
import type { OwnWallet } from './wallet.ts';
import { walletInput, walletKey } from './wallet-scripts.ts';

/** Most coins in one batch of ours, as the SDK has it. */
const largestBatch = 50;

/** Wallet coins through a batch before they expire. */
export function createRenew(options: ArkadeOptions, operator: Operator, wallet: OwnWallet): ArkadePort['renew'] {
  const { inBatch } = wallet;
  return async ({ before, preconfirmedBefore, reserved, choose, signal }) => {
    const { present, all: scripts } = await wallet.scripts();
    const to = present.tap.pkScript;
    const taken = new Set(reserved.map(outpointKey));
    const free = (await wallet.coins()).filter(
      (coin) => !coin.spent && !coin.unrolled && !taken.has(outpointKey(coin.outpoint)),
    );
    const { due, soon } = dueOf(free, before, preconfirmedBefore);
    const piecesFor = (coins: readonly Vtxo[]): number =>
      coins.some(({ outpoint }) => soon.has(outpointKey(outpoint))) ? 1 : piecesOf(coins);
    let taking: string[] = [];
    const renewed = await takeThroughBatch(options, operator, signal, (settings) => {
      for (const key of taking) inBatch.delete(key);
      if (total(due) < settings.dust) return null;
      const fees = intentFees(settings, to);
      const feeOf = (coins: readonly Vtxo[]): Sats => fees.total(coins, piecesFor(coins));
      const coins = choose({
        due: due.map((coin) => ({ coin, fee: fees.input(coin) })),
        limit: largestBatch,
        fee: feeOf,
      });
      const fee = feeOf(coins);
      if (coins.length === 0 || total(coins) - fee < settings.dust) return null;
      taking = coins.map(({ outpoint }) => outpointKey(outpoint));
      for (const key of taking) inBatch.add(key);
      return {
        inputs: coins.map((coin) => walletInput(scripts, coin)),
        coins,
        to,
        fee,
        secret: options.keys(walletKey),
        locked: false,
        pieces: piecesFor(coins),
      };
    }).finally(() => {
      for (const key of taking) inBatch.delete(key);
    });
    return renewed === null ? null : { commitmentTxid: renewed.commitmentTxid, fee: renewed.fee };
  };
}

/** Coins to renew now, the first to expire first; `soon` are those among them that may not wait. */
function dueOf(
  free: readonly WalletVtxo[],
  before: number,
  preconfirmedBefore: number | undefined,
): { readonly due: readonly WalletVtxo[]; readonly soon: ReadonlySet<string> } {
  const shared =
    preconfirmedBefore !== undefined &&
    free.some((coin) => coin.preconfirmed === true && coin.createdAt < preconfirmedBefore);
  const soon = new Set(
    free
      .filter((coin) => coin.recoverable || coin.old || coin.expiresAt < before)
      .map(({ outpoint }) => outpointKey(outpoint)),
  );
  const due = free
    .filter((coin) => soon.has(outpointKey(coin.outpoint)) || (shared && coin.preconfirmed === true))
    .sort((a, b) => a.expiresAt - b.expiresAt);
  // A delay shorter than its own the operator takes in no batch: such coins are tried alone, and hold up no other.
  const fitting = due.filter(({ tooShort }) => tooShort !== true);
  return { due: fitting.length > 0 ? fitting : due, soon };
}

/** Payments side by side each need a coin: as many as went in, up to what a wallet wants, and none of them small. */
function piecesOf(coins: readonly Vtxo[]): number {
  return Math.max(1, Math.min(coins.length, wantedCoins, Number(total(coins) / smallestPiece)));
}

function total(coins: readonly Vtxo[]): bigint {
  return coins.reduce((sum, { amount }) => sum + amount, 0n);
}
