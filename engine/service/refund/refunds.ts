import { seenCoins } from './seen-coins.ts';
import { isRefusal, PortFailure, refuse, type Refusal } from '../../domain/errors.ts';
import { sameBytes, type PublicKey } from '../../domain/hash.ts';
import { outpointKey, type Outpoint } from '../../domain/outpoint.ts';
import { failedOnArkade, type ArkadeFailure } from '../../legs/arkade/failures.ts';
import type {
  CollabRefundRequest,
  DelegateRefundRequest,
  DelegateSettleRequest,
} from '../../contract/requests/refunds.ts';
import type { SenderSigns } from '../../legs/arkade/refund-request.ts';
import type { ArkadePort } from '../../legs/arkade/port.ts';
import { preimageMatches } from '../../legs/secret.ts';
import { claimHashIn, coinScriptIn } from '../../legs/arkade/delegate.ts';
import { oversizedDelegate } from '../../legs/arkade/refund-size.ts';
import { inputsOf, readTx } from '../../legs/psbt.ts';
import { coinsOrNamed } from '../../runtime/networks/arkade/lists.ts';
import type { Entry } from '../../runtime/working-set.ts';
import { givenSince, stillPays } from './given-since.ts';
import type { ServiceContext } from '../context.ts';
import type { SwapVhtlc } from '../directions/direction.ts';
import { unlessSaved } from '../unsaved.ts';

type ByClient = SwapVhtlc & Required<Pick<SwapVhtlc, 'byClient'>>;

interface Refundable {
  readonly entry: Entry;
  readonly vhtlc: ByClient;
  readonly arkade: ArkadePort;
}

/** The VHTLC of a swap that its client funds; null for any other swap. */
function fundedByClient({ directions }: ServiceContext, { row }: Entry): ByClient | null {
  const vhtlc = directions.of(row.machine)?.vhtlc(row);
  return vhtlc?.byClient === undefined ? null : { ...vhtlc, byClient: vhtlc.byClient };
}

/** The swap whose VHTLC its client funded; a swap of a direction without one has nothing to cosign. */
function refundable(context: ServiceContext, id: string): Refundable | Refusal {
  const against = refundStanding(context, id, 'something');
  if (against !== null) return against;
  const entry = context.runtime.workingSet.find(id);
  const { arkade } = context.runtime.ports;
  const vhtlc = entry === null ? null : fundedByClient(context, entry);
  if (entry === null || vhtlc === null || arkade === null)
    return refuse('unavailable', 'No Arkade operator is connected: try again later.');
  return { entry, vhtlc, arkade };
}

/** No coin that there could be: it stands for the ones that a request will name. */
const someCoin: Outpoint = { txid: '00'.repeat(32), vout: 0 };

/** What the id and the state say against a refund; with `nothing` named, as it stands for a request without coins. */
export function refundStanding(context: ServiceContext, id: string, naming: 'something' | 'nothing'): Refusal | null {
  const entry = context.runtime.workingSet.find(id);
  if (entry === null) return refuse('unknown-swap', 'Swap not found: check the id.');
  const vhtlc = fundedByClient(context, entry);
  if (vhtlc === null) return refuse('forbidden', 'Refund not allowed: the client of this swap did not fund a VHTLC.');
  const forgotten = whatIsForgotten(context, entry, vhtlc);
  if (forgotten !== null) return forgotten;
  const coins = naming === 'something' ? [someCoin] : [];
  const step = entry.machine.step(
    entry.row.terms,
    entry.row.progress,
    { is: 'refund.cosign.requested', coins },
    context.runtime.clock.now(),
  );
  return step === 'stay' ? notInThisState(entry, vhtlc) : null;
}

function notInThisState({ row }: Entry, { terms }: SwapVhtlc): Refusal {
  return refuse(
    'forbidden',
    `Refund not allowed in current swap state (${row.status}): from ${terms.refundLocktime} (unix time) on the ` +
      'client can refund alone.',
  );
}

function whatIsForgotten(context: ServiceContext, { row }: Entry, { terms }: SwapVhtlc): Refusal | null {
  return givenSince(context, row)
    ? refuse(
        'forbidden',
        'Refund not allowed: the database was restored from a backup, and what was given for this swap since is not ' +
          `known. From ${terms.refundLocktime} (unix time) on the client can refund alone.`,
      )
    : null;
}

/**
 * Closes the swap for every payment of ours, in a commit, before any signature exists: a signed Arkade transaction
 * does not expire (facts/clients.md 26). A swap that was out of sight is shown its coins first.
 */
async function fence(
  context: ServiceContext,
  { entry, vhtlc, arkade }: Refundable,
  coins: readonly Outpoint[],
): Promise<Refusal | null> {
  const { commits, store } = context.runtime;
  const { id } = entry.row;
  const forgotten = whatIsForgotten(context, entry, vhtlc);
  if (forgotten !== null) return forgotten;
  const paying = await stillPays(context, entry, vhtlc.byClient.latePayment);
  if (isRefusal(paying)) return paying;
  if (paying) return notInThisState(context.runtime.workingSet.find(id) ?? entry, vhtlc);
  if (!entry.row.open) {
    const seen = await coinsOrNamed(arkade, vhtlc.script, coins);
    commits.deliver(id, seenCoins(seen));
  }
  const delivered = commits.deliver(id, { is: 'refund.cosign.requested', coins });
  const now = context.runtime.workingSet.find(id) ?? entry;
  if (delivered !== 'moved') return unlessSaved(delivered) ?? notInThisState(now, vhtlc);
  // A database from before this one is noticed by it, and pays no more for what is signed now (facts/faults.md 5).
  if (now.row.open) store.intents.note('refund', id, vhtlc.terms.hash);
  return null;
}

/**
 * Our half of a refund. A sender that signs `after` us shows nothing of itself, so whoever knows the id may ask: the
 * caller lets it in only where nothing is given for the coin any more.
 */
export async function collabRefund(
  context: ServiceContext,
  id: string,
  request: CollabRefundRequest,
  senderSigns: SenderSigns = 'before',
): Promise<CollabRefundRequest | Refusal> {
  const swap = refundable(context, id);
  if ('refusal' in swap) return swap;
  const { vhtlc, arkade } = swap;
  const wrong = await arkade.judgeCollabRefund(vhtlc.terms, request, senderSigns);
  if (wrong !== null)
    return refundStanding(context, id, 'nothing') ?? refuse('invalid', `The refund was not signed: ${wrong}.`);
  const closed = await fence(context, swap, inputsOf(request.checkpoints, 0));
  if (closed !== null) return closed;
  return arkade.cosign(vhtlc.terms, { branch: 'swap', index: vhtlc.byClient.keyIndex }, request, senderSigns);
}

export async function collabRefundDelegate(
  context: ServiceContext,
  id: string,
  request: DelegateRefundRequest,
): Promise<DelegateRefundRequest | Refusal> {
  const swap = refundable(context, id);
  if ('refusal' in swap) return swap;
  const { vhtlc, arkade } = swap;
  const wrong = await arkade.judgeDelegateRefund(vhtlc.terms, request);
  if (wrong !== null)
    return refundStanding(context, id, 'nothing') ?? refuse('invalid', `The refund was not signed: ${wrong}.`);
  const coins = new Map(
    [...inputsOf([request.intentProof], 1), ...inputsOf(request.forfeits, 0)].map((coin) => [outpointKey(coin), coin]),
  );
  const closed = await fence(context, swap, [...coins.values()]);
  if (closed !== null) return closed;
  return arkade.cosignDelegate(vhtlc.terms, { branch: 'swap', index: vhtlc.byClient.keyIndex }, request);
}

export function delegateKey(context: ServiceContext): PublicKey | Refusal {
  const { arkade } = context.runtime.ports;
  return arkade === null
    ? refuse('unavailable', 'No Arkade operator is connected: try again later.')
    : arkade.delegateKey();
}

/** The open swap whose VHTLC has this script. */
function openAt({ runtime, directions }: ServiceContext, script: Uint8Array | null): Entry | null {
  if (script === null) return null;
  for (const entry of runtime.workingSet.all()) {
    const own = directions.of(entry.row.machine)?.vhtlc(entry.row);
    if (own !== undefined && own !== null && sameBytes(own.script, script)) return entry;
  }
  return null;
}

/**
 * The swap whose coins an intent takes: the one that is named, or else the one of the hash in its script, or of that
 * script.
 */
function settledSwap(
  context: ServiceContext,
  request: DelegateSettleRequest,
): { entry: Entry; vhtlc: SwapVhtlc } | Refusal {
  const { workingSet, store } = context.runtime;
  const { swapId, intentProof } = request;
  const oversized = oversizedDelegate(request);
  if (oversized !== null) return refuse('invalid', `The batch was not joined: ${oversized}.`);
  if (readTx(intentProof) === null)
    return refuse('invalid', 'The batch was not joined: the intent proof is not a PSBT.');
  const hash = claimHashIn(intentProof);
  const id = swapId ?? (hash === null ? null : store.hashes.usedBy(hash));
  const entry = id === null ? openAt(context, coinScriptIn(intentProof)) : workingSet.find(id);
  if (entry === null)
    return refuse(
      'invalid',
      swapId === null
        ? 'intent_proof takes no coin of a swap of this node.'
        : 'swap_id names no swap of this node: leave it out or correct it.',
    );
  const vhtlc = context.directions.of(entry.row.machine)?.vhtlc(entry.row) ?? null;
  if (vhtlc === null) return refuse('invalid', 'The swap has no VHTLC that a client could take through a batch here.');
  return { entry, vhtlc };
}

/**
 * Runs the client's batch with our cosigner key. The intent is the client's own, fully signed, and judged before the
 * operator hears of it: nothing of ours is in it but our patience with it. A refund closes the swap for every payment
 * of ours, as one that we sign does. A preimage that comes along opens the swap's other leg only once a batch of the
 * client's has made the claim a fact.
 */
export async function delegateSettle(
  context: ServiceContext,
  request: DelegateSettleRequest,
  signal: AbortSignal,
): Promise<{ commitmentTxid: string } | Refusal> {
  const { ports, commits, store, clock } = context.runtime;
  const { arkade } = ports;
  if (arkade === null) return refuse('unavailable', 'No Arkade operator is connected: try again later.');
  const swap = settledSwap(context, request);
  if ('refusal' in swap) return swap;
  const { entry, vhtlc } = swap;
  const intent = { intentProof: request.intentProof, forfeits: request.forfeits, message: request.message };
  const wrong = await arkade.judgeDelegateSettle(vhtlc.terms, intent);
  if (wrong !== null) return refuse('invalid', `The batch was not joined: ${wrong}.`);
  const coins = inputsOf([request.intentProof], 1);
  const funded = fundedByClient(context, entry);
  if (funded !== null) {
    const closed = await fence(context, { entry, vhtlc: funded, arkade }, coins);
    if (closed !== null) return refuse('invalid', closed.sentence);
  }
  const secret =
    request.swapId === null || request.preimage === null || funded !== null
      ? null
      : preimageMatches(vhtlc.terms.hash, request.preimage);
  // Before the batch: should the node die in it, whoever finds that it was not our refund's has the secret.
  if (secret !== null) {
    store.preimages.keep(vhtlc.terms.hash, secret, clock.now().wall);
    store.intents.note('relay', entry.row.id, null);
  }
  const settled = await arkade.delegateSettle(vhtlc.terms, intent, signal).catch(declined);
  if (isRefusal(settled)) return settled;
  if (request.swapId !== null && secret !== null) {
    commits.deliver(request.swapId, { is: 'claim.relayed', preimage: secret, coins, fact: !settled.before });
  }
  return { commitmentTxid: settled.commitmentTxid };
}

/**
 * Said by the operator in so many words, or found malformed by us; its own trouble is none of these (facts/arkade.md
 * 23).
 */
const toldToClients: readonly ArkadeFailure[] = ['delegate-refused', 'refused', 'unrolled', 'banned', 'fee-changed'];
/** How a batch may end that nobody refused. */
const notJoined: readonly ArkadeFailure[] = [
  'batch-failed',
  'batch-foreign',
  'batch-late',
  'batch-refused',
  'batch-stopped',
  'stream-late',
  'stream-refused',
];

/**
 * What was malformed, and what the operator refused in so many words, is the client's to mend; anything else an outage.
 */
function declined(cause: unknown): Refusal {
  if (!(cause instanceof PortFailure)) throw cause;
  if (failedOnArkade(cause, ...notJoined))
    return refuse(
      'unavailable',
      `The batch was not joined yet: ${cause.message}. Ask again with the same intent while it is valid, then ` +
        'with a new one.',
    );
  if (!failedOnArkade(cause, ...toldToClients)) throw cause;
  return refuse('invalid', `The batch was not joined: ${cause.message}.`);
}
