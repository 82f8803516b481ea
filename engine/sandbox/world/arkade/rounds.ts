import { randomUUID } from 'node:crypto';
import { sha256 } from '@noble/hashes/sha2.js';
import { toHex, fromHex } from '../../../domain/hex.ts';
import { outpointKey } from '../../../domain/outpoint.ts';
import {
  type ConnectorNode,
  type NodeSession,
  type TreeNode,
  aggregateNonce,
  buildConnectors,
  buildTree,
  openNodeSession,
  partialIsValid,
  signNode,
  sweepRoot,
} from './batch-tree.ts';
import type { BatchBook } from './batches.ts';
import type { BatchHub } from './batch-events.ts';
import { type Coin, recoverable } from './coins.ts';
import { type Commitment, buildCommitment } from './commitment.ts';
import { readBoardingSignatures, stillAshore } from './boarding.ts';
import { refusal } from './errors.ts';
import { type Forfeit, type ForfeitNeeds, missingForfeits, readForfeits, takeForfeits } from './forfeits.ts';
import { type Intent, type IntentQueue, keysOf } from './intents.ts';
import { type Psbt, printPsbt } from './psbt.ts';
import { recordBatch } from './record-batch.ts';
import type { OperatorState } from './state.ts';

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

interface Round {
  readonly id: string;
  readonly startedAt: number;
  intents: readonly Intent[];
  stage: 'confirmation' | 'nonces' | 'signatures' | 'forfeits';
  readonly acked: Set<string>;
  sessions: readonly NodeSession[];
  needs: ForfeitNeeds;
  readonly forfeits: Map<string, Forfeit>;
  /** What the owners of coins that go on board have signed, by coin. */
  readonly boarded: Map<string, Psbt>;
  commitment: Commitment | null;
  failure: string | null;
  /** Looks again whether the stage is over. */
  poke(): void;
}

/** A round that ended badly, with the reason that everybody is told. */
class RoundFailed extends Error {}

/** `cutShort` says of each round whether it is to run out of time. */
export function openRounds(
  state: OperatorState,
  queue: () => IntentQueue,
  hub: BatchHub,
  batches: BatchBook,
  cutShort: () => boolean,
): Rounds {
  let timer: ReturnType<typeof setTimeout> | null = null;
  let round: Round | null = null;
  let stopped = false;

  function kick(): void {
    if (stopped || timer !== null || round !== null || queue().size === 0) return;
    timer = setTimeout(() => {
      timer = null;
      void run();
    }, state.settings.stages.registration);
  }

  /** Waits until `over` holds or the time is up; says whether it holds. */
  function stage(current: Round, name: Round['stage'], ms: number, over: () => boolean): Promise<boolean> {
    current.stage = name;
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(limit);
        current.poke = () => undefined;
        resolve(over());
      };
      const limit = setTimeout(end, ms);
      current.poke = () => (over() || current.failure !== null || stopped ? end() : undefined);
      current.poke();
    });
  }

  async function run(): Promise<void> {
    const intents = queue().takeAll();
    if (intents.length === 0) return;
    const current: Round = {
      id: randomUUID(),
      startedAt: state.clock.now(),
      intents,
      stage: 'confirmation',
      acked: new Set(),
      sessions: [],
      needs: { coins: new Map(), connectors: new Map() },
      forfeits: new Map(),
      boarded: new Map(),
      commitment: null,
      failure: null,
      poke: () => undefined,
    };
    round = current;
    try {
      await play(current);
    } catch (failure) {
      const reason =
        failure instanceof RoundFailed
          ? failure.message
          : `INTERNAL_ERROR (0): ${failure instanceof Error ? failure.message : String(failure)}`;
      if (!stopped) hub.publish({ batchFailed: { id: current.id, reason } });
      for (const intent of current.intents) for (const key of keysOf(intent)) state.registered.delete(key);
    } finally {
      round = null;
      kick();
    }
  }

  async function play(current: Round): Promise<void> {
    const { stages, vtxoExpiry } = state.settings;
    const half = Math.ceil(stages.finalization / 2);
    const hashes = current.intents.map(({ id }) => toHex(sha256(new TextEncoder().encode(id))));
    hub.publish({ batchStarted: { id: current.id, intentIdHashes: hashes, batchExpiry: String(vtxoExpiry) } });
    await stage(current, 'confirmation', stages.confirmation, () => current.acked.size === current.intents.length);
    if (stopped) throw new RoundFailed('stopped');
    dropUnconfirmed(current);

    const commitment = openForfeits(state, current);
    const tree = startSigning(current, commitment);
    if (cutShort())
      throw new RoundFailed(
        'SIGNING_SESSION_TIMED_OUT (28): musig2 signing session timed out (nonce collection), collected 0 nonces',
      );
    await collectNonces(current, half);
    await collectSignatures(current, half);
    const connectors = publishConnectors(current, commitment);
    current.stage = 'forfeits';
    hub.publish({ batchFinalization: { id: current.id, commitmentTx: printPsbt(commitment.tx) } });
    const signed = (): boolean => commitment.boarding.every(({ key }) => current.boarded.has(key));
    const given = await stage(
      current,
      'forfeits',
      stages.finalization,
      () => missingForfeits(current.needs, current.forfeits).length === 0 && signed(),
    );
    if (stopped) throw new RoundFailed('stopped');
    if (current.failure !== null) throw new RoundFailed(current.failure);
    if (!given)
      throw new RoundFailed(
        signed()
          ? 'INTERNAL_ERROR (0): missing forfeit transactions'
          : 'INTERNAL_ERROR (0): missing signatures of boarding inputs',
      );
    complete(current, commitment, tree, connectors);
  }

  function dropUnconfirmed(current: Round): void {
    const confirmed = current.intents.filter(({ id }) => current.acked.has(id));
    for (const intent of current.intents) if (!current.acked.has(intent.id)) queue().requeue(intent);
    current.intents = confirmed;
    if (confirmed.length === 0) throw new RoundFailed('INTERNAL_ERROR (0): no intents were confirmed in time');
    const spentInput = confirmed.flatMap(({ inputs }) => inputs).find((key) => state.coins.get(key)?.spent !== false);
    const missingBoarding = confirmed.flatMap(({ boarding }) => boarding).find((coin) => !stillAshore(state, coin));
    if (spentInput !== undefined || missingBoarding !== undefined)
      throw new RoundFailed(`VTXO_ALREADY_SPENT (6): ${spentInput ?? missingBoarding?.key} already spent`);
  }

  function startSigning(current: Round, commitment: Commitment): TreeNode[] {
    const { tree: key } = state.keys;
    const tree = buildTree(
      commitment.tx.id,
      commitment.leaves,
      key.publicKey,
      sweepRoot(state.settings, state.keys),
      state.settings.vtxoExpiry,
    );
    if (tree.length === 0) return [];
    for (const { tx, topic, children } of tree) {
      hub.publish({ treeTx: { id: current.id, topic, batchIndex: 0, txid: '', tx: printPsbt(tx), children } });
    }
    current.sessions = tree.map((node) => openNodeSession(node, key));
    const users = [...new Set(commitment.leaves.flatMap((leaf) => leaf.users.map(toHex)))];
    hub.publish({
      treeSigningStarted: { id: current.id, cosignersPubkeys: users, unsignedCommitmentTx: printPsbt(commitment.tx) },
    });
    return tree;
  }

  function lacking(current: Round, what: 'nonces' | 'partials'): Set<string> {
    const own = toHex(state.keys.tree.publicKey);
    const keys = current.sessions.flatMap((session) =>
      session.node.topic.filter((key) => key !== own && !session[what].has(key)),
    );
    return new Set(keys);
  }

  async function collect(current: Round, name: 'nonces' | 'signatures', ms: number): Promise<void> {
    const what = name === 'nonces' ? 'nonces' : 'partials';
    const all = new Set(
      current.intents.flatMap((intent) => (intent.offchain.length === 0 ? [] : intent.cosigners.map(toHex))),
    ).size;
    if (await stage(current, name, ms, () => lacking(current, what).size === 0)) return;
    if (stopped) throw new RoundFailed('stopped');
    if (current.failure !== null) throw new RoundFailed(current.failure);
    const silent = lacking(current, what);
    for (const intent of current.intents) {
      const cosigner = intent.cosigners.map(toHex).find((key) => silent.has(key));
      if (cosigner === undefined) continue;
      for (const key of intent.inputs) convict(current, name, cosigner, (state.coins.get(key) as Coin).script);
    }
    const [label, unit] = name === 'nonces' ? ['nonce collection', 'nonces'] : ['signature collection', 'signatures'];
    throw new RoundFailed(
      `SIGNING_SESSION_TIMED_OUT (28): musig2 signing session timed out (${label}), collected ${all - silent.size}/${all} ${unit}`,
    );
  }

  function convict(current: Round, withheld: 'nonces' | 'signatures', cosigner: string, script: string): void {
    const now = state.clock.now();
    const crime = withheld === 'nonces' ? 'nonce' : 'signature';
    state.convictions.add({
      script,
      crime,
      cosigner,
      roundId: current.id,
      createdAt: now,
      expiresAt: now + state.settings.banDuration,
    });
  }

  async function collectNonces(current: Round, ms: number): Promise<void> {
    if (current.sessions.length === 0) return;
    await collect(current, 'nonces', ms);
    current.stage = 'signatures';
    for (const { node, nonces } of current.sessions) {
      const byXOnly = Object.fromEntries([...nonces].map(([key, nonce]) => [key.slice(2), toHex(nonce)]));
      hub.publish({ treeNonces: { id: current.id, topic: node.topic, txid: node.tx.id, nonces: byXOnly } });
    }
    const aggregated = Object.fromEntries(
      current.sessions.map((session) => [session.node.tx.id, toHex(aggregateNonce(session))]),
    );
    hub.publish({ treeNoncesAggregated: { id: current.id, treeNonces: aggregated } });
  }

  async function collectSignatures(current: Round, ms: number): Promise<void> {
    if (current.sessions.length === 0) return;
    await collect(current, 'signatures', ms);
    for (const session of current.sessions) {
      const { tx, topic } = session.node;
      const signature = toHex(signNode(session, state.keys.tree));
      hub.publish({ treeSignature: { id: current.id, topic, batchIndex: 0, txid: tx.id, signature } });
    }
  }

  function publishConnectors(current: Round, commitment: Commitment): ConnectorNode[] {
    if (commitment.connectorVout === null) return [];
    const keys = [...current.needs.coins.keys()];
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
    current.needs = { coins: current.needs.coins, connectors: new Map(outputs) };
    for (const { tx, topic, children } of nodes) {
      hub.publish({ treeTx: { id: current.id, topic, batchIndex: 1, txid: '', tx: printPsbt(tx), children } });
    }
    return nodes;
  }

  function complete(
    current: Round,
    commitment: Commitment,
    tree: readonly TreeNode[],
    connectors: readonly ConnectorNode[],
  ): void {
    const { commitmentTxid, rawTx, spent, created } = recordBatch(
      state,
      batches,
      current,
      commitment,
      tree,
      connectors,
    );
    for (const intent of current.intents) queue().finish(intent);
    hub.publish({ batchFinalized: { id: current.id, commitmentTxid } });
    const notice = { txid: commitmentTxid, tx: rawTx, spentVtxos: spent, checkpointTxs: {} };
    state.scripts.publish({ ...notice, newVtxos: created });
    state.transactions.publish({ ...notice, kind: 'commitmentTx', spendableVtxos: created, sweptVtxos: [] });
  }

  function running(batchId: string, stage: Round['stage']): Round {
    if (round === null || round.id !== batchId) throw refusal('INTERNAL_ERROR', `batch ${batchId} not found`);
    if (round.stage !== stage) throw refusal('INTERNAL_ERROR', `batch ${batchId} does not collect ${stage} now`);
    return round;
  }

  function collected(
    batchId: string,
    pubkey: string,
    stage: 'nonces' | 'signatures',
    values: Readonly<Record<string, string>>,
  ): [NodeSession, Uint8Array][] {
    const current = running(batchId, stage);
    return Object.entries(values).map(([txid, text]) => {
      const session = current.sessions.find(({ node }) => node.tx.id === txid);
      if (session === undefined || !session.node.topic.includes(pubkey)) {
        throw refusal('INTERNAL_ERROR', `cosigner ${pubkey} does not sign tree tx ${txid}`);
      }
      return [session, fromHex(text)];
    });
  }

  return {
    kick,
    held: () => round?.intents ?? [],
    ack(intentId) {
      if (round === null || round.stage !== 'confirmation')
        throw refusal('CONFIRMATION_SESSION_NOT_STARTED', 'confirmation session not started');
      if (!round.intents.some(({ id }) => id === intentId))
        throw refusal('INTERNAL_ERROR', `intent ${intentId} not found in the batch`);
      round.acked.add(intentId);
      round.poke();
    },
    nonces(batchId, pubkey, nonces) {
      for (const [session, nonce] of collected(batchId, pubkey, 'nonces', nonces)) {
        if (nonce.length !== 66) throw refusal('INTERNAL_ERROR', `a public nonce is 66 bytes, not ${nonce.length}`);
        session.nonces.set(pubkey, nonce);
      }
      round?.poke();
    },
    signatures(batchId, pubkey, signatures) {
      for (const [session, partial] of collected(batchId, pubkey, 'signatures', signatures)) {
        if (!partialIsValid(session, pubkey, partial)) {
          throw refusal(
            'INVALID_SIGNATURE',
            `invalid partial signature of ${pubkey} for tree tx ${session.node.tx.id}`,
          );
        }
        session.partials.set(pubkey, partial);
      }
      round?.poke();
    },
    forfeits(texts, commitment = '') {
      const current = round;
      if (current === null || current.stage !== 'forfeits') {
        if (texts.length === 0 && commitment === '') return;
        throw refusal('INVALID_FORFEIT_TXS', 'failed to sign forfeit txs: no batch waits for forfeits', {
          forfeit_txs: `[${texts.join(' ')}]`,
        });
      }
      const read = readForfeits(state, texts, current.needs);
      takeForfeits(current.forfeits, read);
      if (read.some(({ invalid }) => invalid))
        current.failure = 'INVALID_FORFEIT_TXS (26): invalid forfeit txs signature';
      const ownCommitment = current.commitment;
      if (commitment !== '' && ownCommitment !== null) {
        const { signed, invalid } = readBoardingSignatures(state, commitment, ownCommitment.tx, ownCommitment.boarding);
        for (const [key, tx] of signed) current.boarded.set(key, tx);
        if (invalid) current.failure = 'INVALID_SIGNATURE (18): invalid signature of a boarding input';
      }
      current.poke();
    },
    stop() {
      stopped = true;
      if (timer !== null) clearTimeout(timer);
      timer = null;
      round?.poke();
    },
  };
}

/** Which coins of the round need a forfeit: those that are not recoverable at this moment. */
function openForfeits(state: OperatorState, current: Round): Commitment {
  const now = state.clock.now();
  const coins = current.intents.flatMap(({ inputs }) => inputs).map((key) => state.coins.get(key) as Coin);
  const live = coins.filter((coin) => !recoverable(coin, now));
  current.needs = { coins: new Map(live.map((coin) => [outpointKey(coin), coin])), connectors: new Map() };
  current.commitment = buildCommitment(state, current.intents, live.length);
  return current.commitment;
}
