import { seenCoins } from '../refund/seen-coins.ts';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TakerService } from '../../api/service.ts';
import type { TakerSwapRequest } from '../../contract/taker.ts';
import { evmNetwork, takerDirections, takerMachine, type EvmNetwork } from '../../domain/chain.ts';
import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import { checksummed } from '../../domain/evm-address.ts';
import { toHex } from '../../domain/hex.ts';
import { after, seconds } from '../../domain/time.ts';
import { arkadeFailure } from '../../legs/arkade/failures.ts';
import { refusedPace } from '../../legs/block-pace.ts';
import { isDeadOn } from '../../legs/evm/dead-address.ts';
import { failedAtProvider } from '../../legs/provider/failures.ts';
import { hash160OfSha256, sha256Of } from '../../legs/secret.ts';
import { newRow, type AnyMachine } from '../../runtime/working-set.ts';
import type { CoinPrice } from '../../quote/coin-price.ts';
import type { PayeeReader } from '../../quote/ports.ts';
import { isStorageFailure } from '../../store/failure.ts';
import type { HighWater } from '../../store/high-water.ts';
import type { Doubt } from '../../store/restored.ts';
import type { Store } from '../../store/store.ts';
import type { Machine } from '../../swap/machine.ts';
import type { Order } from '../../taker/direction.ts';
import { takenDirections } from '../../taker/directions.ts';
import { listingOf } from '../../taker/listing.ts';
import type { Providers } from '../../taker/port.ts';
import type { OrderTerms, TakerOperator, TakerProgress } from '../../taker/terms.ts';
import type { ServiceContext } from '../context.ts';
import { Refused } from '../create/create.ts';
import { isComparison } from '../reconciliation/sentences.ts';
import { unlessSaved } from '../unsaved.ts';
import { listAnew } from './list-anew.ts';
import { sendOn, takerAccounts } from './accounts.ts';
import { takerSwap, takerSwaps } from './list.ts';
import { evmOrderOf } from './evm.ts';
import { exchangeOf } from './exchange.ts';
import { notWorse } from './not-worse.ts';
import { cancel } from './cancel.ts';
import { payFromWallet, type Withdraw } from './pay.ts';
import { payeeOf, withInvoice } from './payee.ts';
import { createQuoting } from './quotes.ts';
import { createRestore } from './restore.ts';
import { lockedBefore, spokenFor } from './spoken-for.ts';
import { nextKey } from './next-key.ts';
import { skipUsed } from './skip-used.ts';
import type { TakerKeys } from './keys.ts';
import { askForKeys } from './used-elsewhere.ts';
import { takenBy } from './view.ts';

/** How long a provider may take to open a swap; it may itself wait ten seconds for its Lightning node. */
const createPatience = seconds(60);
const answerMs = 12_000;
/** How long a first swap waits for what providers know of its keys. */
const mostAsking = 6_000;

type Context = Pick<ServiceContext, 'runtime' | 'networks' | 'config' | 'policy' | 'decodeInvoice'> & {
  readonly keys: TakerKeys;
  readonly providers: Providers;
  /** Its own mark: a taker's secret must never be used twice, not even after a restored database. */
  readonly highWater: HighWater;
  readonly withdraw: Withdraw;
  /** Who is asked for invoices by their Lightning address or LNURL. */
  readonly payees: PayeeReader;
  /** What the coin of a chain costs; null while nobody knows. */
  readonly coinPrice: (network: EvmNetwork) => CoinPrice | null;
  /** A key of these words was shown by somebody else, or by this folder before it was rolled back: what shows it. */
  readonly onUsedElsewhere: (by: Doubt) => void;
};

export function createTaker(context: Context): TakerService {
  listAnew(context.runtime);
  const quoting = createQuoting(context);
  const restoring = createRestore(context);
  const stopping = new AbortController();
  let asking: Promise<void> | null = null;
  const skipping = new Map<string, Promise<Refusal | null>>();

  /**
   * Once for all first swaps that are begun together: to ask a provider for every key costs most of what it allows at
   * once.
   */
  function skip(chosen: string): Promise<Refusal | null> {
    const under = skipping.get(chosen);
    if (under !== undefined) return under;
    const one = skipUsed(context, chosen).finally(() => skipping.delete(chosen));
    skipping.set(chosen, one);
    return one;
  }

  return {
    quotes: quoting.quotes,
    check: quoting.check,
    ways: quoting.ways,
    payee: (place) => payeeOf(context.payees, place),
    async create(request) {
      // A silent provider holds nothing back.
      await Promise.race([asking, sleep(mostAsking, undefined, { ref: false })]);
      const made = await create({ ...context, skip }, request);
      // Else the price that was just refused would be shown, and refused, again.
      if (isRefusal(made)) quoting.forget(request.provider);
      return made;
    },
    askForKeys() {
      asking ??= askForKeys(context, stopping.signal);
    },
    swaps: (query) => takerSwaps(context, query),
    swap: (id) => takerSwap(context, id),
    refund: (id) => refund(context, id),
    cancel: (id) => cancel(context, id),
    pay: (id) => payFromWallet(context, id),
    accounts: () => takerAccounts(context),
    sendOn: (network, request) => sendOn(context, network, request),
    restore: (request) => restoring.start(request.provider),
    restoreIfNew: () => restoring.startIfNew(),
    restored: () => restoring.state(),
    async stop() {
      stopping.abort();
      await restoring.stop();
    },
  };
}

async function create(
  context: Context & { readonly skip: (chosen: string) => Promise<Refusal | null> },
  wanted: TakerSwapRequest,
): Promise<{ id: string } | Refusal> {
  const { networks, runtime } = context;
  const paused = runtime.guard.paused()?.reason ?? '';
  // Whoever pauses for a reason of their own stops what others begin here, and not what they begin themselves.
  if (isComparison(paused)) return refuse('unavailable', `The swap was not started: ${paused}`);
  const tooFast = refusedPace(wanted.direction, context.config.network);
  if (tooFast !== null) return tooFast;
  const { needs } = takenDirections[wanted.direction];
  const chain = wanted.evm === undefined ? [] : [evmNetwork(wanted.evm.chainId)];
  const missing = networks.missing(...needs, ...chain) ?? networks.closed(...needs, ...chain);
  if (missing !== null) return missing;
  const dead = deadDestination(context, wanted);
  if (dead !== null) return dead;
  const request = await withInvoice(context.payees, wanted);
  if (isRefusal(request)) return request;
  try {
    const order = await orderOf(context, request);
    if (isRefusal(order)) return order;
    if (!context.highWater.known()) {
      const unsure = await context.skip(request.provider);
      if (unsure !== null) return unsure;
    }
    return await answered(context, open(context, request, order));
  } catch (cause) {
    if (cause instanceof Refused) return cause.refusal;
    if (isStorageFailure(cause))
      return refuse(
        'unavailable',
        'The database cannot be written now, and no swap is begun before it can: free disk space.',
      );
    if (!failedAtProvider(cause, 'provider-away', 'provider-unclear')) throw cause;
    return refuse(
      'unavailable',
      `The swap was not started: ${cause.message}. Try again later or use another provider.`,
    );
  }
}

/** The contracts that its provider names are judged with its order. */
function deadDestination({ config }: Context, { evm }: TakerSwapRequest): Refusal | null {
  const destination = evm?.destination ?? null;
  if (evm === undefined || destination === null) return null;
  return isDeadOn(config.evm[`${evm.chainId}`], destination)
    ? refuse(
        'invalid',
        `target_address is ${checksummed(destination)}, an address that nobody can spend from: send an ` +
          'account of your own.',
      )
    : null;
}

function operatorOf({ networks }: Context): TakerOperator {
  const seen = networks.arkade();
  if (seen.state !== 'connected') throw arkadeFailure('operator-away', 'safe', 'the Arkade operator does not answer');
  const { signer, exitDelay } = seen.facts.info;
  return { signer, exitDelay };
}

async function orderOf(context: Context, request: TakerSwapRequest): Promise<Order<OrderTerms> | Refusal> {
  const { runtime, config, providers, decodeInvoice } = context;
  return takenDirections[request.direction].order({
    request,
    provider: notWorse(providers(request.provider), request),
    network: config.network,
    wall: runtime.clock.now().wall,
    decodeInvoice,
    arkadeAddress: async () => (await runtime.ports.arkade?.address())?.address ?? null,
    bitcoinWallet: () => context.networks.bitcoinWallet().state !== 'absent',
    operator: () => operatorOf(context),
    evm: (chainId, value) => evmOrderOf(context, chainId, value),
    exchange: (chainId, token) => exchangeOf(context, chainId, token),
  });
}

/** Key index, secret (sealed) and intent are on the disk before anybody is asked for anything. */
function open(context: Context, request: TakerSwapRequest, order: Order<OrderTerms>): string {
  const { runtime, keys, config, policy } = context;
  const direction = takenDirections[request.direction];
  const id = randomUUID();
  runtime.commits.open(id, (store: Store) => {
    const now = runtime.clock.now().wall;
    const index = nextKey(context, direction.secret);
    const { publicKey } = keys.signer({ branch: 'taker', index });
    const secret = keys.takerSecret(index);
    const terms = order.terms(
      {
        provider: request.provider,
        network: config.network,
        keyIndex: index,
        key: publicKey,
        userId: toHex(keys.userId(index)),
        createBefore: after(now, createPatience),
        policy,
      },
      secret,
    );
    const rival =
      direction.secret === 'payee' ? (spokenFor(context, terms.hash) ?? lockedBefore(context, terms)) : null;
    if (rival !== null) throw new Refused(rival);
    if (direction.secret === 'ours') store.preimages.keep(hash160OfSha256(sha256Of(secret)), secret, now);
    const progress = { at: 'creating' };
    return {
      row: newRow({
        id,
        machine: takerMachine(request.direction),
        createdAt: now,
        status: 'pending',
        valueSats: order.value,
        terms,
        progress,
      }),
      effects: direction.effects(terms),
    };
  });
  return id;
}

/** A provider that refuses, or cannot be trusted, is told of at once; one that is slow shows in the list. */
async function answered({ runtime }: Context, id: string): Promise<{ id: string } | Refusal> {
  await runtime.settled(id, (at) => at !== 'creating', answerMs);
  const progress = runtime.workingSet.find(id)?.row.progress as TakerProgress | undefined;
  return progress?.at === 'refused'
    ? refuse('forbidden', progress.detail ?? 'The provider did not answer in time.')
    : { id };
}

/** Asks for coins back; an address that is not watched any more is looked at first. */
async function refund({ runtime }: Context, id: string): Promise<{ at: string } | Refusal> {
  const { workingSet, commits, ports } = runtime;
  const entry = workingSet.find(id);
  const direction = entry === null ? null : takenBy(entry.machine.name);
  if (entry === null || direction === null) return refuse('not-found', 'You have no swap with this id.');
  const { neverRefunded } = takenDirections[direction];
  if (neverRefunded !== null) return refuse('forbidden', neverRefunded);
  const progress = entry.row.progress as TakerProgress;
  const script = takenDirections[direction].lateScript(progress);
  if (!entry.row.open && script !== null && ports.arkade !== null) {
    const coins = await ports.arkade.coins([script]);
    commits.deliver(id, seenCoins(coins));
  }
  const delivered = commits.deliver(id, { is: 'refund.requested' });
  if (delivered !== 'moved') return unlessSaved(delivered) ?? refuse('forbidden', 'There is nothing to take back now.');
  return { at: workingSet.find(id)?.row.progress.at ?? progress.at };
}

/** The machines of the taker, by which its swaps are run. */
export function takerMachines(decodeInvoice: Context['decodeInvoice']): readonly AnyMachine[] {
  return takerDirections.map((name) => {
    const direction = takenDirections[name];
    const machine: Machine<OrderTerms, TakerProgress> = {
      ...direction.machine(decodeInvoice),
      listing: (terms, progress, now) => listingOf(direction, terms, progress, now),
    };
    return machine;
  }) as unknown as readonly AnyMachine[];
}
