import { Estimator } from '@arkade-os/sdk';
import { toHex } from '../../../domain/hex.ts';
import { type Coin, recoverable } from './coins.ts';
import { refusal } from './errors.ts';
import { isNote } from './notes.ts';
import { type Proof, type SignedIntent, invalidProof } from './proof.ts';
import type { OperatorState } from './state.ts';

function sumOf(amounts: readonly { readonly amount: bigint }[]): bigint {
  return amounts.reduce((sum, { amount }) => sum + amount, 0n);
}

export function leastFee(state: OperatorState, proof: Proof, onchainIndexes: ReadonlySet<number>): number {
  const { intentFee } = state.settings;
  if (Object.values(intentFee).every((program) => program === '')) return 0;
  const output = ({ amount, script }: Proof['outputs'][number]) => ({ amount, script: toHex(script) });
  const real = proof.outputs.map((each, index) => ({ ...each, index })).filter((each) => each.script[0] !== 0x6a);
  const fee = new Estimator(intentFee).evaluate(
    proof.inputs.flatMap(({ coin, prevout }) =>
      coin === undefined
        ? []
        : [
            {
              amount: prevout.amount,
              type: typeOf(state, coin),
              weight: 0,
              birth: new Date(coin.createdAt * 1_000),
              expiry: new Date(coin.expiresAt * 1_000),
            },
          ],
    ),
    proof.inputs.filter(({ coin }) => coin === undefined).map(({ prevout }) => ({ amount: prevout.amount })),
    real.filter(({ index }) => !onchainIndexes.has(index)).map(output),
    real.filter(({ index }) => onchainIndexes.has(index)).map(output),
  );
  return fee.satoshis;
}

function typeOf(state: OperatorState, coin: Coin): 'note' | 'recoverable' | 'vtxo' {
  if (isNote(coin)) return 'note';
  return recoverable(coin, state.clock.now()) ? 'recoverable' : 'vtxo';
}

export function checkFee(
  state: OperatorState,
  signed: SignedIntent,
  proof: Proof,
  onchainIndexes: ReadonlySet<number>,
): void {
  const paid = sumOf(proof.inputs.map(({ prevout }) => prevout)) - sumOf(proof.outputs);
  if (paid < 0n) {
    throw invalidProof(
      signed,
      `failed to compute intent fees: sum of inputs is smaller than sum of outputs (diff: ${paid})`,
    );
  }
  const least = leastFee(state, proof, onchainIndexes);
  if (paid >= BigInt(least)) return;
  throw refusal('INTENT_INSUFFICIENT_FEE', `got ${paid} min expected ${least}`, {
    actual_fee: String(paid),
    min_fee: String(least),
  });
}
