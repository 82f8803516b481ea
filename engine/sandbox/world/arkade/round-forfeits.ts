import { outpointKey } from '../../../domain/outpoint.ts';
import type { BatchHub } from './batch-events.ts';
import { type ConnectorNode, buildConnectors } from './batch-tree.ts';
import { readBoardingSignatures } from './boarding.ts';
import { type Coin, recoverable } from './coins.ts';
import { type Commitment, buildCommitment } from './commitment.ts';
import { readForfeits, takeForfeits } from './forfeits.ts';
import { printPsbt } from './psbt.ts';
import type { Round } from './round.ts';
import type { OperatorState } from './state.ts';

/** Which coins of the round need a forfeit: those that are not recoverable at this moment. */
export function openForfeits(state: OperatorState, round: Round): Commitment {
  const now = state.clock.now();
  const coins = round.intents.flatMap(({ inputs }) => inputs).map((key) => state.coins.get(key) as Coin);
  const live = coins.filter((coin) => !recoverable(coin, now));
  round.needs = { coins: new Map(live.map((coin) => [outpointKey(coin), coin])), connectors: new Map() };
  round.commitment = buildCommitment(state, round.intents, live.length);
  return round.commitment;
}

/** Deals out the connectors, one for each forfeit. */
export function publishConnectors(
  { state, hub }: { state: OperatorState; hub: BatchHub },
  round: Round,
  commitment: Commitment,
): ConnectorNode[] {
  if (commitment.connectorVout === null) return [];
  const keys = [...round.needs.coins.keys()];
  const { dust } = state.settings;
  const nodes = buildConnectors(
    commitment.tx.id,
    commitment.connectorVout,
    keys,
    commitment.connectorScript,
    dust,
    state.keys.wallet.publicKey,
  );
  const outputs = nodes
    .filter((node) => node.leaf)
    .map(({ tx }) => [`${tx.id}:0`, { script: commitment.connectorScript, amount: BigInt(dust) }] as const);
  round.needs = { coins: round.needs.coins, connectors: new Map(outputs) };
  for (const { tx, topic, children } of nodes) {
    hub.publish({ treeTx: { id: round.id, topic, batchIndex: 1, txid: '', tx: printPsbt(tx), children } });
  }
  return nodes;
}

/** Forfeits, and the commitment as the owners of coins that go on board have signed it, as they come in. */
export function takeSigned(state: OperatorState, round: Round, texts: readonly string[], commitment: string): void {
  const read = readForfeits(state, texts, round.needs);
  takeForfeits(round.forfeits, read);
  if (read.some(({ invalid }) => invalid)) round.failure = 'INVALID_FORFEIT_TXS (26): invalid forfeit txs signature';
  if (commitment === '' || round.commitment === null) return;
  const { tx, boarding } = round.commitment;
  const { signed, invalid } = readBoardingSignatures(state, commitment, tx, boarding);
  for (const [key, signedTx] of signed) round.boarded.set(key, signedTx);
  if (invalid) round.failure = 'INVALID_SIGNATURE (18): invalid signature of a boarding input';
}
