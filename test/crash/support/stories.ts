import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { ArkadeLightningRecord } from '../../../engine/contract/directions/arkade-lightning.ts';
import type { LightningArkadeRecord } from '../../../engine/contract/directions/lightning-arkade.ts';
import type { CollabRefund } from '../../../engine/legs/arkade/refund-request.ts';
import type { Chance } from './chance.ts';
import type { MortalNode } from './mortal-node.ts';
import type { ArkadeRecord, Wallet } from './wallet.ts';

export type CrashDirection = 'lightning-arkade' | 'arkade-lightning';

/** What the client of one swap did and saw. */
export interface Tale {
  readonly story: string;
  readonly hash: string;
  readonly record: ArkadeRecord;
  /** Statuses in the order in which they were seen. */
  readonly seen: string[];
  /** What the client paid in, in sats: faucet coins of its VHTLC. */
  deposited: bigint;
  /** The client took back, or was promised, so much of it that the node must not take it. */
  cosigned: boolean;
}

export interface Stage {
  readonly node: MortalNode;
  readonly wallet: Wallet;
  readonly chance: Chance;
  readonly tales: Tale[];
}

const everyMs = 120;
const patienceMs = 120_000;

/** Goes on until `done` answers something; a node that is dead or a network that says no is asked again. */
async function until<T>(what: string, tale: Tale, done: () => Promise<T | null | false>): Promise<T> {
  const deadline = Date.now() + patienceMs;
  let last: unknown = null;
  for (;;) {
    try {
      const answer = await done();
      if (answer !== null && answer !== false) return answer;
    } catch (cause) {
      last = cause;
    }
    if (Date.now() > deadline)
      throw new Error(
        `${tale.story}, swap ${tale.record.id}: still waits for ${what} after ${patienceMs / 1_000} s (seen ${tale.seen.join(' > ')})`,
        { cause: last },
      );
    await pause(everyMs);
  }
}

export async function look({ node }: Stage, tale: Tale): Promise<string> {
  const { status, body } = await node.ask(`/swap/${tale.record.id}`);
  if (status !== 200)
    throw new Error(
      `GET /swap/${tale.record.id} answered ${status} ${JSON.stringify(body)}: the node forgot a swap that it had answered`,
    );
  const now = String(body['status']);
  if (tale.seen.at(-1) !== now) tale.seen.push(now);
  return now;
}

/** A create that nobody answered leaves the client with nothing: it begins again with another hash. */
async function create(
  stage: Stage,
  path: string,
  bodyOf: () => Promise<{ hash: string; body: object }>,
): Promise<{ hash: string; record: ArkadeRecord }> {
  for (;;) {
    const { hash, body } = await bodyOf();
    const answer = await stage.node.askOnce(path, body);
    if (answer?.status === 200) return { hash, record: answer.body as unknown as ArkadeRecord };
    if (answer !== null && answer.status !== 503)
      throw new Error(`POST ${path} answered ${answer.status} ${JSON.stringify(answer.body)}`);
    await pause(everyMs);
  }
}

function begin(stage: Stage, story: string, made: { hash: string; record: ArkadeRecord }): Tale {
  const tale: Tale = { story, ...made, seen: [], deposited: 0n, cosigned: false };
  stage.wallet.terms(tale.record);
  stage.tales.push(tale);
  return tale;
}

type Story = (stage: Stage) => Promise<void>;

async function openLightning(
  stage: Stage,
  story: string,
): Promise<{ tale: Tale; record: LightningArkadeRecord; secret: Uint8Array }> {
  let secret: Uint8Array = new Uint8Array();
  const made = await create(stage, '/swap/lightning/arkade', async () => {
    secret = randomBytes(32);
    const hash = createHash('sha256').update(secret).digest('hex');
    return {
      hash,
      body: {
        arkade_htlc_script_version: 1,
        claim_pk: stage.wallet.publicKey,
        hash_lock: `0x${hash}`,
        target_arkade_address: stage.wallet.address,
        user_id: randomUUID(),
        source_amount_sats: Math.floor(stage.chance.between(2_000, 60_000)),
      },
    };
  });
  return { tale: begin(stage, story, made), record: made.record as LightningArkadeRecord, secret };
}

async function payInvoice({ wallet }: Stage, record: LightningArkadeRecord): Promise<void> {
  await wallet.controls.lightningPay(record.bolt11_invoice);
}

async function payment({ wallet }: Stage, tale: Tale): Promise<'in_flight' | 'settled' | 'failed'> {
  return (await wallet.controls.lightningPayment(tale.hash)).state;
}

const lightningToArkade: Record<string, Story> = {
  async honest(stage) {
    const { tale, record, secret } = await openLightning(stage, 'honest');
    await payInvoice(stage, record);
    await until('the VHTLC', tale, async () => {
      await look(stage, tale);
      return (
        (await stage.wallet.fates(record)).some((coin) => coin.spent === 'unspent') ||
        (await payment(stage, tale)) === 'failed'
      );
    });
    if ((await payment(stage, tale)) === 'failed') return;
    await until('the claim', tale, async () => {
      await stage.wallet.claim(record, secret);
      return true;
    });
    await until('the settlement', tale, async () => (await payment(stage, tale)) === 'settled');
    await until('serverredeemed', tale, async () => (await look(stage, tale)) === 'serverredeemed');
  },
  /** Pays and is never seen again. */
  async 'walks away'(stage) {
    const { tale, record } = await openLightning(stage, 'walks away');
    await payInvoice(stage, record);
    await until('the lock', tale, async () => (await look(stage, tale)) !== 'pending');
  },
  async 'never pays'(stage) {
    await openLightning(stage, 'never pays');
  },
};

async function openArkade(
  stage: Stage,
  story: string,
  hold = false,
): Promise<{ tale: Tale; record: ArkadeLightningRecord }> {
  const { controls, publicKey } = stage.wallet;
  const made = await create(stage, '/swap/arkade/lightning', async () => {
    const amount = Math.floor(stage.chance.between(2_000, 60_000));
    const { bolt11, payment_hash: hash } = await controls.lightningInvoice({
      amount_sats: amount,
      hold,
      expiry_seconds: 86_400,
    });
    return {
      hash,
      body: { arkade_htlc_script_version: 1, refund_pk: publicKey, user_id: randomUUID(), lightning_invoice: bolt11 },
    };
  });
  return { tale: begin(stage, story, made), record: made.record as ArkadeLightningRecord };
}

async function fund({ wallet }: Stage, tale: Tale, difference = 0): Promise<void> {
  const amount = Number(tale.record.source_amount) + difference;
  await wallet.controls.arkadeFaucet({ address: tale.record.arkade_vhtlc_address, amount });
  tale.deposited += BigInt(amount);
}

/** Asks the node for its signature on the refund of all that is unspent, and takes it back. */
async function refundTogether(stage: Stage, tale: Tale): Promise<boolean> {
  const record = tale.record as ArkadeLightningRecord;
  if (!(await stage.wallet.fates(record)).some((coin) => coin.spent === 'unspent')) return false;
  await stage.wallet.refundTogether(record, async (half) => {
    const { status, body } = await stage.node.ask(`/api/swap/arkade-evm/${record.id}/collab-refund`, {
      ark_tx: Buffer.from(half.arkTx).toString('base64'),
      checkpoint_txs: half.checkpoints.map((bytes) => Buffer.from(bytes).toString('base64')),
    });
    if (status !== 200) throw new Error(`refused with ${status}: ${String(body['error'])}`);
    tale.cosigned = true;
    const answer = body as { ark_tx: string; checkpoint_txs: string[] };
    return {
      arkTx: Buffer.from(answer.ark_tx, 'base64'),
      checkpoints: answer.checkpoint_txs.map((text) => Buffer.from(text, 'base64')),
    } satisfies CollabRefund;
  });
  return true;
}

const overForClient: ReadonlySet<string> = new Set([
  'serverredeemed',
  'clientrefunded',
  'serverwontfund',
  'clientinvalidfunded',
  'clientfundedtoolate',
]);

async function untilOver(stage: Stage, tale: Tale): Promise<string> {
  return until('the end', tale, async () => {
    const status = await look(stage, tale);
    return overForClient.has(status) ? status : null;
  });
}

async function refundIfOwed(stage: Stage, tale: Tale): Promise<void> {
  await until(
    'the refund',
    tale,
    async () =>
      (await refundTogether(stage, tale)) ||
      !(await stage.wallet.fates(tale.record)).some((coin) => coin.spent === 'unspent'),
  );
}

const arkadeToLightning: Record<string, Story> = {
  async honest(stage) {
    const { tale } = await openArkade(stage, 'honest');
    await fund(stage, tale);
    if ((await untilOver(stage, tale)) !== 'serverredeemed') await refundIfOwed(stage, tale);
  },
  async 'funds twice'(stage) {
    const { tale } = await openArkade(stage, 'funds twice');
    await fund(stage, tale);
    await pause(stage.chance.between(0, 600));
    await fund(stage, tale);
    await untilOver(stage, tale);
    await refundIfOwed(stage, tale);
  },
  async 'funds short'(stage) {
    const { tale } = await openArkade(stage, 'funds short');
    await fund(stage, tale, -1);
    await untilOver(stage, tale);
    await refundIfOwed(stage, tale);
  },
  /** Wants its money back while it is being paid for: must get one of the two, never both. */
  async 'funds and asks back'(stage) {
    const { tale } = await openArkade(stage, 'funds and asks back');
    const early = stage.chance.next() < 0.5;
    await fund(stage, tale);
    if (!early) await pause(stage.chance.between(0, 300));
    const deadline = Date.now() + 30_000;
    while (Date.now() < deadline) {
      try {
        if (!(await refundTogether(stage, tale))) break;
      } catch {
        await pause(30); // refused for now
      }
      if (overForClient.has(await look(stage, tale))) break;
    }
    await refundIfOwed(stage, tale);
  },
  /** The payee keeps the payment, then takes it or gives it back. */
  async 'payee hesitates'(stage) {
    const { tale } = await openArkade(stage, 'payee hesitates', true);
    await fund(stage, tale);
    await until('the payment', tale, async () => {
      if (overForClient.has(await look(stage, tale))) return true;
      return (await payment(stage, tale)) === 'in_flight';
    });
    await pause(stage.chance.between(0, 2_000));
    const outcome = stage.chance.next() < 0.6 ? 'settles' : 'fails';
    if (!overForClient.has(await look(stage, tale)))
      await until('the release', tale, async () => {
        await stage.wallet.controls.lightningRelease(tale.hash, outcome);
        return true;
      });
    if ((await untilOver(stage, tale)) !== 'serverredeemed') await refundIfOwed(stage, tale);
  },
  async 'never funds'(stage) {
    await openArkade(stage, 'never funds');
  },
  /** Funds, and comes back only when the coin can be taken alone. */
  async 'funds short and leaves'(stage) {
    const { tale } = await openArkade(stage, 'funds short and leaves');
    await fund(stage, tale, -1);
  },
};

const stories: Record<CrashDirection, Record<string, Story>> = {
  'lightning-arkade': lightningToArkade,
  'arkade-lightning': arkadeToLightning,
};

/** Half of the clients are honest. */
export function anyStory(direction: CrashDirection, chance: Chance): Story {
  const byName = stories[direction];
  const honest = byName['honest'];
  if (honest === undefined) throw new Error('no honest story');
  return chance.next() < 0.4 ? honest : chance.pick(Object.values(byName));
}
