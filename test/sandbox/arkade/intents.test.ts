import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SigHash } from '@scure/btc-signer';
import { hex } from '@scure/base';
import type { BatchEvent } from '../../../engine/sandbox/world/arkade/batch-events.ts';
import type { Operator } from '../../../engine/sandbox/world/arkade/operator.ts';
import { replaceSignatures } from '../../../engine/sandbox/world/arkade/psbt.ts';
import {
  type Party,
  type ProofInput,
  type TestClock,
  type TestCoin,
  type TestVhtlc,
  buildSpend,
  inputOf,
  keyOf,
  openContract,
  parse,
  pay,
  prove,
  refusalOf,
  register,
  send,
  signWith,
  spendFully,
  testOperator,
  text,
  vhtlc,
  walletScript,
} from './support.ts';

let operator: Operator;
let clock: TestClock;
let alice: Party;
let bob: Party;
let contract: TestVhtlc;
let coin: TestCoin;
let target: TestVhtlc;

const cosigner = `02${'c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5'}`;

beforeEach(async () => {
  ({ operator, clock, alice, bob, contract, coin, target } = await openContract(100_000));
});
afterEach(() => operator.stop());

function out(amount = 10_000): { script: Uint8Array; amount: bigint } {
  return { script: target.script.pkScript, amount: BigInt(amount) };
}

interface Changes {
  readonly inputs?: readonly ProofInput[];
  readonly outputs?: readonly { script: Uint8Array; amount: bigint }[];
  readonly signers?: readonly Party[];
  readonly message?: object;
}

/** Registers the coin by the claim leaf unless told otherwise; answers with the refusal. */
async function attempt(changes: Changes = {}): Promise<ReturnType<typeof refusalOf>> {
  const inputs = changes.inputs ?? [{ coin, leaf: contract.leaves.claim, witness: contract.preimage }];
  const intent = await prove(
    changes.message ?? register([cosigner]),
    inputs,
    changes.outputs ?? [out()],
    changes.signers ?? [bob],
  );
  return refusalOf(() => operator.registerIntent(intent));
}

describe('an intent is refused', () => {
  test('for its message', async () => {
    const now = clock.now();
    const operatorTree = (await import('../../../engine/sandbox/world/arkade/settings.ts')).operatorKeys(
      new Uint8Array(32).fill(7),
    ).tree.publicKey;
    expect([
      await attempt({ message: { type: 'delete', expire_at: 0 } }),
      refusalOf(() => operator.registerIntent({ proof: '', message: 'no json' })),
      await attempt({ message: register([cosigner], { expire_at: now - 1 }) }),
      await attempt({ message: register([cosigner], { valid_at: now + 60 }) }),
      await attempt({ message: register([]) }),
      await attempt({ message: register([hex.encode(operatorTree)]) }),
    ]).toMatchObject([
      { code: null, grpc: 3, message: 'invalid intent message' },
      { code: null, grpc: 3, message: 'invalid intent message' },
      {
        code: 20,
        message: 'INVALID_INTENT_TIMERANGE (20): proof of ownership expired',
        metadata: ['expire_at', 'now', 'valid_at'],
      },
      { code: 20, message: 'INVALID_INTENT_TIMERANGE (20): proof of ownership not yet valid' },
      {
        code: 21,
        message: 'INVALID_INTENT_MESSAGE (21): CosignersPublicKeys is required in intent message',
        metadata: ['message'],
      },
      { code: 21 },
    ]);
  });

  test('for a proof that is no PSBT or signs other words', async () => {
    const intent = await prove(
      register([cosigner]),
      [{ coin, leaf: contract.leaves.claim, witness: contract.preimage }],
      [out()],
      [bob],
    );
    expect([
      refusalOf(() => operator.registerIntent({ ...intent, proof: 'AAAA' })),
      refusalOf(() =>
        operator.registerIntent({
          ...intent,
          message: JSON.stringify(register([cosigner], { expire_at: clock.now() + 600 })),
        }),
      ),
    ]).toMatchObject([
      { code: 22 },
      {
        code: 23,
        message:
          'INVALID_INTENT_PROOF (23): invalid intent proof: invalid intent proof: wrong tx hash in message input',
        metadata: ['message', 'proof'],
      },
    ]);
  });

  test('for its coins: unknown, pending, spent, unrolled, of another value or script', async () => {
    const [pending, spent, unrolled] = [
      pay(operator, contract, 10_000),
      pay(operator, contract, 10_000),
      pay(operator, contract, 10_000),
    ];
    send(operator, await buildSpend(operator, [inputOf(pending, contract.leaves.refund)], [out()], [alice, bob]));
    await spendFully(operator, [inputOf(spent, contract.leaves.refund)], [out()], [alice, bob]);
    operator.faults.unroll(keyOf(unrolled));
    const by = (each: TestCoin, leaf = contract.leaves.claim): Changes => ({
      inputs: [{ coin: each, leaf, witness: contract.preimage }],
    });
    const foreign = walletScript(operator, bob);
    expect([
      await attempt(by({ ...coin, txid: 'ab'.repeat(32) })),
      await attempt(by(pending)),
      await attempt(by(spent)),
      await attempt(by(unrolled)),
      await attempt(by({ ...coin, value: 9_999 })),
      await attempt(by({ ...coin, of: foreign }, foreign.leaves.refund)),
    ]).toMatchObject([
      {
        code: 5,
        message: expect.stringMatching(
          /^INVALID_PSBT_INPUT \(5\): failed to validate boarding input: failed to get tx/,
        ),
        metadata: ['input_index', 'txid'],
      },
      { code: 6, message: `VTXO_ALREADY_SPENT (6): vtxo ${keyOf(pending)} is currently being spent` },
      { code: 6, message: `VTXO_ALREADY_SPENT (6): input ${keyOf(spent)} already spent` },
      { code: 7 },
      { code: 5, message: 'INVALID_PSBT_INPUT (5): witness utxo value mismatch: got 9999 expected 10000' },
      { code: 5 },
    ]);
  });

  test('for a leaf that is not of the script, a missing signature, a wrong one, or an unmet condition', async () => {
    const good = await prove(
      register([cosigner]),
      [{ coin, leaf: contract.leaves.claim, witness: contract.preimage }],
      [out()],
      [bob],
    );
    const flip = (index: number): { proof: string; message: string } => {
      const proof = parse(good.proof);
      const [entry] = proof.getInput(index).tapScriptSig ?? [];
      if (entry === undefined) throw new Error('unsigned');
      const wrong = entry[1].slice();
      wrong[5] = (wrong[5] ?? 0) ^ 1;
      replaceSignatures(proof, index, [[entry[0], wrong]]);
      return { ...good, proof: text(proof) };
    };
    const swapped = parse(good.proof);
    const leafOf = (of: TestVhtlc, leaf: Uint8Array) => of.script.findLeaf(hex.encode(leaf));
    const alien = vhtlc(operator, bob, bob, clock.now());
    const removal: object = { tapLeafScript: undefined };
    swapped.updateInput(1, removal, true);
    swapped.updateInput(1, { tapLeafScript: [leafOf(alien, alien.leaves.exitLate)] }, true);
    const twice = 'INVALID_INTENT_PROOF (23): invalid intent proof: invalid intent proof:';
    expect([
      await attempt({ signers: [] }),
      await attempt({ inputs: [{ coin, leaf: contract.leaves.claim }] }),
      await attempt({ inputs: [{ coin, leaf: contract.leaves.refund }], signers: [bob] }),
      refusalOf(() =>
        operator.registerIntent({ ...good, proof: text(signWith(parse(good.proof), bob, SigHash.NONE)) }),
      ),
      refusalOf(() => operator.registerIntent(flip(0))),
      refusalOf(() => operator.registerIntent(flip(1))),
      refusalOf(() => operator.registerIntent({ ...good, proof: text(swapped) }))?.code,
    ]).toMatchObject([
      { code: 23, message: `${twice} missing signature for ${hex.encode(bob.xOnly)}` },
      { code: 23, message: `${twice} index 0 is invalid for stack size 0` },
      { code: 23, message: `${twice} missing signature for ${hex.encode(alice.xOnly)}` },
      { code: 23 },
      { code: 23 },
      { code: 23 },
      23,
    ]);
  });

  test('for a leaf of another tree under the script of the coin, signed as it should be', async () => {
    const alien = vhtlc(operator, bob, bob, clock.now());
    const script = Object.assign(Object.create(alien.script), {
      pkScript: contract.script.pkScript,
      encode: () => contract.script.encode(),
    });
    const masked = { coin: { ...coin, of: { ...contract, script } }, leaf: alien.leaves.exitLate };
    const good = await prove(
      register([cosigner]),
      [{ coin, leaf: contract.leaves.claim, witness: contract.preimage }],
      [out()],
      [bob],
    );
    const lead = parse(good.proof);
    const removal: object = { tapLeafScript: undefined };
    lead.updateInput(0, removal, true);
    lead.updateInput(0, { tapLeafScript: [alien.script.findLeaf(hex.encode(alien.leaves.exitLate))] }, true);
    expect([
      await attempt({ inputs: [masked] }),
      refusalOf(() => operator.registerIntent({ ...good, proof: text(signWith(lead, bob, SigHash.ALL)) })),
    ]).toMatchObject([
      { code: 23, message: expect.stringContaining('control block does not match the script of input 1') },
      { code: 23, message: expect.stringContaining('unknown tapscript leaf for input 0') },
    ]);
  });

  test('for one coin twice, or a recoverable coin under the script of another', async () => {
    const twice = { coin, leaf: contract.leaves.claim, witness: contract.preimage };
    const own = walletScript(operator, bob);
    operator.faults.expire(keyOf(coin));
    expect([
      await attempt({ inputs: [twice, twice], outputs: [out(20_000)] }),
      await attempt({ inputs: [{ coin: { ...coin, of: own }, leaf: own.leaves.refund }] }),
    ]).toMatchObject([{ code: 23, message: expect.stringContaining(`duplicated input ${keyOf(coin)}`) }, { code: 5 }]);
  });

  test('for a script against the rules, unless the coin needs no forfeit', async () => {
    operator.configure({ exitDelay: 1_024 });
    const refused = await attempt();
    operator.faults.expire(keyOf(coin));
    expect([refused, await attempt()]).toMatchObject([
      { code: 10, message: 'INVALID_VTXO_SCRIPT (10): exit delay is too short' },
      null,
    ]);
  });

  test('for a relative timelock in the sequence that has not passed', async () => {
    const inputs = [{ coin, leaf: contract.leaves.exitLate, sequence: 0x0040_0002 }];
    const early = await attempt({ inputs, signers: [alice] });
    clock.advance(1_024);
    expect([early, await attempt({ inputs, signers: [alice] })]).toMatchObject([
      {
        code: 10,
        message: 'INVALID_VTXO_SCRIPT (10): vtxo script can be used for intent registration in 1024 seconds',
        metadata: ['tapscripts'],
      },
      null,
    ]);
  });

  test('for its outputs: too much, too small, or too little fee', async () => {
    const answers = [await attempt({ outputs: [out(10_001)] }), await attempt({ outputs: [out(329)] })];
    operator.configure({
      intentFee: { offchainInput: '100.0', offchainOutput: '50.0', onchainInput: '', onchainOutput: '' },
    });
    answers.push(await attempt(), await attempt({ outputs: [out(9_850)] }));
    expect(answers).toMatchObject([
      {
        code: 23,
        message:
          'INVALID_INTENT_PROOF (23): failed to compute intent fees: sum of inputs is smaller than sum of outputs ' +
          '(diff: -1)',
      },
      { code: 15 },
      {
        code: 31,
        message: 'INTENT_INSUFFICIENT_FEE (31): got 0 min expected 150',
        metadata: ['actual_fee', 'min_fee'],
      },
      null,
    ]);
  });

  test('for a coin that another intent holds', async () => {
    expect([
      await attempt(),
      await attempt({ inputs: [{ coin, leaf: contract.leaves.exitLate }], signers: [alice] }),
    ]).toMatchObject([
      null,
      {
        code: 0,
        grpc: 13,
        message:
          `INTERNAL_ERROR (0): failed to push intent: duplicated input, ${keyOf(coin)} already registered by ` +
          'another intent',
        metadata: ['boarding_inputs', 'cosigners_public_keys', 'intent'],
      },
    ]);
  });

  test('for a script whose cosigners kept their nonces three times', async () => {
    operator.stop();
    ({ operator, clock } = testOperator({
      settings: { stages: { registration: 1, confirmation: 20, finalization: 20 } },
    }));
    coin = pay(operator, contract, 10_000);
    for (let i = 0; i < 3; i++) {
      const failed = nextFailure();
      const leave = ackEverything();
      expect(await attempt()).toBeNull();
      expect(await failed).toBe(
        'SIGNING_SESSION_TIMED_OUT (28): musig2 signing session timed out (nonce collection), collected 0/1 nonces',
      );
      leave();
    }
    const spend = await buildSpend(operator, [inputOf(coin, contract.leaves.claim)], [out()], [bob], contract.preimage);
    const banned = { code: 29, metadata: ['vtxo_outpoint'] };
    expect([await attempt(), refusalOf(() => send(operator, spend))]).toMatchObject([banned, banned]);
    const [first] = operator.admin.convictions(hex.encode(contract.script.pkScript));
    operator.admin.pardon(first?.id ?? '');
    expect([first?.crime, (first?.expiresAt ?? 0) - clock.now(), refusalOf(() => send(operator, spend))]).toEqual([
      'nonce',
      300,
      null,
    ]);
  });

  test('until the last conviction of its script that counts is over, across a restart', async () => {
    operator.stop();
    const settings = { stages: { registration: 1, confirmation: 20, finalization: 20 }, banThreshold: 1 };
    const { journal, ...first } = testOperator({ settings });
    ({ operator, clock } = first);
    coin = pay(operator, contract, 10_000);
    const failed = nextFailure();
    ackEverything();
    await attempt();
    await failed;
    operator.stop();
    operator = testOperator({ settings, journal, clock }).operator;
    const spend = await buildSpend(operator, [inputOf(coin, contract.leaves.claim)], [out()], [bob], contract.preimage);
    expect(refusalOf(() => send(operator, spend))).toMatchObject({ code: 29 });
    clock.advance(301);
    expect(refusalOf(() => send(operator, spend))).toBeNull();
  });
});

function nextFailure(): Promise<string> {
  return new Promise((resolve) => {
    const leave = operator.batchEvents([], {
      event(event: BatchEvent) {
        if (!('batchFailed' in event)) return;
        leave();
        resolve(event.batchFailed.reason);
      },
      end: () => undefined,
    });
  });
}

/** Confirms whatever is registered next, and then says nothing more. */
function ackEverything(): () => void {
  const original = operator.registerIntent;
  const ids: string[] = [];
  const leave = operator.batchEvents([], {
    event(event: BatchEvent) {
      if ('batchStarted' in event) queueMicrotask(() => ids.splice(0).forEach((id) => operator.ack(id)));
    },
    end: () => undefined,
  });
  const patched = operator as { registerIntent: Operator['registerIntent'] };
  patched.registerIntent = (intent) => {
    const id = original(intent);
    ids.push(id);
    return id;
  };
  return () => {
    patched.registerIntent = original;
    leave();
  };
}

describe('what arkd lets pass', () => {
  test('the sender registers a live coin by an exit leaf and holds up the claim until that is deleted', async () => {
    const grief = await prove(register([cosigner]), [{ coin, leaf: contract.leaves.exitLate }], [out()], [alice]);
    operator.registerIntent(grief);
    const claim = await buildSpend(operator, [inputOf(coin, contract.leaves.claim)], [out()], [bob], contract.preimage);
    const held = refusalOf(() => send(operator, claim));
    operator.deleteIntent(
      await prove(
        { type: 'delete', expire_at: 0 },
        [{ coin, leaf: contract.leaves.claim, witness: contract.preimage }],
        [],
        [bob],
      ),
    );
    expect([held, refusalOf(() => send(operator, claim))]).toMatchObject([
      { code: 4, grpc: 6, metadata: ['vtxo_outpoint'] },
      null,
    ]);
  });

  test('an intent that nobody confirms holds its coin until its first round fails, and is queued again', async () => {
    operator.stop();
    ({ operator } = testOperator({ settings: { stages: { registration: 30, confirmation: 30, finalization: 30 } } }));
    coin = pay(operator, contract, 10_000);
    const started = new Promise<void>((resolve) => {
      operator.batchEvents([], {
        event: (event) => ('batchStarted' in event ? resolve() : undefined),
        end: () => undefined,
      });
    });
    const failed = nextFailure();
    expect(
      await attempt({ inputs: [{ coin, leaf: contract.leaves.late, sequence: 0xfffffffe }], signers: [alice] }),
    ).toBeNull();
    const spy = await prove(
      { type: 'get-intent', expire_at: 0 },
      [{ coin, leaf: contract.leaves.exitLate }],
      [],
      [alice],
    );
    const erase = await prove(
      { type: 'delete', expire_at: 0 },
      [{ coin, leaf: contract.leaves.exitLate }],
      [],
      [alice],
    );
    const claim = await buildSpend(operator, [inputOf(coin, contract.leaves.claim)], [out()], [bob], contract.preimage);
    const queued = operator.getIntents(spy).length;
    await started;
    const inRound = [
      operator.getIntents(spy).length,
      refusalOf(() => operator.deleteIntent(erase))?.code,
      refusalOf(() => send(operator, claim))?.code,
    ];
    await failed;
    const after = [operator.getIntents(spy).length, refusalOf(() => send(operator, claim))];
    expect({ queued, inRound, after }).toEqual({ queued: 1, inRound: [0, 23, 4], after: [1, null] });
  });

  test('a recoverable coin moves by any leaf that can be signed, but not without the preimage', async () => {
    const coins = Array.from({ length: 5 }, () => pay(operator, contract, 10_000)) as [
      TestCoin,
      TestCoin,
      TestCoin,
      TestCoin,
      TestCoin,
    ];
    for (const each of coins) operator.faults.expire(keyOf(each));
    const { leaves, preimage } = contract;
    const [a, b, c, d, e] = coins;
    expect([
      await attempt({ inputs: [{ coin: a, leaf: leaves.late, sequence: 0xfffffffe }], signers: [alice] }),
      await attempt({ inputs: [{ coin: b, leaf: leaves.exitLate }], signers: [alice] }),
      await attempt({ inputs: [{ coin: c, leaf: leaves.exitClaim, witness: preimage }], signers: [bob] }),
      await attempt({ inputs: [{ coin: d, leaf: leaves.claim, witness: preimage }], signers: [bob] }),
      (await attempt({ inputs: [{ coin: e, leaf: leaves.claim }], signers: [bob] }))?.code,
    ]).toEqual([null, null, null, null, 23]);
  });

  test('a queued claim shows its preimage to whoever can sign any leaf', async () => {
    await attempt();
    const spy = await prove({ type: 'get-intent', expire_at: 0 }, [{ coin, leaf: contract.leaves.late }], [], [alice]);
    const stranger = await prove(
      { type: 'get-intent', expire_at: 0 },
      [{ coin: { ...coin, of: target }, leaf: target.leaves.refund }],
      [],
      [bob],
    );
    const [shown] = operator.getIntents(spy);
    expect([
      parse(shown?.proof ?? '')
        .getInput(1)
        .unknown?.some(([, value]) => hex.encode(value).includes(hex.encode(contract.preimage))),
      refusalOf(() => operator.getIntents(stranger))?.code,
    ]).toEqual([true, 23]);
  });

  test('a deletion of nothing, an unknown intent and a confirmation out of time are refused', async () => {
    const nothing = await prove(
      { type: 'delete', expire_at: 0 },
      [{ coin, leaf: contract.leaves.exitLate }],
      [],
      [alice],
    );
    expect([
      refusalOf(() => operator.deleteIntent(nothing)),
      refusalOf(() => operator.finishedIntent('ab'.repeat(32))),
      refusalOf(() => operator.ack('nope')),
    ]).toMatchObject([
      {
        code: 23,
        message: 'INVALID_INTENT_PROOF (23): no matching intents found for intent proof',
        metadata: ['message', 'proof'],
      },
      { code: 45, grpc: 5, metadata: [] },
      { code: 25, metadata: [] },
    ]);
  });
});
