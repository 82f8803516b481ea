import {
  type ArkTxInput,
  CLTVMultisigTapscript,
  CSVMultisigTapscript,
  ConditionCSVMultisigTapscript,
  ConditionMultisigTapscript,
  ConditionWitness,
  Intent,
  MultisigTapscript,
  SingleKey,
  Transaction,
  VtxoScript,
  buildOffchainTx,
  combineTapscriptSigs,
  setArkPsbtField,
} from '@arkade-os/sdk';
import { schnorr } from '@noble/curves/secp256k1.js';
import { Script } from '@scure/btc-signer';
import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { base64, hex } from '@scure/base';
import { sats } from '../../../engine/domain/money.ts';
import type { Journal } from '../../../engine/sandbox/world/journal.ts';
import { memoryJournal } from '../../support/memory-journal.ts';
import type { WorldClock } from '../../../engine/sandbox/world/clock.ts';
import { OperatorError } from '../../../engine/sandbox/world/arkade/errors.ts';
import { leafSighash, replaceSignatures, soleLeaf } from '../../../engine/sandbox/world/arkade/psbt.ts';
import { type Operator, type OperatorOptions, createOperator } from '../../../engine/sandbox/world/arkade/operator.ts';

export interface TestClock extends WorldClock {
  advance(seconds: number): void;
  setMtp(mtp: number): void;
}

/** Starts at the real time, since the SDK judges expiry by the machine's clock. */
export function testClock(): TestClock {
  const start = Math.floor(Date.now() / 1_000);
  let now = start;
  let mtp = start - 3_600;
  return {
    now: () => now,
    mtp: () => mtp,
    height: () => 100,
    tipTime: () => now,
    onChange: () => () => undefined,
    advance(seconds) {
      now += seconds;
      mtp += seconds;
    },
    setMtp(value) {
      mtp = value;
    },
  };
}

/** Stages end as soon as everybody has done their part, so only the first is ever waited out in full. */
const quickStages = { registration: 20, confirmation: 3_000, finalization: 6_000 };

/** Those of the operator that was recorded, in whose scripts these tests speak. */
export const recordedDelays = {
  exitDelay: 512,
  publicExitDelay: 512,
  boardingExitDelay: 1_024,
  checkpointExitDelay: 512,
};

export function testOperator(options: Partial<OperatorOptions> = {}): {
  operator: Operator;
  clock: TestClock;
  journal: Journal;
} {
  const clock = testClock();
  const journal = options.journal ?? memoryJournal();
  const operator = createOperator({
    clock,
    journal,
    seed: new Uint8Array(32).fill(7),
    ...options,
    settings: { ...recordedDelays, stages: quickStages, ...options.settings },
  });
  return { operator, clock, journal };
}

let keys = 0;

export interface Party {
  readonly identity: SingleKey;
  readonly secret: Uint8Array;
  readonly xOnly: Uint8Array;
}

/** A fresh deterministic key. */
export async function party(): Promise<Party> {
  const secret = sha256(new TextEncoder().encode(`party ${++keys}`));
  const identity = SingleKey.fromPrivateKey(secret);
  return { identity, secret, xOnly: await identity.xOnlyPublicKey() };
}

export interface OpenContract extends ReturnType<typeof testOperator> {
  readonly alice: Party;
  readonly bob: Party;
  readonly contract: TestVhtlc;
  /** 10,000 sats at the contract. */
  readonly coin: TestCoin;
  /** Bob's own script. */
  readonly target: TestVhtlc;
}

/** An operator with a coin that Bob can claim, and Alice take back once the locktime has come, in so many seconds. */
export async function openContract(locktimeIn = 1_000): Promise<OpenContract> {
  const { operator, clock, journal } = testOperator();
  const [alice, bob] = [await party(), await party()];
  const contract = vhtlc(operator, alice, bob, clock.now() + locktimeIn);
  const coin = pay(operator, contract, 10_000);
  return { operator, clock, journal, alice, bob, contract, coin, target: walletScript(operator, bob) };
}

export function signerOf(operator: Operator): Uint8Array {
  return hex.decode(operator.info().signerPubkey).subarray(1);
}

export interface TestVhtlc {
  readonly script: VtxoScript;
  readonly leaves: Readonly<Record<'claim' | 'refund' | 'late' | 'exitClaim' | 'exitRefund' | 'exitLate', Uint8Array>>;
  readonly preimage: Uint8Array;
}

export function hashCondition(preimage: Uint8Array, strict: boolean): Uint8Array {
  const hash = ripemd160(sha256(preimage));
  const size = strict ? (['SIZE', Uint8Array.of(32), 'EQUALVERIFY'] as const) : [];
  return Script.encode([...size, 'HASH160', hash, 'EQUAL']);
}

export function vhtlc(
  operator: Operator,
  sender: Party,
  receiver: Party,
  locktime: number,
  options: { preimage?: Uint8Array; strict?: boolean; delay?: bigint } = {},
): TestVhtlc {
  const preimage = options.preimage ?? new Uint8Array(32).fill(9);
  const conditionScript = hashCondition(preimage, options.strict ?? true);
  const server = signerOf(operator);
  const delay = options.delay ?? 512n;
  const after = (times: bigint) => ({ type: 'seconds' as const, value: delay * times });
  const leaves = {
    claim: ConditionMultisigTapscript.encode({ conditionScript, pubkeys: [receiver.xOnly, server] }).script,
    refund: MultisigTapscript.encode({ pubkeys: [sender.xOnly, receiver.xOnly, server] }).script,
    late: CLTVMultisigTapscript.encode({ absoluteTimelock: BigInt(locktime), pubkeys: [sender.xOnly, server] }).script,
    exitClaim: ConditionCSVMultisigTapscript.encode({ conditionScript, timelock: after(1n), pubkeys: [receiver.xOnly] })
      .script,
    exitRefund: CSVMultisigTapscript.encode({ timelock: after(2n), pubkeys: [sender.xOnly, receiver.xOnly] }).script,
    exitLate: CSVMultisigTapscript.encode({ timelock: after(3n), pubkeys: [sender.xOnly] }).script,
  };
  return { script: new VtxoScript(Object.values(leaves)), leaves, preimage };
}

/** The script of an ordinary wallet. */
export function walletScript(operator: Operator, owner: Party): TestVhtlc {
  const server = signerOf(operator);
  const refund = MultisigTapscript.encode({ pubkeys: [owner.xOnly, server] }).script;
  const exitLate = CSVMultisigTapscript.encode({
    timelock: { type: 'seconds', value: 512n },
    pubkeys: [owner.xOnly],
  }).script;
  const none = new Uint8Array();
  return {
    script: new VtxoScript([refund, exitLate]),
    leaves: { claim: none, refund, late: none, exitClaim: none, exitRefund: none, exitLate },
    preimage: none,
  };
}

export function pay(operator: Operator, coin: TestVhtlc, amount: number): TestCoin {
  const address = coin.script.address('tark', signerOf(operator)).encode();
  return { ...operator.faucet(address, sats(amount)), value: amount, of: coin };
}

export interface TestCoin {
  readonly txid: string;
  readonly vout: number;
  readonly value: number;
  readonly of: TestVhtlc;
}

export function keyOf(coin: TestCoin): string {
  return `${coin.txid}:${coin.vout}`;
}

export function inputOf(coin: TestCoin, leaf: Uint8Array): ArkTxInput {
  return {
    txid: coin.txid,
    vout: coin.vout,
    value: coin.value,
    tapTree: coin.of.script.encode(),
    tapLeafScript: coin.of.script.findLeaf(hex.encode(leaf)),
  };
}

export interface BuiltSpend {
  readonly arkTx: Transaction;
  readonly checkpoints: Transaction[];
}

export function unrollScript(operator: Operator): CSVMultisigTapscript.Type {
  return CSVMultisigTapscript.decode(hex.decode(operator.info().checkpointTapscript));
}

export async function buildSpend(
  operator: Operator,
  inputs: readonly ArkTxInput[],
  outputs: readonly { script: Uint8Array; amount: bigint }[],
  signers: readonly Party[],
  witness?: Uint8Array,
): Promise<BuiltSpend> {
  const { arkTx, checkpoints } = buildOffchainTx([...inputs], [...outputs], unrollScript(operator));
  if (witness !== undefined)
    for (let i = 0; i < inputs.length; i++) setArkPsbtField(arkTx, i, ConditionWitness, [witness]);
  return { arkTx: await signAll(arkTx, signers), checkpoints };
}

export async function signAll(tx: Transaction, signers: readonly Party[]): Promise<Transaction> {
  const [first, ...rest] = signers;
  if (first === undefined) return tx;
  let signed = await first.identity.sign(tx);
  for (const signer of rest) signed = combineTapscriptSigs(await signer.identity.sign(tx), signed);
  return signed;
}

/** Signs every input again with another sighash type, in place of the signatures that are there. */
export function signWith(tx: Transaction, signer: Party, sighash: number): Transaction {
  const inputs = Array.from({ length: tx.inputsLength }, (_, i) => tx.getInput(i));
  const prevouts = inputs.map(({ witnessUtxo }) => witnessUtxo ?? { script: new Uint8Array(), amount: 0n });
  inputs.forEach((_, i) => {
    const leaf = soleLeaf(tx, i)?.leaf;
    if (leaf === null || leaf === undefined) throw new Error(`input ${i} reveals no leaf`);
    const signature = schnorr.sign(leafSighash(tx, i, leaf, prevouts, sighash), signer.secret);
    replaceSignatures(tx, i, [[{ pubKey: signer.xOnly, leafHash: leaf.hash }, Uint8Array.of(...signature, sighash)]]);
  });
  return tx;
}

export function text(tx: Transaction): string {
  return base64.encode(tx.toPSBT());
}

export function parse(psbt: string): Transaction {
  return Transaction.fromPSBT(base64.decode(psbt));
}

export function send(operator: Operator, spend: BuiltSpend): ReturnType<Operator['submit']> {
  return operator.submit(text(spend.arkTx), spend.checkpoints.map(text));
}

/** The checkpoints of a reply with the signers' part, ready to finalize. */
export async function signedCheckpoints(
  checkpoints: readonly string[],
  signers: readonly Party[],
  witness?: Uint8Array,
): Promise<string[]> {
  return Promise.all(
    checkpoints.map(async (psbt) => {
      let tx = parse(psbt);
      if (witness !== undefined) setArkPsbtField(tx, 0, ConditionWitness, [witness]);
      for (const signer of signers) tx = await signer.identity.sign(tx);
      return text(tx);
    }),
  );
}

export async function spendFully(
  operator: Operator,
  inputs: readonly ArkTxInput[],
  outputs: readonly { script: Uint8Array; amount: bigint }[],
  signers: readonly Party[],
  witness?: Uint8Array,
): Promise<string> {
  const reply = send(operator, await buildSpend(operator, inputs, outputs, signers, witness));
  operator.finalize(reply.arkTxid, await signedCheckpoints(reply.signedCheckpointTxs, signers, witness));
  return reply.arkTxid;
}

export interface ProofInput {
  readonly coin: TestCoin;
  readonly leaf: Uint8Array;
  readonly witness?: Uint8Array;
  readonly sequence?: number;
}

/** An intent proof over the given leaves, as a client of another make would build it. */
export async function prove(
  message: object,
  inputs: readonly ProofInput[],
  outputs: readonly { script: Uint8Array; amount: bigint }[],
  signers: readonly Party[],
): Promise<{ proof: string; message: string }> {
  const words = JSON.stringify(message);
  const proof = Intent.create(
    words,
    inputs.map(({ coin, leaf, sequence }) => ({
      txid: hex.decode(coin.txid),
      index: coin.vout,
      sequence: sequence ?? 0xffffffff,
      witnessUtxo: { script: coin.of.script.pkScript, amount: BigInt(coin.value) },
      tapLeafScript: [coin.of.script.findLeaf(hex.encode(leaf))],
    })),
    [...outputs],
  );
  inputs.forEach(({ coin, witness }, i) => {
    proof.updateInput(i + 1, {
      unknown: [
        [{ type: 222, key: new TextEncoder().encode('taptree') }, coin.of.script.encode()],
        ...(witness === undefined ? [] : [ConditionWitness.encode([witness])]),
      ],
    });
  });
  return { proof: text(await signAll(proof, signers)), message: words };
}

export function register(cosigners: readonly string[], more: object = {}): object {
  return {
    type: 'register',
    onchain_output_indexes: [],
    valid_at: 0,
    expire_at: 0,
    cosigners_public_keys: cosigners,
    ...more,
  };
}

/** How a call is refused: code, gRPC status and text; null when it is not. */
export function refusalOf(
  call: () => unknown,
): { code: number | null; grpc: number; message: string; metadata: string[] } | null {
  try {
    call();
    return null;
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return {
      code: error.detail?.code ?? null,
      grpc: error.grpc,
      message: error.message,
      metadata: Object.keys(error.detail?.metadata ?? {}).sort(),
    };
  }
}
