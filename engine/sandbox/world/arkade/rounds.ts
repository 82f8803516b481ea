import { sha256 } from '@noble/hashes/sha2.js';
import { toHex } from '../../../domain/hex.ts';
import type { ConnectorNode, TreeNode } from './batch-tree.ts';
import type { BatchBook } from './batches.ts';
import type { BatchHub } from './batch-events.ts';
import { stillAshore } from './boarding.ts';
import type { Commitment } from './commitment.ts';
import { refusal } from './errors.ts';
import { missingForfeits } from './forfeits.ts';
import { type Intent, keysOf } from './intent.ts';
import type { IntentQueue } from './intents.ts';
import { printPsbt } from './psbt.ts';
import { recordBatch } from './record-batch.ts';
import { type Round, RoundFailed, newRound, refuseBroken, stage } from './round.ts';
import { openForfeits, publishConnectors, takeSigned } from './round-forfeits.ts';
import type { OperatorState } from './state.ts';
import { collectNonces, collectSignatures, startSigning, takeNonces, takeSignatures } from './tree-signing.ts';

export interface Rounds {
  /** Something waits: see that a round comes. */
  kick(): void;
  /** The intents that the running round holds. */
  held(): readonly Intent[];
  ack(intentId: string): void;
  nonces(batchId: string, pubkey: string, nonces: Readonly<Record<string, string>>): void;
  signatures(batchId: string, pubkey: string, signatures: Readonly<Record<string, string>>): void;
  /** `commitment`: the transaction as the owners of coins that go on board have signed it, base64. */
  forfeits(texts: readonly string[], commitment?: string): void;
  stop(): void;
}

/** What rounds are played with. */
interface Playing {
  readonly state: OperatorState;
  readonly queue: () => IntentQueue;
  readonly hub: BatchHub;
  readonly batches: BatchBook;
  readonly cutShort: () => boolean;
  readonly operator: { state: OperatorState; hub: BatchHub };
  timer: ReturnType<typeof setTimeout> | null;
  round: Round | null;
  stopped: boolean;
}

/** `cutShort` says of each round whether it is to run out of time. */
export function openRounds(
  state: OperatorState,
  queue: () => IntentQueue,
  hub: BatchHub,
  batches: BatchBook,
  cutShort: () => boolean,
): Rounds {
  const operator = { state, hub };
  const own: Playing = { state, queue, hub, batches, cutShort, operator, timer: null, round: null, stopped: false };

  return {
    kick: () => kick(own),
    held: () => own.round?.intents ?? [],
    ack(intentId) {
      if (own.round === null || own.round.stage !== 'confirmation')
        throw refusal('CONFIRMATION_SESSION_NOT_STARTED', 'confirmation session not started');
      if (!own.round.intents.some(({ id }) => id === intentId))
        throw refusal('INTERNAL_ERROR', `intent ${intentId} not found in the batch`);
      own.round.acked.add(intentId);
      own.round.poke();
    },
    nonces(batchId, pubkey, nonces) {
      const current = running(own, batchId, 'nonces');
      takeNonces(current, pubkey, nonces);
      current.poke();
    },
    signatures(batchId, pubkey, signatures) {
      const current = running(own, batchId, 'signatures');
      takeSignatures(current, pubkey, signatures);
      current.poke();
    },
    forfeits(texts, commitment = '') {
      const current = own.round;
      if (current === null || current.stage !== 'forfeits') {
        if (texts.length === 0 && commitment === '') return;
        throw refusal('INVALID_FORFEIT_TXS', 'failed to sign forfeit txs: no batch waits for forfeits', {
          forfeit_txs: `[${texts.join(' ')}]`,
        });
      }
      takeSigned(state, current, texts, commitment);
      current.poke();
    },
    stop() {
      own.stopped = true;
      if (own.timer !== null) clearTimeout(own.timer);
      own.timer = null;
      if (own.round === null) return;
      own.round.stopped = true;
      own.round.poke();
    },
  };
}

function kick(own: Playing): void {
  const { state, queue } = own;
  if (own.stopped || own.timer !== null || own.round !== null || queue().size === 0) return;
  own.timer = setTimeout(() => {
    own.timer = null;
    void run(own);
  }, state.settings.stages.registration);
}

async function run(own: Playing): Promise<void> {
  const { state, queue, hub } = own;
  const intents = queue().takeAll();
  if (intents.length === 0) return;
  const current = newRound(intents, state.clock.now());
  own.round = current;
  try {
    await play(own, current);
  } catch (failure) {
    const reason =
      failure instanceof RoundFailed
        ? failure.message
        : `INTERNAL_ERROR (0): ${failure instanceof Error ? failure.message : String(failure)}`;
    if (!own.stopped) hub.publish({ batchFailed: { id: current.id, reason } });
    for (const intent of current.intents) for (const key of keysOf(intent)) state.registered.delete(key);
  } finally {
    own.round = null;
    kick(own);
  }
}

async function play(own: Playing, current: Round): Promise<void> {
  const { state, hub, cutShort, operator } = own;
  const { stages, vtxoExpiry } = state.settings;
  const half = Math.ceil(stages.finalization / 2);
  const hashes = current.intents.map(({ id }) => toHex(sha256(new TextEncoder().encode(id))));
  hub.publish({ batchStarted: { id: current.id, intentIdHashes: hashes, batchExpiry: String(vtxoExpiry) } });
  await stage(current, 'confirmation', stages.confirmation, () => current.acked.size === current.intents.length);
  refuseBroken(current);
  dropUnconfirmed(own, current);

  const commitment = openForfeits(state, current);
  const tree = startSigning(operator, current, commitment);
  if (cutShort())
    throw new RoundFailed(
      'SIGNING_SESSION_TIMED_OUT (28): musig2 signing session timed out (nonce collection), collected 0 nonces',
    );
  await collectNonces(operator, current, half);
  await collectSignatures(operator, current, half);
  const connectors = publishConnectors(operator, current, commitment);
  current.stage = 'forfeits';
  hub.publish({ batchFinalization: { id: current.id, commitmentTx: printPsbt(commitment.tx) } });
  const signed = (): boolean => commitment.boarding.every(({ key }) => current.boarded.has(key));
  const given = await stage(
    current,
    'forfeits',
    stages.finalization,
    () => missingForfeits(current.needs, current.forfeits).length === 0 && signed(),
  );
  refuseBroken(current);
  if (!given)
    throw new RoundFailed(
      signed()
        ? 'INTERNAL_ERROR (0): missing forfeit transactions'
        : 'INTERNAL_ERROR (0): missing signatures of boarding inputs',
    );
  complete(own, current, commitment, tree, connectors);
}

function dropUnconfirmed({ state, queue }: Playing, current: Round): void {
  const confirmed = current.intents.filter(({ id }) => current.acked.has(id));
  for (const intent of current.intents) if (!current.acked.has(intent.id)) queue().requeue(intent);
  current.intents = confirmed;
  if (confirmed.length === 0) throw new RoundFailed('INTERNAL_ERROR (0): no intents were confirmed in time');
  const spentInput = confirmed.flatMap(({ inputs }) => inputs).find((key) => state.coins.get(key)?.spent !== false);
  const missingBoarding = confirmed.flatMap(({ boarding }) => boarding).find((coin) => !stillAshore(state, coin));
  if (spentInput !== undefined || missingBoarding !== undefined)
    throw new RoundFailed(`VTXO_ALREADY_SPENT (6): ${spentInput ?? missingBoarding?.key} already spent`);
}

function complete(
  { state, queue, hub, batches }: Playing,
  current: Round,
  commitment: Commitment,
  tree: readonly TreeNode[],
  connectors: readonly ConnectorNode[],
): void {
  const { commitmentTxid, rawTx, spent, created } = recordBatch(state, batches, current, commitment, tree, connectors);
  for (const intent of current.intents) queue().finish(intent);
  hub.publish({ batchFinalized: { id: current.id, commitmentTxid } });
  const notice = { txid: commitmentTxid, tx: rawTx, spentVtxos: spent, checkpointTxs: {} };
  state.scripts.publish({ ...notice, newVtxos: created });
  state.transactions.publish({ ...notice, kind: 'commitmentTx', spendableVtxos: created, sweptVtxos: [] });
}

function running(own: Playing, batchId: string, stage: Round['stage']): Round {
  if (own.round === null || own.round.id !== batchId) throw refusal('INTERNAL_ERROR', `batch ${batchId} not found`);
  if (own.round.stage !== stage) throw refusal('INTERNAL_ERROR', `batch ${batchId} does not collect ${stage} now`);
  return own.round;
}
