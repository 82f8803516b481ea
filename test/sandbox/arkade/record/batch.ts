import { type ArkProvider, ArkNote, ConditionWitness, Intent, type Transaction, VtxoTaprootTree } from '@arkade-os/sdk';
import { base64, hex } from '@scure/base';
import { arkProviderOf } from '../../../support/sandbox-ports/arkade-providers.ts';
import { ashore, boardingScript, signsFor } from '../board.ts';
import { forfeitOf, joinBatch } from '../join.ts';
import { type ProofInput, register, send } from '../support.ts';
import {
  type Bench,
  type Registration,
  anyCosigner,
  claim,
  claimInput,
  claimed,
  intent,
  scriptOf,
  settled,
  stages,
  to,
} from './bench.ts';
import type { Answer } from './compare.ts';
import { type Table, locked, syncing, unknownId, unknownScript, unknownTxid } from './table.ts';

async function registered(bench: Bench, registration: Registration = {}): Promise<Answer> {
  return bench.post('/v1/batch/registerIntent', { intent: await intent(bench, registration) });
}

/** Three rounds in which the cosigner of the contract's coin says nothing. */
export async function banned(bench: Bench): Promise<Bench> {
  for (let i = 0; i < 3; i++) await unsigned(bench);
  return bench;
}

/** One such round, confirmed at once. */
export async function unsigned(bench: Bench): Promise<void> {
  const { operator } = bench;
  const over = batchEvent(bench, 'batchFailed');
  const id = operator.registerIntent(await intent(bench));
  const leave = operator.batchEvents([], {
    event: (event) => void ('batchStarted' in event && queueMicrotask(() => operator.ack(id))),
    end: () => undefined,
  });
  await over;
  leave();
}

function batchEvent({ operator }: Bench, name: string): Promise<void> {
  return new Promise((resolve) => {
    const leave = operator.batchEvents([], {
      event(event) {
        if (!(name in event)) return;
        queueMicrotask(() => leave());
        resolve();
      },
      end: () => undefined,
    });
  });
}

/** Registers the usual intent, and says its id. */
async function queued(bench: Bench): Promise<{ id: string; started: Promise<void> }> {
  const started = batchEvent(bench, 'batchStarted');
  return { id: bench.operator.registerIntent(await intent(bench)), started };
}

async function confirmed(bench: Bench, id: string): Promise<Answer> {
  for (;;) {
    const answer = await bench.post('/v1/batch/ack', { intentId: id });
    if (answer.status === 200) return answer;
    await batchEvent(bench, 'batchStarted');
  }
}

/** An intent over a note, as the SDK builds it. */
async function noteIntent(bench: Bench, amount = 20_000): Promise<{ proof: string; message: string }> {
  const { notes } = (await bench.admin('note', { amount, quantity: 1 })).body as { notes: string[] };
  const note = ArkNote.fromString(notes[0] ?? '');
  const message = JSON.stringify(register([anyCosigner]));
  const witnessUtxo = { script: note.vtxoScript.pkScript, amount: BigInt(note.value) };
  const proof = Intent.create(
    message,
    [
      {
        txid: hex.decode(note.txid),
        index: note.vout,
        sequence: 0xffffffff,
        witnessUtxo,
        tapLeafScript: [note.intentTapLeafScript],
      },
    ],
    [to(bench.target, amount)],
  );
  proof.updateInput(
    1,
    { unknown: [ConditionWitness.encode(note.extraWitness ?? []), VtxoTaprootTree.encode(note.tapTree)] },
    true,
  );
  return { proof: base64.encode(proof.toPSBT()), message };
}

/** Rounds that leave a waiting intent time to be looked at. */
const patient = { stages: { ...stages, registration: 3_000 } };
export const short = { stages: { registration: 1, confirmation: 20, finalization: 20 } };
const unclaimed = ({ coin, contract }: Bench): Registration => ({ inputs: [{ coin, leaf: contract.leaves.claim }] });

export const registerIntent: Table = {
  'intent registered': async (bench) => bench.post('/v1/batch/registerIntent', { intent: await noteIntent(bench) }),
  'HTTP 400: INVALID_INTENT_PROOF (23): invalid intent proof: invalid intent proof: index 0 is invalid for sta...': (
    bench,
  ) => registered(bench, { ...unclaimed(bench), signers: [bench.bob] }),
  'HTTP 500: INTERNAL_ERROR (0): failed to push intent: duplicated input, HEX:0 already registered by another ...':
    async (bench) => {
      bench.operator.registerIntent(await intent(bench));
      return registered(bench);
    },
  'HTTP 400: ark service not ready: wallet is locked or syncing': async (bench) => {
    const body = { intent: await noteIntent(bench) };
    syncing(bench);
    return bench.post('/v1/batch/registerIntent', body);
  },
  'HTTP 400: VTXO_BANNED (29): script { …': {
    settings: short,
    act: async (bench) => registered(await banned(bench), { inputs: [claimInput(bench)], signers: [bench.bob] }),
  },
  'HTTP 400: INTENT_INSUFFICIENT_FEE (31): got 0 min expected N': async (bench) => {
    await bench.admin('intentFees', { fees: { offchainInputFee: '100.0', offchainOutputFee: '50.0' } });
    return registered(bench);
  },
  'HTTP 400: DIGEST_MISMATCH (49): invalid digest header': async (bench) =>
    bench.ask('POST', '/v1/batch/registerIntent', { intent: await intent(bench) }, { 'x-digest': unknownTxid }),
  'HTTP 400: INVALID_INTENT_TIMERANGE (20): proof of ownership expired': (bench) =>
    registered(bench, { message: register([anyCosigner], { expire_at: bench.clock.now() - 10 }) }),
  'HTTP 400: INVALID_INTENT_TIMERANGE (20): proof of ownership not yet valid': (bench) =>
    registered(bench, {
      message: register([anyCosigner], { valid_at: bench.clock.now() + 600, expire_at: bench.clock.now() + 120 }),
    }),
  'HTTP 400: INVALID_INTENT_PROOF (23): failed to compute intent fees: sum of inputs is smaller than sum of ou...': (
    bench,
  ) => registered(bench, { amount: 20_001 }),
  'HTTP 400: INVALID_INTENT_MESSAGE (21): CosignersPublicKeys is required in intent message': (bench) =>
    registered(bench, { message: register([]) }),
  'HTTP 400: INVALID_INTENT_PROOF (23): invalid intent proof: invalid intent proof: missing signature for HEX': (
    bench,
  ) =>
    registered(bench, { inputs: [{ coin: bench.coin, leaf: bench.contract.leaves.refund }], signers: [bench.alice] }),
  'HTTP 400: INVALID_VTXO_SCRIPT (10): vtxo script can be used for intent registration in N seconds': (bench) =>
    registered(bench, { inputs: [{ coin: bench.coin, leaf: bench.contract.leaves.exitLate, sequence: 0x0040_0003 }] }),
  'HTTP 400: VTXO_ALREADY_SPENT (6): vtxo HEX:0 is currently being spent': async (bench) => {
    send(bench.operator, await claim(bench));
    return registered(bench);
  },
  'HTTP 400: VTXO_ALREADY_SPENT (6): input HEX:0 already spent': async (bench) => {
    await claimed(bench);
    return registered(bench);
  },
  'HTTP 400: INVALID_PSBT_INPUT (5): failed to validate boarding input: failed to get tx HEX: rpc error: code ...': (
    bench,
  ) =>
    registered(bench, {
      inputs: [{ coin: { ...bench.coin, txid: unknownTxid }, leaf: bench.contract.leaves.exitLate }],
    }),
  'HTTP 400: INVALID_PSBT_INPUT (5): witness utxo value mismatch: got N expected N': (bench) =>
    registered(bench, {
      inputs: [{ coin: { ...bench.coin, value: bench.coin.value - 1 }, leaf: bench.contract.leaves.exitLate }],
    }),
  'HTTP 400: invalid intent message': (bench) =>
    registered(bench, { message: { type: 'delete', expire_at: bench.clock.now() + 120 } }),
};

async function removed(bench: Bench): Promise<Answer> {
  return bench.post('/v1/batch/deleteIntent', {
    intent: await intent(bench, { message: { type: 'delete', expire_at: bench.clock.now() + 120 } }),
  });
}

export const deleteIntent: Table = {
  'intent deleted': {
    settings: patient,
    act: async (bench) => {
      bench.operator.registerIntent(await intent(bench));
      return removed(bench);
    },
  },
  'HTTP 400: ark service not ready: wallet is locked or syncing': (bench) => {
    syncing(bench);
    return removed(bench);
  },
  'HTTP 400: INVALID_INTENT_PROOF (23): no matching intents found for intent proof': removed,
};

export const estimateFee: Table = {
  'fee estimated': async (bench) =>
    bench.post('/v1/batch/estimateFee', {
      intent: await intent(bench, { message: { ...register([]), type: 'estimate-intent-fee' } }),
    }),
  'HTTP 400: missing intent': ({ post }) => post('/v1/batch/estimateFee', {}),
  'HTTP 400: invalid intent message': async (bench) =>
    bench.post('/v1/batch/estimateFee', { intent: await intent(bench) }),
};

export const ack: Table = {
  'intent confirmed': async (bench) => {
    const { id, started } = await queued(bench);
    await started;
    return confirmed(bench, id);
  },
  'HTTP 400: CONFIRMATION_SESSION_NOT_STARTED (25): confirmation session not started': ({ post }) =>
    post('/v1/batch/ack', { intentId: 'nope' }),
};

/** Asks in the middle of a batch, and gives up on the batch. */
async function amid(bench: Bench, ask: (connector: Transaction, forfeit: string) => Promise<Answer>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const instead = async (connector: Transaction, forfeit: string): Promise<readonly string[]> => {
      resolve(await ask(connector, forfeit));
      return [];
    };
    settled(bench, { instead }).catch(reject);
  });
}

/** Forfeits over a leaf of Alice's. */
function wrongForfeit(bench: Bench, leaf: 'late' | 'exitLate'): (connector: Transaction) => Promise<Answer> {
  const { coin, contract, alice, post } = bench;
  const choice = { leaf: contract.leaves[leaf], signers: [alice] };
  return async (connector) =>
    post('/v1/batch/submitForfeitTxs', {
      signedForfeitTxs: [await forfeitOf({ coin, leaf: contract.leaves[leaf] }, choice, connector)],
    });
}

/**
 * A coin on the chain goes on board, virtual ones of Bob's beside it; answers what the call with everything signed got.
 */
async function boarded(bench: Bench, virtual: readonly ProofInput[]): Promise<Answer> {
  const { operator, chain, bob, contract } = bench;
  const script = boardingScript(operator, bob);
  const coin = ashore(chain, script, 30_000);
  chain.mine(1);
  let answer: Answer | null = null;
  await joinBatch(operator, bob, {
    inputs: [...virtual, { coin, leaf: script.leaves.refund }],
    outputs: [to(bench.target, 30_000)],
    signers: [bob],
    forfeits: (connectors) =>
      Promise.all(
        virtual.map((input, i) =>
          forfeitOf(
            input,
            { leaf: contract.leaves.claim, signers: [bob], witness: contract.preimage },
            connectors[i] as Transaction,
          ),
        ),
      ),
    boards: (commitment) => signsFor([coin], bob, commitment),
    provider: {
      ...arkProviderOf(operator),
      async submitSignedForfeitTxs(signedForfeitTxs, signedCommitmentTx) {
        answer = await bench.post('/v1/batch/submitForfeitTxs', { signedForfeitTxs, signedCommitmentTx });
      },
    },
  });
  if (answer === null) throw new Error('the batch went by without the call');
  return answer;
}

export const submitForfeitTxs: Table = {
  'signed commitment tx with forfeits': (bench) => boarded(bench, [claimInput(bench)]),
  'forfeits taken': (bench) =>
    amid(bench, (_, forfeit) => bench.post('/v1/batch/submitForfeitTxs', { signedForfeitTxs: [forfeit] })),
  'HTTP 400: INVALID_FORFEIT_TXS (26): failed to sign forfeit txs: forfeit closure is CLTV locked, N > N (bloc...': (
    bench,
  ) => amid(bench, wrongForfeit(bench, 'late')),
  'HTTP 400: INVALID_FORFEIT_TXS (26): failed to sign forfeit txs: invalid forfeit tx: expected txid HEX, got ...': (
    bench,
  ) => {
    bench.clock.setMtp(bench.clock.now() + 2_000);
    return amid(bench, wrongForfeit(bench, 'late'));
  },
  'HTTP 400: INVALID_FORFEIT_TXS (26): failed to sign forfeit txs: invalid forfeit closure script': (bench) =>
    amid(bench, wrongForfeit(bench, 'exitLate')),
  'boarding: signed commitment tx, no forfeits': (bench) => boarded(bench, []),
};

/** Goes through a batch and answers with what one of its calls over HTTP got. */
async function treeCall(bench: Bench, callName: 'submitNonces' | 'submitSignatures'): Promise<Answer> {
  const answers = new Map<string, Answer>();
  const call = async (name: string, body: object): Promise<void> =>
    void answers.set(name, await bench.post(`/v1/batch/tree/${name}`, body));
  const provider: ArkProvider = {
    ...arkProviderOf(bench.operator),
    submitTreeNonces: (batchId, pubkey, nonces) =>
      call('submitNonces', { batchId, pubkey, treeNonces: asHex(nonces, ({ pubNonce }) => pubNonce) }),
    submitTreeSignatures: (batchId, pubkey, signatures) =>
      call('submitSignatures', {
        batchId,
        pubkey,
        treeSignatures: asHex(signatures, (signature) => signature.encode()),
      }),
  };
  await settled(bench, { provider });
  const answer = answers.get(callName);
  if (answer === undefined) throw new Error(`the batch went by without ${callName}`);
  return answer;
}

function asHex<T>(map: ReadonlyMap<string, T>, bytes: (value: T) => Uint8Array): Record<string, string> {
  return Object.fromEntries([...map].map(([txid, value]) => [txid, hex.encode(bytes(value))]));
}

export const submitNonces: Table = { 'nonces taken': (bench) => treeCall(bench, 'submitNonces') };
export const submitSignatures: Table = { 'partial signatures taken': (bench) => treeCall(bench, 'submitSignatures') };

async function topics(bench: Bench, change: object): Promise<Answer> {
  let id = '';
  bench.operator.batchEvents(['aa'], {
    event: (event) => void ('streamStarted' in event && (id = event.streamStarted.id)),
    end: () => undefined,
  });
  return bench.post('/v1/batch/updateTopics', { streamId: id, ...change });
}

export const updateTopics: Table = {
  'topics modified': (bench) => topics(bench, { modify: { addTopics: ['bb', 'cc'], removeTopics: ['aa'] } }),
  'topics overwritten': (bench) => topics(bench, { overwrite: { topics: ['dd'] } }),
  'HTTP 404: subscription not found: nope': (bench) =>
    topics(bench, { streamId: 'nope', modify: { addTopics: ['bb'] } }),
};

async function intentsOf(bench: Bench, change: Registration = {}): Promise<Answer> {
  return bench.post('/v1/intent', {
    intent: await intent(bench, { message: { type: 'get-intent', expire_at: bench.clock.now() + 120 }, ...change }),
  });
}

export const postIntent: Table = {
  'HTTP 400: INVALID_INTENT_PROOF (23): invalid intent proof: invalid intent proof: wrong tx hash in message i...':
    async (bench) => {
      const { proof } = await intent(bench, { message: { type: 'get-intent', expire_at: bench.clock.now() + 120 } });
      return bench.post('/v1/intent', {
        intent: { proof, message: JSON.stringify({ type: 'get-intent', expire_at: bench.clock.now() + 119 }) },
      });
    },
  'queued intent returned to any leaf proof of its coin': {
    settings: patient,
    act: async (bench) => {
      bench.operator.registerIntent(
        await intent(bench, { message: register([anyCosigner], { expire_at: bench.clock.now() + 120 }) }),
      );
      return intentsOf(bench, { inputs: [{ coin: bench.coin, leaf: bench.contract.leaves.late }] });
    },
  },
  'no queued intent': (bench) => intentsOf(bench),
};

export const getIntent: Table = {
  'intent of a finished batch, by the txid of its proof': async (bench) => {
    const running = settled(bench);
    const txid = await new Promise<string>((resolve) => {
      const look = (): void => {
        const [waiting] = bench.operator.admin.intents();
        if (waiting === undefined) setImmediate(look);
        else resolve(waiting.txid);
      };
      look();
    });
    await running;
    return bench.get(`/v1/intent?txid=${txid}`);
  },
  'HTTP 404: INTENT_NOT_FOUND (45): intent with txid HEX not found': async (bench) => {
    bench.operator.registerIntent(await intent(bench));
    return bench.get(`/v1/intent?txid=${bench.operator.admin.intents()[0]?.txid}`);
  },
  'HTTP 400: unknown intent filter provided': ({ get }) => get('/v1/intent'),
};

export const subscribe: Table = {
  'new subscription': (bench) => bench.post('/v1/indexer/script/subscribe', { scripts: [scriptOf(bench.target)] }),
  'scripts added to a subscription': (bench) =>
    bench.post('/v1/indexer/script/subscribe', {
      scripts: [scriptOf(bench.own)],
      subscriptionId: bench.operator.subscribe([scriptOf(bench.target)]),
    }),
  'HTTP 404: SUBSCRIPTION_NOT_FOUND (50): subscription UUID not found': ({ post }) =>
    post('/v1/indexer/script/subscribe', { scripts: [unknownScript], subscriptionId: unknownId }),
  'HTTP 400: missing scripts': ({ post }) => post('/v1/indexer/script/subscribe', { scripts: [] }),
  'unknown JSON field ignored': ({ post }) =>
    post('/v1/indexer/script/subscribe', { scripts: [unknownScript], foo: 1 }),
  'HTTP 503: server not ready': (bench) => {
    const body = { scripts: [scriptOf(bench.own)], subscriptionId: bench.operator.subscribe([scriptOf(bench.target)]) };
    locked(bench);
    return bench.post('/v1/indexer/script/subscribe', body);
  },
};

export const unsubscribe: Table = {
  unsubscribed: (bench) =>
    bench.post('/v1/indexer/script/unsubscribe', {
      subscriptionId: bench.operator.subscribe([scriptOf(bench.target)]),
    }),
  'HTTP 404: SUBSCRIPTION_NOT_FOUND (50): subscription x not found': ({ post }) =>
    post('/v1/indexer/script/unsubscribe', { subscriptionId: 'x' }),
};

export const subscriptionUpdate: Table = {
  'filter updated': (bench) =>
    bench.post('/v1/indexer/subscription/update', {
      subscriptionId: bench.operator.subscribe([scriptOf(bench.target)]),
      filter: { scripts: { add: [scriptOf(bench.own)], remove: [] } },
    }),
  'HTTP 400: missing filter': (bench) =>
    bench.post('/v1/indexer/subscription/update', {
      subscriptionId: bench.operator.subscribe([scriptOf(bench.target)]),
      scripts: { add: [scriptOf(bench.own)], remove: [] },
    }),
  'HTTP 404: SUBSCRIPTION_NOT_FOUND (50): subscription UUID not found': ({ post }) =>
    post('/v1/indexer/subscription/update', {
      subscriptionId: unknownId,
      filter: { scripts: { add: [unknownScript] } },
    }),
};

export const other: Table = {
  'virtual tx without a txid: 404': ({ get }) => get('/v1/indexer/virtualTx/'),
  'unknown route': ({ get }) => get('/v1/nope'),
  'CORS preflight': ({ ask }) => ask('OPTIONS', '/v1/info'),
};
