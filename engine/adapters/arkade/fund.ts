import type { Sats } from '../../domain/money.ts';
import { outpointKey } from '../../domain/outpoint.ts';
import { arkadeFailure } from '../../legs/arkade/failures.ts';
import type { ArkadePort } from '../../legs/arkade/port.ts';
import { changeOutputs, chooseCoins, noCoins, spendable } from './choose-coins.ts';
import type { ArkadeOptions, OperatorSettings } from './operator.ts';
import { prepareFor, type OwnWallet } from './wallet.ts';
import { walletInput, walletKey } from './wallet-scripts.ts';

/** Milliseconds for which a payment prepared elsewhere is presumed to want its coins. */
const chosenFor = 10_000;

/** Payments from the wallet. */
export function createFund({ keys }: ArkadeOptions, wallet: OwnWallet): ArkadePort['prepareFund'] {
  const chosen = new Map<string, number>();

  function recentlyChosen(): Set<string> {
    const now = performance.now();
    for (const [key, at] of chosen) if (now - at > chosenFor) chosen.delete(key);
    return new Set(chosen.keys());
  }

  return async ({ script, amount, minExpiry, reserved }) => {
    const { settings, present, all: scripts } = await wallet.scripts();
    refuseAmount(settings, amount);
    const all = spendable(await wallet.coins(), minExpiry, reserved);
    const free = all.filter(({ outpoint }) => !wallet.inBatch.has(outpointKey(outpoint)));
    const choice = chooseCoins(free, amount, settings.dust, recentlyChosen());
    if (!choice && free.length < all.length && chooseCoins(all, amount, settings.dust, new Set()) !== null)
      throw arkadeFailure('coins-in-batch', 'safe', 'the coins of the Arkade wallet are on their way through a batch');
    if (!choice)
      throw noCoins(
        amount,
        free.reduce((sum, coin) => sum + coin.amount, 0n),
      );
    for (const { outpoint } of choice.coins) chosen.set(outpointKey(outpoint), performance.now());
    return prepareFor(present, {
      inputs: choice.coins.map((coin) => walletInput(scripts, coin)),
      outputs: [
        { script, amount },
        ...changeOutputs(present.tap.pkScript, choice.change, amount, free.length, settings.info.maxAmount),
      ],
      unroll: settings.unroll,
      key: walletKey,
      secret: keys(walletKey),
    });
  };
}

function refuseAmount(settings: OperatorSettings, amount: Sats): void {
  const least = settings.info.minAmount ?? settings.dust;
  if (amount < least || amount < settings.dust)
    throw arkadeFailure(
      'too-small',
      'never',
      `the Arkade operator takes no output below ${least > settings.dust ? least : settings.dust} sats, not ${amount}`,
    );
  const most = settings.info.maxAmount;
  if (most !== null && amount > most)
    throw arkadeFailure('too-large', 'never', `the Arkade operator takes no output above ${most} sats, not ${amount}`);
}
