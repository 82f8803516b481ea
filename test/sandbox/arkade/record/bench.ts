import { ArkNote, type Transaction } from '@arkade-os/sdk';
import { hex } from '@scure/base';
import { serveArkadeAdmin } from '../../../../engine/sandbox/wire/arkade/admin.ts';
import { serveArkade } from '../../../../engine/sandbox/wire/arkade.ts';
import type { Operator } from '../../../../engine/sandbox/world/arkade/operator.ts';
import type { OperatorSettings } from '../../../../engine/sandbox/world/arkade/settings.ts';
import { type BitcoinWorld, createBitcoin } from '../../../../engine/sandbox/world/bitcoin/chain.ts';
import { createTime } from '../../../../engine/sandbox/world/clock.ts';
import { memoryJournal } from '../../../support/memory-journal.ts';
import { type Joining, forfeitOf, joinBatch } from '../join.ts';
import {
  type BuiltSpend,
  type Party,
  type ProofInput,
  type TestClock,
  type TestCoin,
  type TestVhtlc,
  buildSpend,
  inputOf,
  party,
  pay,
  prove,
  register,
  send,
  signedCheckpoints,
  spendFully,
  testOperator,
  text,
  vhtlc,
  walletScript,
} from '../support.ts';
import { type Answer, type Block, nameOf } from './compare.ts';

/** An operator behind its wires, with a coin of Alice's that Bob can claim, and hands to ask it with. */
export interface Bench {
  readonly operator: Operator;
  readonly clock: TestClock;
  /** Where coins lie that go on board. */
  readonly chain: BitcoinWorld;
  readonly alice: Party;
  readonly bob: Party;
  readonly contract: TestVhtlc;
  /** 20 000 sats at the contract, preconfirmed. */
  readonly coin: TestCoin;
  /** Alice's change, 80 000 sats, from the same transaction. */
  readonly change: TestCoin;
  readonly own: TestVhtlc;
  readonly target: TestVhtlc;
  ask(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  get(path: string): Promise<Answer>;
  post(path: string, body: unknown): Promise<Answer>;
  admin(path: string, body?: unknown): Promise<Answer>;
  /** Reads a stream until `enough`, or its end. */
  stream(path: string, enough: (blocks: readonly Block[]) => boolean): Stream;
  stop(): Promise<void>;
}

export interface Stream {
  /** Resolves once the first event is there. */
  readonly opened: Promise<void>;
  readonly answer: Promise<Answer>;
}

export const heartbeatMs = 400;
export const stages = { registration: 20, confirmation: 3_000, finalization: 6_000 };

export async function openBench(settings: Partial<OperatorSettings> = {}): Promise<Bench> {
  const chain = createBitcoin({ journal: memoryJournal(), time: createTime(memoryJournal()) });
  const { operator, clock } = testOperator({ chain, settings: { stages, ...settings } });
  const [server, admin] = [
    await serveArkade(operator, { port: 0, heartbeatMs }),
    await serveArkadeAdmin(operator, { port: 0 }),
  ];
  const [alice, bob] = [await party(), await party()];
  const [own, target] = [walletScript(operator, alice), walletScript(operator, bob)];
  const contract = vhtlc(operator, alice, bob, clock.now() + 1_000);
  const funds = pay(operator, own, 100_000);
  const outputs = [contract, own].map(({ script }, i) => ({
    script: script.pkScript,
    amount: i === 0 ? 20_000n : 80_000n,
  }));
  const funding = await spendFully(operator, [inputOf(funds, own.leaves.refund)], outputs, [alice]);

  async function request(
    base: string,
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const content = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
    const response = await fetch(`${base}${path}`, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...content,
    });
    const words = await response.text();
    return { status: response.status, headers: typesOf(response), body: words === '' ? null : JSON.parse(words) };
  }
  const ask: Bench['ask'] = (method, path, body, headers) => request(server.url, method, path, body, headers);

  return {
    operator,
    clock,
    chain,
    alice,
    bob,
    contract,
    coin: { txid: funding, vout: 0, value: 20_000, of: contract },
    change: { txid: funding, vout: 1, value: 80_000, of: own },
    own,
    target,
    ask,
    get: (path) => ask('GET', path),
    post: (path, body) => ask('POST', path, body),
    admin: (path, body) => request(admin.url, body === undefined ? 'GET' : 'POST', `/v1/admin/${path}`, body),
    stream: (path, enough) => readStream(`${server.url}${path}`, enough),
    async stop() {
      operator.stop();
      await server.stop();
      await admin.stop();
    },
  };
}

function typesOf(response: Response): Record<string, string> | null {
  const type = response.headers.get('content-type');
  return type === null ? null : { 'content-type': type };
}

function readStream(url: string, enough: (blocks: readonly Block[]) => boolean): Stream {
  const begun = performance.now();
  const leaving = new AbortController();
  const passed = (): number => performance.now() - begun;
  const response = fetch(url, { headers: { accept: 'text/event-stream' }, signal: leaving.signal });
  const headersAfterMs = response.then(passed);
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));

  async function read(): Promise<Answer> {
    const { status, headers, body } = await response;
    const blocks: Block[] = [];
    const decoder = new TextDecoder();
    let [rest, endedByServer] = ['', true];
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
      rest += decoder.decode(chunk, { stream: true });
      for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
        blocks.push({ afterMs: passed(), ...blockOf(rest.slice(0, end)) });
        open();
        rest = enough(blocks) ? '' : rest.slice(end + 2);
      }
      endedByServer = !enough(blocks);
      if (!endedByServer) break;
    }
    leaving.abort();
    return {
      status,
      headers: { 'content-type': headers.get('content-type') ?? '' },
      headersAfterMs: await headersAfterMs,
      endedByServer,
      body: blocks,
    };
  }
  return { opened, answer: read() };
}

function blockOf(lines: string): Omit<Block, 'afterMs'> {
  const field = (name: string): string | undefined =>
    lines
      .split('\n')
      .find((line) => line.startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trim();
  const [id, event, data = ''] = [field('id'), field('event'), field('data')];
  return {
    ...(id === undefined ? {} : { id }),
    ...(event === undefined ? {} : { event }),
    data: data === '' ? '' : JSON.parse(data),
  };
}

/** Ends with a heartbeat after at least one of the events named. */
export function quietAfter(...names: string[]): (blocks: readonly Block[]) => boolean {
  return (blocks) => {
    const blockNames = blocks.map(nameOf);
    return blockNames.at(-1) === 'heartbeat' && names.every((name) => blockNames.includes(name));
  };
}

export function scriptOf({ script }: TestVhtlc): string {
  return hex.encode(script.pkScript);
}

export function to(script: TestVhtlc, amount: number): { script: Uint8Array; amount: bigint } {
  return { script: script.script.pkScript, amount: BigInt(amount) };
}

export function submission(spend: BuiltSpend): object {
  return { signedArkTx: text(spend.arkTx), checkpointTxs: spend.checkpoints.map(text) };
}

/** Bob's claim of a coin at the contract, signed. */
export function claim(
  { operator, bob, contract, target, coin }: Bench,
  of: TestCoin = coin,
  preimage = contract.preimage,
): Promise<BuiltSpend> {
  return buildSpend(operator, [inputOf(of, contract.leaves.claim)], [to(target, of.value)], [bob], preimage);
}

/** Submits and finalizes Bob's claim; the coin that he has now. */
export async function claimed(bench: Bench): Promise<TestCoin> {
  const { operator, bob, contract, target, coin } = bench;
  const reply = send(operator, await claim(bench));
  operator.finalize(reply.arkTxid, await signedCheckpoints(reply.signedCheckpointTxs, [bob], contract.preimage));
  return { txid: reply.arkTxid, vout: 0, value: coin.value, of: target };
}

/** Sends an amount of Alice's to a script; with change, the coin and what is left. */
export async function paid(
  { operator, alice, own }: Bench,
  from: TestCoin,
  script: TestVhtlc,
  amount: number,
): Promise<{ coin: TestCoin; change: TestCoin }> {
  const txid = await spendFully(
    operator,
    [inputOf(from, own.leaves.refund)],
    [to(script, amount), to(own, from.value - amount)],
    [alice],
  );
  return {
    coin: { txid, vout: 0, value: amount, of: script },
    change: { txid, vout: 1, value: from.value - amount, of: own },
  };
}

export function claimInput({ coin, contract }: Bench): ProofInput {
  return { coin, leaf: contract.leaves.claim, witness: contract.preimage };
}

/** Bob's claim of the coin through a batch. */
export async function settled(
  bench: Bench,
  joining: Pick<Joining, 'provider' | 'session'> & {
    readonly instead?: (connector: Transaction, forfeit: string) => Promise<readonly string[]>;
  } = {},
): Promise<string> {
  const { operator, bob, contract, coin, target } = bench;
  const input = claimInput(bench);
  return joinBatch(operator, bob, {
    inputs: [input],
    outputs: [to(target, coin.value)],
    signers: [bob],
    ...joining,
    forfeits: async ([connector]) => {
      if (connector === undefined) return [];
      const forfeit = await forfeitOf(
        input,
        { leaf: contract.leaves.claim, signers: [bob], witness: contract.preimage },
        connector,
      );
      return joining.instead === undefined ? [forfeit] : joining.instead(connector, forfeit);
    },
  });
}

/** A note of the operator's goes to Bob through a batch. */
export async function settledNote({ operator, bob, target }: Bench, amount: number): Promise<string> {
  const note = ArkNote.fromString(operator.admin.note(amount, 1)[0] ?? '');
  const [leaf] = note.vtxoScript.scripts as [Uint8Array];
  const none = new Uint8Array();
  const of: TestVhtlc = {
    script: note.vtxoScript,
    leaves: { claim: leaf, refund: none, late: none, exitClaim: none, exitRefund: none, exitLate: none },
    preimage: note.preimage,
  };
  const coin = { txid: note.txid, vout: note.vout, value: amount, of };
  return joinBatch(operator, bob, {
    inputs: [{ coin, leaf, witness: note.preimage }],
    outputs: [to(target, amount)],
    signers: [],
  });
}

export const anyCosigner = '02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5';

export interface Registration {
  readonly message?: object;
  readonly inputs?: readonly ProofInput[];
  readonly amount?: number;
  readonly signers?: readonly Party[];
}

/** An intent over the contract's coin by Alice alone, through a leaf that is hers alone, unless told otherwise. */
export function intent(
  bench: Bench,
  { message, inputs, amount, signers }: Registration = {},
): Promise<{ proof: string; message: string }> {
  const { coin, contract, target, alice } = bench;
  const all = inputs ?? [{ coin, leaf: contract.leaves.exitLate }];
  return prove(
    message ?? register([anyCosigner]),
    all,
    [to(target, amount ?? all[0]?.coin.value ?? 0)],
    signers ?? [alice],
  );
}
