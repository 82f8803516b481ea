import { randomBytes } from 'node:crypto';
import { toHex } from '../../../domain/hex.ts';
import type { Sats } from '../../../domain/money.ts';
import type { WorldClock } from '../clock.ts';
import type { Journal } from '../journal.ts';
import { type OperatorAdmin, openAdmin } from './admin.ts';
import { type BatchReader, type TopicChange, batchHub } from './batch-events.ts';
import { openBatchBook } from './batches.ts';
import { openCoinBook } from './coins.ts';
import { openConvictionBook } from './convictions.ts';
import { AnswerLost, OperatorAway, refusal } from './errors.ts';
import { type Paid, type WalletCoin, faucet } from './faucet.ts';
import { openFaultBook } from './faults.ts';
import { finalize } from './finalize.ts';
import { type Indexer, openIndexer } from './indexer.ts';
import { type IntentQueue, intentQueue } from './intents.ts';
import type { SignedIntent } from './proof.ts';
import { openOperatorWallet } from './operator-wallet.ts';
import { openRounds } from './rounds.ts';
import {
  type InfoBody,
  type OperatorNetwork,
  type OperatorSettings,
  defaultSettings,
  infoBody,
  operatorKeys,
} from './settings.ts';
import { openSignerBook } from './signers.ts';
import type { OperatorState } from './state.ts';
import { type SubmitReply, submit } from './submit.ts';
import { type ScriptReader, type TransactionNotice, scriptHub, transactionHub } from './subscriptions.ts';
import { openSweeps } from './sweeps.ts';
import { openTxBook } from './txs.ts';
import { noticeUnrolled } from './unroll.ts';
import type { OperatorChain } from './operator-chain.ts';
import { type OperatorFaults, faultsOf } from './operator-faults.ts';

export interface OperatorOptions {
  readonly clock: WorldClock;
  readonly journal: Journal;
  readonly network?: OperatorNetwork;
  /** Takes what is unrolled and the commitments; without one only the operator's books know of them. */
  readonly chain?: OperatorChain;
  /** 32 bytes from which the operator's keys come; without them kept in the journal, made at first. */
  readonly seed?: Uint8Array;
  readonly settings?: Partial<OperatorSettings>;
}

/** An Arkade operator, whole, behind no wire. Calls throw `OperatorError`, `OperatorAway` or `AnswerLost`. */
export interface Operator {
  info(): InfoBody;
  submit(signedArkTx: string, checkpointTxs: readonly string[]): SubmitReply;
  finalize(arkTxid: string, finalCheckpointTxs: readonly string[]): void;
  pending(intent: SignedIntent): SubmitReply[];
  registerIntent(intent: SignedIntent): string;
  deleteIntent(intent: SignedIntent): void;
  getIntents(intent: SignedIntent): SignedIntent[];
  finishedIntent(proofTxid: string): SignedIntent;
  estimateFee(intent: SignedIntent): number;
  ack(intentId: string): void;
  nonces(batchId: string, pubkey: string, nonces: Readonly<Record<string, string>>): void;
  signatures(batchId: string, pubkey: string, signatures: Readonly<Record<string, string>>): void;
  forfeits(signedForfeitTxs: readonly string[], signedCommitmentTx?: string): void;
  /** Throws when a client's digest of the operator's settings is out of date, or is wanted and empty. */
  checkDigest(digest: string): void;

  readonly indexer: Indexer;
  subscribe(scripts: readonly string[], id?: string): string;
  unsubscribe(id: string, scripts?: readonly string[]): void;
  attach(id: string, reader: ScriptReader): () => void;
  batchEvents(topics: readonly string[], reader: BatchReader): () => void;
  updateTopics(
    streamId: string,
    change: TopicChange,
  ): { topicsAdded: string[]; topicsRemoved: string[]; allTopics: string[] };
  transactions(listener: (notice: TransactionNotice) => void): () => void;

  /**
   * Pays out of thin air: a settled coin with a fresh expiry; or out of a coin of the operator's wallet, so that any
   * chain takes it.
   */
  faucet(address: string, amount: Sats, from?: WalletCoin): Paid;
  readonly faults: OperatorFaults;
  configure(change: Partial<OperatorSettings>): void;
  readonly admin: OperatorAdmin;
  /** Another key signs from now on; the present one stays good for so many seconds. */
  rotateSigner(seconds: number): void;
  stop(): void;
}

export function createOperator(options: OperatorOptions): Operator {
  const { clock, journal, network = 'regtest' } = options;
  const saved = new Map(journal.rows('arkade.meta'));
  const seed = options.seed ?? savedSeed(journal, saved.get('seed'));
  const faults = openFaultBook(journal);
  const state = stateOf(options, seed, saved, faults);
  const offClock = clock.onChange(() => noticeUnrolled(state));
  const wallet = openOperatorWallet();
  const batches = openBatchBook(journal);
  const hub = batchHub();
  const rounds = openRounds(
    state,
    () => queue,
    hub,
    batches,
    () => faults.take('endRound'),
  );
  const queue: IntentQueue = intentQueue(state, rounds.held);
  const indexer = openIndexer(state, batches);
  let changed = saved.get('settings') as Partial<OperatorSettings> | undefined;
  let info = infoBody(network, state.settings, state.keys, state.signers);

  /** Wraps a call so that nobody answers while the operator is away or not ready. */
  function here<A extends unknown[], R>(
    call: (...args: A) => R,
    service: 'ark' | 'indexer' = 'ark',
  ): (...args: A) => R {
    return (...args) => {
      if (faults.get('away')) throw new OperatorAway('the operator is away');
      wallet.checkReady(service);
      return call(...args);
    };
  }
  const listed = <A extends unknown[], R>(call: (...args: A) => R): ((...args: A) => R) => here(call, 'indexer');
  function configure(change: Partial<OperatorSettings>): void {
    state.settings = { ...state.settings, ...change };
    changed = { ...changed, ...change };
    journal.put('arkade.meta', 'settings', changed);
    info = infoBody(network, state.settings, state.keys, state.signers);
  }

  return {
    info: here(() => info),
    submit: here((signedArkTx, checkpointTxs) => {
      const reply = submit(state, signedArkTx, checkpointTxs);
      if (faults.take('loseNext')) throw new AnswerLost('the answer to a submission was lost');
      return reply;
    }),
    finalize: here((arkTxid, finalCheckpointTxs) => finalize(state, arkTxid, finalCheckpointTxs)),
    pending: here((intent) => queue.pending(intent)),
    registerIntent: here((intent) => {
      const { id } = queue.register(intent);
      rounds.kick();
      return id;
    }),
    deleteIntent: here((intent) => queue.delete(intent)),
    getIntents: here((intent) => queue.find(intent)),
    finishedIntent: here((txid) => queue.finished(txid)),
    estimateFee: here((intent) => queue.estimate(intent)),
    ack: here(rounds.ack),
    nonces: here(rounds.nonces),
    signatures: here(rounds.signatures),
    forfeits: here(rounds.forfeits),
    checkDigest: here((digest) => {
      if (digest === info.digest || (digest === '' && !state.settings.digestHeaderRequired)) return;
      throw refusal('DIGEST_MISMATCH', 'invalid digest header', { expected_digest: info.digest, got_digest: digest });
    }),

    indexer: indexerBehind(listed, indexer),
    subscribe: listed(state.scripts.subscribe),
    unsubscribe: listed(state.scripts.unsubscribe),
    attach: listed(state.scripts.attach),
    batchEvents: here(hub.open),
    updateTopics: here(hub.updateTopics),
    transactions: here(state.transactions.listen),

    faucet: (address, amount, from) => faucet(state, address, amount, from),
    faults: faultsOf({ state, batches, hub, book: faults }),
    configure,
    admin: openAdmin(state, queue, openSweeps(state, batches), wallet, configure),
    rotateSigner(seconds) {
      state.signers.rotate(clock.now() + seconds);
      info = infoBody(network, state.settings, state.keys, state.signers);
    },
    stop() {
      offClock();
      rounds.stop();
      state.scripts.clear();
      hub.clear();
    },
  };
}

function stateOf(
  options: OperatorOptions,
  seed: Uint8Array,
  saved: ReadonlyMap<string, unknown>,
  faults: ReturnType<typeof openFaultBook>,
): OperatorState {
  const { clock, journal, network = 'regtest' } = options;
  return {
    clock,
    journal,
    network,
    keys: operatorKeys(seed),
    signers: openSignerBook(journal, seed),
    coins: openCoinBook(journal),
    txs: openTxBook(journal),
    scripts: scriptHub(() => faults.take('dropNext')),
    transactions: transactionHub(),
    chain: options.chain ?? null,
    settings: {
      ...defaultSettings,
      ...delaysFrom(journal, saved),
      ...options.settings,
      ...(saved.get('settings') as Partial<OperatorSettings> | undefined),
    },
    registered: new Set(),
    convictions: openConvictionBook(journal),
  };
}

function indexerBehind(
  listed: <A extends unknown[], R>(call: (...args: A) => R) => (...args: A) => R,
  indexer: Indexer,
): Indexer {
  return {
    coins: listed(indexer.coins),
    virtualTxs: listed(indexer.virtualTxs),
    chain: listed(indexer.chain),
    tree: listed(indexer.tree),
    leaves: listed(indexer.leaves),
    connectors: listed(indexer.connectors),
    forfeitTxids: listed(indexer.forfeitTxids),
    sweepTxids: listed(indexer.sweepTxids),
    commitment: listed(indexer.commitment),
  };
}

type Delays = Pick<OperatorSettings, 'exitDelay' | 'publicExitDelay' | 'boardingExitDelay' | 'checkpointExitDelay'>;

/** What the sandbox began with before newer wallets asked for more. */
const olderDelays: Delays = {
  exitDelay: 512,
  publicExitDelay: 512,
  boardingExitDelay: 1_024,
  checkpointExitDelay: 512,
};

/** The delays that an operator began with are in the scripts of its coins: others would leave those unspendable. */
function delaysFrom(journal: Journal, saved: ReadonlyMap<string, unknown>): Delays {
  const written = saved.get('delays') as Delays | undefined;
  if (written !== undefined) return written;
  const { exitDelay, publicExitDelay, boardingExitDelay, checkpointExitDelay } = defaultSettings;
  const delays = saved.has('seed')
    ? olderDelays
    : { exitDelay, publicExitDelay, boardingExitDelay, checkpointExitDelay };
  journal.put('arkade.meta', 'delays', delays);
  return delays;
}

function savedSeed(journal: Journal, row: unknown): Uint8Array {
  if (typeof row === 'string') return Uint8Array.from(Buffer.from(row, 'hex'));
  const seed = randomBytes(32);
  journal.put('arkade.meta', 'seed', toHex(seed));
  return seed;
}
