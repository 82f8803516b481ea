import { randomUUID } from 'node:crypto';
import type { TakerService } from '../api/service.ts';
import type { TakerSwapRequest, TakerSwaps } from '../contract/taker.ts';
import { takenDirections } from '../domain/chain.ts';
import { isRefusal, PortFailure, refuse, type Refusal } from '../domain/errors.ts';
import { toHex } from '../domain/hex.ts';
import type { Preimage, PublicKey } from '../domain/hash.ts';
import type { Sats } from '../domain/money.ts';
import { after, seconds, type Unix } from '../domain/time.ts';
import { checkInvoice } from '../legs/lightning/invoice.ts';
import { hash160OfSha256, sha256Of } from '../legs/secret.ts';
import type { KeyRef, Signer } from '../legs/signer.ts';
import type { AnyMachine, Entry } from '../runtime/working-set.ts';
import { isStorageFailure } from '../store/failure.ts';
import type { HighWater } from '../store/high-water.ts';
import type { Store } from '../store/store.ts';
import type { Effect } from '../swap/machine.ts';
import {
  canRefund,
  takeArkadeLightning,
  takeArkadeLightningEffects,
  type TakeArkadeLightningProgress,
} from '../taker/arkade-lightning.ts';
import {
  takeLightningArkade,
  takeLightningArkadeEffects,
  type TakeLightningArkadeProgress,
} from '../taker/lightning-arkade.ts';
import type { Providers } from '../taker/port.ts';
import type { TakeArkadeLightningTerms, TakeLightningArkadeTerms } from '../taker/terms.ts';
import type { ServiceContext } from './context.ts';

/** The taker's own keys. Its secret leaves this node in a claim and nowhere else. */
export interface TakerKeys {
  readonly signer: (ref: KeyRef) => Signer;
  takerSecret(index: number): Preimage;
  userId(index: number): PublicKey;
}

type Progress = TakeLightningArkadeProgress | TakeArkadeLightningProgress;
type Terms = TakeLightningArkadeTerms | TakeArkadeLightningTerms;

const machineNames = Object.keys(takenDirections) as (keyof typeof takenDirections)[];

/** How long a provider may take to open a swap; it may itself wait ten seconds for its Lightning node. */
const createPatience = seconds(60);
const answerMs = 12_000;
const mostListed = 100;
const description = 'Swap to Arkade';

type Context = Pick<ServiceContext, 'runtime' | 'networks' | 'config' | 'policy' | 'decodeInvoice'> & {
  readonly keys: TakerKeys;
  readonly providers: Providers;
  /** Its own mark: a taker's secret must never be used twice, not even after a restored database. */
  readonly highWater: HighWater;
};

export function createTaker(context: Context): TakerService {
  return {
    create: (request) => create(context, request),
    swaps: () => ({ swaps: rowsOf(context).map(line) }),
    refund: (id) => refund(context, id),
  };
}

function rowsOf({ runtime: { store, workingSet } }: Context): Entry[] {
  return machineNames
    .flatMap((machine) => store.swaps.page({ machine, limit: mostListed }))
    .sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
    .slice(0, mostListed)
    .map(({ id }) => workingSet.readable(id))
    .filter((entry) => entry !== null);
}

function isTaken(machine: string): machine is keyof typeof takenDirections {
  return machine in takenDirections;
}

function line({ row, machine }: Entry): TakerSwaps['swaps'][number] {
  const terms = row.terms as Terms;
  const progress = row.progress as Progress;
  const deal = 'deal' in progress ? progress.deal : null;
  const direction = takenDirections[row.machine as keyof typeof takenDirections];
  const refundable = row.machine === 'take-arkade-lightning' && canRefund(progress as TakeArkadeLightningProgress);
  return {
    id: row.id,
    provider_swap_id: deal?.swapId ?? null,
    provider_url: terms.provider,
    direction,
    at: progress.at,
    status: row.status,
    sentence:
      row.flag === null
        ? machine.nextAction(row.terms, progress)
        : `${row.flag} ${machine.nextAction(row.terms, progress)}`,
    invoice: deal?.bolt11 ?? null,
    address: deal?.address ?? null,
    amount_sats: Number(deal?.sourceAmount ?? terms.sourceAmount),
    receive_sats: Number(deal?.targetAmount ?? terms.targetAmount),
    deadline: shownDeadline(machine, terms, progress),
    can_refund: refundable,
    created: row.createdAt,
  };
}

/** While somebody still has to pay, the moment until which they may; then the moment at which everything is settled. */
function shownDeadline(machine: AnyMachine, terms: Terms, progress: Progress): Unix | null {
  if (progress.at === 'waiting' && progress.said === 'pending') return progress.deal.invoiceExpiresAt;
  return machine.open(terms, progress) && progress.at !== 'done' ? machine.deadline(terms, progress) : null;
}

interface Order {
  readonly machine: string;
  readonly value: Sats;
  build(
    key: { index: number; publicKey: PublicKey; secret: Preimage },
    now: Unix,
  ): { terms: Terms; effects: readonly Effect[] };
}

async function create(context: Context, request: TakerSwapRequest): Promise<{ id: string } | Refusal> {
  const { networks } = context;
  const missing = networks.closed('arkade', 'bitcoin');
  if (missing !== null) return missing;
  try {
    const order =
      request.direction === 'lightning-arkade'
        ? await orderFromLightning(context, request)
        : await orderToLightning(context, request);
    if (isRefusal(order)) return order;
    if (context.highWater.floor() === 0) {
      const unsure = await skipUsed(context, request.provider);
      if (unsure !== null) return unsure;
    }
    return await answered(context, open(context, order));
  } catch (cause) {
    if (isStorageFailure(cause))
      return refuse(
        'unavailable',
        'The database cannot be written now, and no swap is begun before it can: free disk space.',
      );
    if (!(cause instanceof PortFailure) || !cause.code.startsWith('provider-')) throw cause;
    return refuse(
      'unavailable',
      `The swap was not started: ${cause.message}. Try again later or use another provider.`,
    );
  }
}

/**
 * Keys left out after the highest that any provider knows: a folder elsewhere may have used them at a provider that
 * nobody named here. Within the gap limit of a recovery (120), so that one elsewhere still meets what is begun here.
 */
const leftOut = 100;

/**
 * A folder that begins with a seed from elsewhere: what any provider has seen of it is not used again. A preimage shown
 * at one of them guards nothing at another, so a provider that is silent is not taken for one that knows nothing.
 */
async function skipUsed({ providers, highWater, config }: Context, chosen: string): Promise<Refusal | null> {
  let next = 0;
  for (const provider of new Set(['', chosen, ...config.taker.providers])) {
    try {
      next = Math.max(next, await providers(provider).nextIndex());
    } catch (cause) {
      if (!(cause instanceof PortFailure)) throw cause;
      return refuse(
        'unavailable',
        `The swap was not started: ${provider === '' ? 'this node' : provider} does not answer, and may know secrets of this seed that must not be used again. Try again later, or take it out of taker.providers if the seed never swapped there.`,
      );
    }
  }
  if (next > 0) highWater.reach(next - 2 + leftOut);
  return null;
}

function operatorOf({ networks }: Context) {
  const seen = networks.arkade();
  if (seen.state !== 'connected') throw new PortFailure('arkade-away', 'safe', 'the Arkade operator does not answer');
  const { signer, exitDelay } = seen.facts.info;
  return { signer, exitDelay };
}

async function orderFromLightning(context: Context, request: TakerSwapRequest): Promise<Order | Refusal> {
  const { runtime, config, policy, keys } = context;
  const operator = operatorOf(context);
  const quoted = await context
    .providers(request.provider)
    .quote('lightning-arkade', { side: 'source', amount: request.amount });
  if (isRefusal(quoted)) return quoted;
  const { arkade } = runtime.ports;
  if (arkade === null) return refuse('unavailable', 'No Arkade operator is connected: try again later.');
  const { address } = await arkade.address();
  return {
    machine: 'take-lightning-arkade',
    value: request.amount,
    build(key, now) {
      const terms: TakeLightningArkadeTerms = {
        provider: request.provider,
        network: config.network,
        operator,
        keyIndex: key.index,
        key: key.publicKey,
        userId: toHex(keys.userId(key.index)),
        hash: sha256Of(key.secret),
        sourceAmount: request.amount,
        targetAmount: quoted.target,
        createBefore: after(now, createPatience),
        policy,
        targetAddress: address,
        description,
      };
      return { terms, effects: takeLightningArkadeEffects(terms) };
    },
  };
}

async function orderToLightning(context: Context, request: TakerSwapRequest): Promise<Order | Refusal> {
  const { runtime, config, policy, keys } = context;
  const operator = operatorOf(context);
  const invoice = context.decodeInvoice(request.invoice ?? '');
  if (isRefusal(invoice)) return invoice;
  const now = runtime.clock.now().wall;
  const amount = checkInvoice(invoice, {
    network: config.network,
    now,
    fundingWindow: seconds(0),
    ownNode: null,
    targetAmount: request.amount,
  });
  if (isRefusal(amount)) return amount;
  const quoted = await context.providers(request.provider).quote('arkade-lightning', { side: 'target', amount });
  if (isRefusal(quoted)) return quoted;
  return {
    machine: 'take-arkade-lightning',
    value: quoted.source,
    build(key, opened) {
      const terms: TakeArkadeLightningTerms = {
        provider: request.provider,
        network: config.network,
        operator,
        keyIndex: key.index,
        key: key.publicKey,
        userId: toHex(keys.userId(key.index)),
        hash: invoice.hash,
        sourceAmount: quoted.source,
        targetAmount: amount,
        createBefore: after(opened, createPatience),
        policy,
        bolt11: invoice.text,
        invoiceExpiresAt: invoice.expiresAt,
      };
      return { terms, effects: takeArkadeLightningEffects(terms) };
    },
  };
}

/** Key index, secret (sealed) and intent are on the disk before anybody is asked for anything. */
function open({ runtime, keys, highWater }: Context, order: Order): string {
  const id = randomUUID();
  runtime.commits.open(id, (store: Store) => {
    const now = runtime.clock.now().wall;
    const index = store.counters.take('taker', highWater.floor());
    highWater.reach(index);
    const { publicKey } = keys.signer({ branch: 'taker', index });
    const secret = keys.takerSecret(index);
    const { terms, effects } = order.build({ index, publicKey, secret }, now);
    const ours = hash160OfSha256(sha256Of(secret));
    if (order.machine === 'take-lightning-arkade') store.preimages.keep(ours, secret, now);
    const progress = { at: 'creating' };
    return {
      row: {
        id,
        machine: order.machine,
        createdAt: now,
        updatedAt: now,
        version: 0,
        status: 'pending',
        open: true,
        flag: null,
        userId: null,
        valueSats: order.value,
        terms,
        progress,
      },
      effects,
    };
  });
  return id;
}

/** A provider that refuses, or cannot be trusted, is told of at once; one that is slow shows in the list. */
async function answered({ runtime }: Context, id: string): Promise<{ id: string } | Refusal> {
  await runtime.settled(id, (at) => at !== 'creating', answerMs);
  const progress = runtime.workingSet.find(id)?.row.progress as Progress | undefined;
  return progress?.at === 'refused' ? refuse('forbidden', progress.reason) : { id };
}

/** Asks for coins back; an address that is not watched any more is looked at first. */
async function refund({ runtime }: Context, id: string): Promise<{ at: string } | Refusal> {
  const { workingSet, commits, ports } = runtime;
  const entry = workingSet.find(id);
  if (entry === null || !isTaken(entry.machine.name)) return refuse('not-found', 'No swap of your own has this id.');
  if (entry.machine.name === 'take-lightning-arkade')
    return refuse(
      'forbidden',
      'There is nothing to take back: a payment over Lightning goes back by itself unless the coins were claimed.',
    );
  const progress = entry.row.progress as TakeArkadeLightningProgress;
  if (!entry.row.open && 'deal' in progress && ports.arkade !== null) {
    const coins = await ports.arkade.coins([progress.deal.script]);
    commits.deliver(id, {
      is: 'vhtlc.seen',
      coins: coins.map((coin) => ({ ...coin, spend: coin.spent ? 'unknown' : null })),
    });
  }
  if (commits.deliver(id, { is: 'refund.requested' }) === 'stayed')
    return refuse(
      'forbidden',
      `There is nothing to take back now. ${entry.machine.nextAction(entry.row.terms, workingSet.find(id)?.row.progress ?? progress)}`,
    );
  return { at: workingSet.find(id)?.row.progress.at ?? progress.at };
}

/** The machines of the taker, by which its swaps are run. */
export function takerMachines(decodeInvoice: Context['decodeInvoice']): readonly AnyMachine[] {
  return [takeLightningArkade(decodeInvoice), takeArkadeLightning] as unknown as readonly AnyMachine[];
}
