import { Estimator } from '@arkade-os/sdk';
import { toHex } from '../../domain/hex.ts';
import { sats, type Sats } from '../../domain/money.ts';
import { arkadeFailure } from '../../legs/arkade/failures.ts';
import type { Vtxo } from '../../legs/arkade/vtxo.ts';
import type { OperatorSettings } from './operator.ts';

/** What the operator asks for a batch that moves coins into one coin at a script. */
export interface IntentFees {
  /** For one coin, without its part of what the new one costs. */
  input(coin: Vtxo): Sats;
  /** Into one new coin, or into so many equal ones. */
  total(coins: readonly Vtxo[], pieces?: number): Sats;
}

/** By the programs that the operator publishes: they are a stranger's, and may say anything. */
export function intentFees(settings: OperatorSettings, script: Uint8Array): IntentFees {
  const inputOf = (coin: Vtxo): Parameters<Estimator['evalOffchainInput']>[0] => ({
    amount: coin.amount,
    type: coin.recoverable ? 'recoverable' : 'vtxo',
    weight: 0,
    birth: new Date(coin.createdAt * 1_000),
    expiry: new Date(coin.expiresAt * 1_000),
  });
  return {
    input: (coin) =>
      evaluated(() => new Estimator(settings.raw.fees.intentFee).evalOffchainInput(inputOf(coin)).satoshis),
    total(coins, pieces = 1) {
      const sum = coins.reduce((all, { amount }) => all + amount, 0n);
      const outputs = Array.from({ length: pieces }, () => ({ amount: sum / BigInt(pieces), script: toHex(script) }));
      return evaluated(
        () => new Estimator(settings.raw.fees.intentFee).evaluate(coins.map(inputOf), [], outputs, []).satoshis,
      );
    },
  };
}

function evaluated(evaluate: () => number): Sats {
  let fee: number;
  try {
    fee = evaluate();
  } catch (cause) {
    throw arkadeFailure(
      'operator-fee',
      'safe',
      'the Arkade operator publishes a fee that cannot be computed: nothing goes through a batch until it changes that',
      cause,
    );
  }
  if (!Number.isSafeInteger(fee) || fee < 0)
    throw arkadeFailure(
      'operator-fee',
      'safe',
      `the Arkade operator publishes a fee of ${fee} sats: nothing goes through a batch until it changes that`,
    );
  return sats(fee);
}
