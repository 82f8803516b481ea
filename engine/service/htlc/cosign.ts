import type { OurPartial } from '../../api/service.ts';
import type {
  CooperativeClaimRequest,
  CooperativeRefundRequest,
  CooperativeRequest,
} from '../../contract/requests/cosign.ts';
import { isRefusal, refuse, type Refusal } from '../../domain/errors.ts';
import { type Preimage, sameBytes, xOnlyOf } from '../../domain/hash.ts';
import { sats } from '../../domain/money.ts';
import type { Outpoint } from '../../domain/outpoint.ts';
import { isPublicNonce } from '../../legs/musig.ts';
import { htlcScript } from '../../legs/onchain/htlc.ts';
import { type KeySpend, type PartialPurpose, readKeySpend, refundAsk } from '../../legs/onchain/key-spend.ts';
import { readRawTx } from '../../legs/raw-tx.ts';
import { schnorrVerify } from '../../legs/secp256k1.ts';
import { preimageMatches } from '../../legs/secret.ts';
import { isClosed } from '../../runtime/networks/onchain/fence.ts';
import { bitcoinWalletOf } from '../../runtime/ports.ts';
import type { Delivered } from '../../runtime/commit.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { Entry } from '../../runtime/working-set.ts';
import type { PartialNote } from '../../store/partial-notes.ts';
import type { Store } from '../../store/store.ts';
import type { Event } from '../../swap/machine.ts';
import { givenSince, paymentInDoubt, stillPays } from '../refund/given-since.ts';
import type { ServiceContext } from '../context.ts';
import type { SwapHtlc } from '../directions/direction.ts';
import { unlessSaved } from '../unsaved.ts';
import { createParents, prevoutsOf } from './prevouts.ts';

/*
 * Our partial signature for a spend of an HTLC's coin by the key of both sides. What it closes is noted outside of the
 * database, then saved in one commit, and only then is it made and answered: whoever dies in between has given it.
 *
 * Loses money when wrong: a signature for the client's claim while a refund of ours may be mined, or before its secret
 * is saved; one for its refund while we lock, pay or claim.
 */

/** Transactions that are signed for one coin: each is noted for ever. */
const mostForOneCoin = 20;
/** Coins of one transaction: the chain's source is asked what made each, and a stranger's questions delay our own. */
const mostInputs = 101;

interface Cosign {
  readonly purpose: PartialPurpose;
  readonly request: CooperativeRequest;
  readonly preimage: Preimage | null;
  /** Of whoever takes its own coin back. */
  readonly signature: Uint8Array | null;
}

/** The client claims our coin. */
export function cooperativeClaim(
  context: ServiceContext,
  id: string,
  request: CooperativeClaimRequest,
): Promise<OurPartial | Refusal> {
  return cosign(context, id, { purpose: 'claim', request, preimage: request.preimage, signature: null });
}

/** The client takes its own coin back. */
export function cooperativeRefund(
  context: ServiceContext,
  id: string,
  request: CooperativeRefundRequest,
): Promise<OurPartial | Refusal> {
  return cosign(context, id, { purpose: 'refund', request, preimage: null, signature: request.signature });
}

/**
 * The same for a client that shows nothing of its key before it has our half, so that whoever knows the id may ask: the
 * caller lets it in only where nothing is given for the coin any more.
 */
export function refundWithoutAsk(
  context: ServiceContext,
  id: string,
  request: CooperativeRequest,
): Promise<OurPartial | Refusal> {
  return cosign(context, id, { purpose: 'refund', request, preimage: null, signature: null });
}

/** What the id and the form of the HTLC say against it, before the request itself is looked at. */
export function togetherStanding(
  context: ServiceContext,
  id: string,
  operation: 'claim-together' | 'refund-together',
): Refusal | null {
  const eligible = eligibleHtlc(context, id, operation === 'claim-together' ? 'claim' : 'refund');
  return isRefusal(eligible) ? eligible : null;
}

function eligibleHtlc(
  { runtime, directions }: ServiceContext,
  id: string,
  purpose: PartialPurpose,
): SwapHtlc | Refusal {
  const entry = runtime.workingSet.find(id);
  if (entry === null) return refuse('unknown-swap', 'Swap not found: check the id.');
  const htlc = directions.of(entry.row.machine)?.htlc(entry.row) ?? null;
  const client = purpose === 'claim' ? 'refunder' : 'claimer';
  return htlc?.terms.provider === client
    ? htlc
    : refuse('forbidden', `The swap is not eligible for a cooperative ${purpose}.`);
}

async function cosign(context: ServiceContext, id: string, ask: Cosign): Promise<OurPartial | Refusal> {
  const { runtime } = context;
  const htlc = eligibleHtlc(context, id, ask.purpose);
  if (isRefusal(htlc)) return htlc;
  const { terms, keyIndex } = htlc;
  const entry = runtime.workingSet.find(id);
  if (entry !== null && ask.purpose === 'refund' && givenSince(context, entry.row)) return notNow(entry, 'refund');
  if (!isPublicNonce(ask.request.publicNonce))
    return refuse('invalid', 'pub_nonce is not a public nonce: send its two points of 33 bytes each (BIP-327).');
  if (ask.preimage !== null && preimageMatches(terms.hash, ask.preimage) === null)
    return refuse('invalid', 'preimage does not open the hash of the swap: send the secret of this swap.');
  const read = await spendOf(context, htlc, id, ask);
  if (isRefusal(read)) return read;
  if (ask.signature !== null && !schnorrVerify(ask.signature, refundAsk(read.spend), xOnlyOf(terms.refunder)))
    return refuse('forbidden', "The refund was not signed: signature is none of the swap's client over this request.");
  if (entry !== null && ask.purpose === 'refund') {
    const paying = await stillPays(context, entry, htlc.latePayment);
    if (isRefusal(paying)) return paying;
    if (paying) return notNow(runtime.workingSet.find(id) ?? entry, 'refund');
  }
  const elsewhere = give(runtime, id, { ...ask, ...read });
  if (isRefusal(elsewhere)) return elsewhere;
  if (!(await elsewhere.noted)) return notNoted;
  const made = await bitcoinWalletOf(runtime.ports).cosignHtlc({
    terms,
    key: { branch: 'swap', index: keyIndex },
    spend: read.spend,
    theirs: ask.request.publicNonce,
  });
  if (made === null) throw new Error('no partial signature came of a nonce that was read before');
  return { publicNonce: made.shown, partial: made.partial };
}

interface Read {
  readonly coin: Outpoint;
  readonly spend: KeySpend;
}

/** What is to be signed: made of the transaction and of what the chain shows that its inputs take. */
async function spendOf(
  { runtime }: ServiceContext,
  { terms, latePayment }: SwapHtlc,
  id: string,
  { purpose, preimage, request: { transaction, index } }: Cosign,
): Promise<Read | Refusal> {
  const tx = readRawTx(transaction);
  const input = tx?.inputs[index];
  if (tx === null || input === undefined)
    return refuse(
      'invalid',
      `transaction cannot be read, or has no input ${index}: send the whole transaction as hex.`,
    );
  if (tx.inputs.length > mostInputs)
    return refuse('invalid', `transaction takes ${tx.inputs.length} coins: one that takes ${mostInputs} is signed.`);
  const parents = createParents(runtime);
  // The coin itself before any other: whoever has none at the HTLC costs the chain's source one question.
  const own = await prevoutsOf(parents, [input]);
  if (isRefusal(own)) return own;
  if (own[0] === undefined || !sameBytes(own[0].script, htlcScript(terms).pkScript))
    return refuse('invalid', `The transaction was not signed: input ${index} takes another coin than the swap's.`);
  const coin = { txid: input.txid, vout: input.vout };
  // So does whoever has one that nothing is signed for (facts/faults.md 304); word of a payment may still open that.
  const open = openFor(
    runtime,
    id,
    { purpose, preimage, coin },
    (entry) => purpose === 'refund' && paymentInDoubt(runtime, entry, latePayment) !== null,
  );
  if (isRefusal(open)) return open;
  const prevouts = await prevoutsOf(parents, tx.inputs);
  if (isRefusal(prevouts)) return prevouts;
  const amount = prevouts[index]?.amount ?? 0n;
  const spend = readKeySpend(terms, { ...coin, amount: sats(amount) }, { transaction, index, prevouts });
  return typeof spend === 'string' ? refuse('invalid', `The transaction was not signed: ${spend}.`) : { coin, spend };
}

const notNoted = refuse('unavailable', 'The signature cannot be noted now, and was not made: try again later.');

type Ask = Omit<Extract<Event, { is: 'cosign.asked' }>, 'is'>;

/** Whether anything is signed for the coin now, and of which swap. */
function openFor(
  { workingSet, store: { partials }, clock }: Runtime,
  id: string,
  event: Ask,
  mayChange: (entry: Entry) => boolean = () => false,
): Entry | Refusal {
  const entry = workingSet.find(id);
  if (entry === null) return refuse('unknown-swap', 'Swap not found: check the id.');
  const { machine, row } = entry;
  const isOpen =
    !isClosed(partials, event.coin, event.purpose) &&
    (mayChange(entry) ||
      machine.step(row.terms, row.progress, { is: 'cosign.asked', ...event }, clock.now()) !== 'stay');
  if (!isOpen) return notNow(entry, event.purpose);
  return partials.of(event.coin).length < mostForOneCoin
    ? entry
    : refuse('forbidden', `${mostForOneCoin} transactions of this coin were signed already: send one of them.`);
}

/**
 * Without an await from the first look to the commit: nothing moves in between. `noted`: whether every place has it,
 * before which nothing is signed.
 */
function give(
  runtime: Runtime,
  id: string,
  { purpose, preimage, coin, spend }: Cosign & Read,
): { readonly noted: Promise<boolean> } | Refusal {
  const { store } = runtime;
  const event = { purpose, coin, preimage } as const;
  const entry = openFor(runtime, id, event);
  if (isRefusal(entry)) return entry;
  let noted: Promise<boolean>;
  try {
    noted = store.partials.note({ subject: id, coin, purpose, own: false, ...spend, preimage });
  } catch {
    return notNoted;
  }
  const unsaved = unlessSaved(tell(runtime, entry, { ...event, txid: spend.txid, bytes: spend.bytes }));
  return unsaved ?? { noted };
}

/**
 * The swap hears of it, in the commit that notes for a copy of the database that a refund was signed. Nothing is given
 * for its coin from here on, also while the disk takes none (facts/faults.md 204).
 */
function tell(
  { store, commits }: Pick<Runtime, 'store' | 'commits'>,
  { row: { id, terms }, machine }: Entry,
  given: Omit<Extract<Event, { is: 'cosign.given' }>, 'is'>,
): Delivered {
  if (given.purpose === 'claim') return commits.deliver(id, { is: 'cosign.given', ...given });
  store.intents.assume('refund', id);
  const hash = machine.hash160(terms);
  const always = ({ intents }: Pick<Store, 'intents'>): void => intents.note('refund', id, hash);
  return commits.deliver(id, { is: 'cosign.given', ...given }, { always });
}

function notNow({ row }: Entry, purpose: PartialPurpose): Refusal {
  return refuse(
    'forbidden',
    `No cooperative ${purpose} in the current state of the swap (${row.status}): the script of the HTLC is open to ` +
      `the client${purpose === 'claim' ? ' as long as the coin is there' : ' from its timeout on'}.`,
  );
}

/**
 * What is noted counts as given by whatever database this is: before anything else is done, each swap that is open
 * hears of it. The note is all that is left of a secret that an older copy never saw: one that knows neither lock yet
 * can use it once it does, and hears of it with each of its steps (facts/faults.md 138).
 */
export function countGiven({
  store,
  workingSet,
  commits,
  background,
}: Pick<Runtime, 'store' | 'workingSet' | 'commits' | 'background'>): void {
  const claims = new Map<string, PartialNote[]>();

  function count({ subject, purpose, coin, txid, bytes, preimage }: PartialNote): void {
    const entry = workingSet.find(subject);
    if (entry === null || !entry.row.open) return;
    tell({ store, commits }, entry, { purpose, coin, txid, bytes, preimage });
  }

  for (const note of store.partials.all()) {
    if (note.own) continue;
    count(note);
    if (note.purpose === 'claim') claims.set(note.subject, [...(claims.get(note.subject) ?? []), note]);
  }
  commits.onCommit(({ entry: { row } }) => {
    const notes = claims.get(row.id);
    // Later: what this step asks for is known to everybody first.
    if (notes !== undefined) background('counting a claim that was signed', () => notes.forEach(count));
  });
}
