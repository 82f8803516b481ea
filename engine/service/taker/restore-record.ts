import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { TakerRestored } from '../../contract/taker-restore.ts';
import { evmNetwork, takerDirections, takerMachine, wireDirections, type TakerDirection } from '../../domain/chain.ts';
import { isRefusal, PortFailure, refuse } from '../../domain/errors.ts';
import type { RestoreDoubt } from '../../domain/taker.ts';
import { readEvmAddress } from '../../domain/evm-address.ts';
import { toHex } from '../../domain/hex.ts';
import { unix, type Unix } from '../../domain/time.ts';
import { arkadeFailure } from '../../legs/arkade/failures.ts';
import { hash160OfSha256, sha256Of } from '../../legs/secret.ts';
import { arkadeOf } from '../../runtime/ports.ts';
import { newRow } from '../../runtime/working-set.ts';
import type { Doubt } from '../../store/restored.ts';
import type { Store } from '../../store/store.ts';
import type { TakenDirection } from '../../taker/direction.ts';
import { takenDirections } from '../../taker/directions.ts';
import { sharedFlag, sharing } from '../../taker/client/restored.ts';
import { reopen, type Reopened } from '../../taker/restore/reopen.ts';
import type { Restoring } from '../../taker/restore/restoring.ts';
import { distrust } from '../../taker/verify.ts';
import type { ServiceContext } from '../context.ts';
import type { TakerKeys } from './keys.ts';
import { evmOrderOf } from './evm.ts';
import { exchangeOf } from './exchange.ts';
import { heldAs, isEndedByClock, rivalsOf } from './held-as.ts';
import type { OwnKeys } from './own-keys.ts';
import { asFarBack, bitcoinSince, evmSince, lockStands } from './restored-chain.ts';
import { leaveOut } from './used.ts';

export type RestoreContext = Pick<
  ServiceContext,
  'runtime' | 'networks' | 'config' | 'policy' | 'decodeInvoice' | 'highWater'
> & {
  readonly keys: TakerKeys;
  /** A key of ours was shown that this folder has not come to: what shows it. */
  readonly onUsedElsewhere: (by: Doubt) => void;
};

/** What every record says, whatever its direction; the rest is read by that. */
const frame = z.looseObject({
  id: z.string().regex(/^[\x21-\x7e]{1,100}$/),
  direction: z.string(),
  created_at: z.string().max(40),
});
type Frame = z.infer<typeof frame>;

/** Before any swap of this kind was made. */
const firstMoment = 1_500_000_000;

type Became = Pick<TakerRestored, 'outcome'> & Partial<Pick<TakerRestored, 'reason' | 'detail' | 'id' | 'unproven'>>;

/** Swaps with one key of ours that one provider may name: no client uses a key twice but where an answer was lost. */
const mostOfKey = 4;
/** An account is that of every swap: of those of which nothing stands on the chain, so many (facts/faults.md 116). */
const mostOfAccounts = 40;

/** What one search at one provider has found so far. */
export interface Search {
  readonly own: OwnKeys;
  /** How many swaps were opened anew with a key, and with accounts alone. */
  readonly opened: Map<number | 'accounts', number>;
}

/** Judges one record of a provider, and reopens its swap where all of it is right and it is not here yet. */
export async function restoreRecord(
  context: RestoreContext,
  search: Search,
  provider: string,
  given: unknown,
): Promise<TakerRestored> {
  const read = frame.safeParse(given);
  const nothing = {
    provider_url: provider,
    provider_swap_id: null,
    direction: null,
    id: null,
    reason: null,
    detail: null,
    unproven: [],
  };
  if (!read.success) return { ...nothing, outcome: 'refused', reason: 'unreadable' };
  const record = read.data;
  const direction = takerDirections.find((name) => wireDirections[name] === record.direction) ?? null;
  const row = { ...nothing, provider_swap_id: record.id, direction };
  if (direction === null) return { ...row, outcome: 'refused', reason: 'unknown-direction' };
  try {
    return { ...row, ...(await judged(context, search, { provider, direction, record })) };
  } catch (cause) {
    if (!(cause instanceof PortFailure)) throw cause;
    return { ...row, outcome: 'later', reason: 'network-away', detail: cause.message };
  }
}

interface Judging {
  readonly provider: string;
  readonly direction: TakerDirection;
  readonly record: Frame;
}

async function judged(context: RestoreContext, { own, opened }: Search, judging: Judging): Promise<Became> {
  const { networks, config } = context;
  const { direction, record } = judging;
  const taken = takenDirections[direction];
  const created = momentOf(context, record);
  if (created === null) return { outcome: 'refused', reason: 'unreadable' };
  const { ours } = taken.restorable;
  const index = await own.ofRecord(ours, record);
  if (index === null) return { outcome: 'refused', reason: 'not-ours' };
  // Derived by us: whatever becomes of the record, its key was used.
  if (ours !== 'client_evm_address') noteUsed(context, judging.provider, index);
  const chain = record['evm_chain_id'];
  const onEvm = taken.source === 'evm' || taken.target === 'evm';
  const chains = onEvm && typeof chain === 'number' && Number.isSafeInteger(chain) ? [evmNetwork(chain)] : [];
  const missing = networks.missing(...taken.needs, ...chains);
  const since = bitcoinSince(context, config.network, created);
  if (missing !== null || since === null)
    return { outcome: 'later', reason: 'network-away', detail: missing?.sentence ?? null };
  const from = await restoringOf(context, own, { ...judging, index, created });
  const swap = await reopen(taken, record, from, since);
  if (isRefusal(swap))
    return swap.refusal === 'unavailable'
      ? { outcome: 'later', reason: 'network-away', detail: swap.sentence }
      : { outcome: 'refused', reason: 'record-wrong', detail: swap.sentence };
  const { deal } = swap.progress;
  if (deal === undefined) throw new Error('a record was found right and makes no deal');
  const madeIn = record['evm_fund_txid'];
  const held = heldAs(context, judging, swap);
  // What the clock ended is opened again where the chain shows the lock that it says was never made.
  const isWrong = held !== null && isEndedByClock(held) && (await lockStands(context, deal, madeIn));
  if (held !== null && !isWrong) return { outcome: 'held', id: held.id };
  const terms = await asFarBack(context, swap.terms, deal, madeIn);
  if (terms === 'over') return { outcome: 'over' };
  // Whatever was awaited, another record may have been it.
  const meanwhile = heldAs(context, judging, swap);
  if (meanwhile !== null && meanwhile.id !== held?.id) return { outcome: 'held', id: meanwhile.id };
  const isAccountAlone = ours === 'client_evm_address';
  const [counted, most] = isAccountAlone ? (['accounts', mostOfAccounts] as const) : [index, mostOfKey];
  const before = opened.get(counted) ?? 0;
  const stands = counted === 'accounts' && before >= most && (await lockStands(context, deal, madeIn));
  if (before >= most && !stands)
    return { outcome: 'refused', reason: 'record-wrong', detail: distrust(tooMany).sentence };
  if (!stands) opened.set(counted, before + 1);
  return { outcome: 'reopened', id: open(context, judging, { ...swap, terms }), unproven: unprovenOf(taken) };
}

/** The provider's word alone, whatever else of its record was derived again. */
function unprovenOf({ secret, source }: TakenDirection): RestoreDoubt[] {
  const isOurs = secret === 'ours';
  return [
    'amounts',
    ...(isOurs && source === 'Lightning' ? (['paid'] as const) : []),
    ...(isOurs ? (['only-one'] as const) : []),
  ];
}

const tooMany = 'its key or account is that of other swaps already';

function noteUsed(
  { runtime: { store }, highWater, onUsedElsewhere }: RestoreContext,
  url: string,
  index: number,
): void {
  if (leaveOut({ store, highWater }, index) === 'of another')
    onUsedElsewhere({ is: 'keys', shown: `${url === '' ? 'this node' : url} knows key ${index}` });
}

/** By the provider's word; never after now. */
function momentOf({ runtime }: RestoreContext, { created_at }: Frame): Unix | null {
  const moment = Math.floor(Date.parse(created_at) / 1_000);
  if (!Number.isSafeInteger(moment) || moment < firstMoment) return null;
  return unix(Math.min(moment, runtime.clock.now().wall));
}

async function restoringOf(
  context: RestoreContext,
  own: OwnKeys,
  { provider, direction, index, created }: Judging & { readonly index: number; readonly created: Unix },
): Promise<Restoring> {
  const { runtime, keys, config, networks, policy, decodeInvoice } = context;
  const { needs } = takenDirections[direction];
  return {
    agreed: {
      provider,
      network: config.network,
      keyIndex: index,
      key: keys.signer({ branch: 'taker', index }).publicKey,
      userId: toHex(keys.userId(index)),
      createBefore: created,
      policy,
      restored: runtime.clock.now().wall,
    },
    secret: keys.takerSecret(index),
    decodeInvoice,
    arkadeAddress: needs.includes('arkade') ? (await arkadeOf(runtime.ports).address()).address : '',
    operator() {
      const seen = networks.arkade();
      if (seen.state !== 'connected')
        throw arkadeFailure('operator-away', 'safe', 'the Arkade operator does not answer');
      const { signer, exitDelay, formerSigners: former } = seen.facts.info;
      return { signer, exitDelay, former };
    },
    async evm(chainId, text, value) {
      const account = readEvmAddress(text);
      const evmKey = account === null ? null : own.evmKey(account, index);
      if (account === null || evmKey === null) return distrust('its account is not ours');
      const read = await evmOrderOf(context, chainId, value, false);
      if (isRefusal(read)) return refuse('unavailable', read.sentence);
      return {
        ...read,
        evmKey,
        account,
        since: evmSince(context, config.network, { chainId, height: read.since, created }),
      };
    },
    exchange: (chainId, token) => exchangeOf(context, chainId, token),
  };
}

/** On the disk, with its secret, before anything looks at it. */
function open(context: RestoreContext, judging: Judging, swap: Reopened): string {
  const { runtime, keys } = context;
  const { terms, progress, value } = swap;
  const id = randomUUID();
  const rivals = rivalsOf(context, judging, swap);
  // One that this folder began itself is the true one, and goes on.
  for (const rival of rivals) runtime.commits.deliver(rival, { is: 'secret.shared' });
  runtime.commits.open(id, (store: Store) => {
    const { wall } = runtime.clock.now();
    if (takenDirections[judging.direction].secret === 'ours') {
      const secret = keys.takerSecret(terms.keyIndex);
      store.preimages.keep(hash160OfSha256(sha256Of(secret)), secret, wall);
    }
    return {
      row: {
        ...newRow({
          id,
          machine: takerMachine(judging.direction),
          createdAt: terms.createBefore,
          updatedAt: wall,
          status: 'pending',
          valueSats: value,
          terms,
          progress: rivals.length === 0 ? progress : sharing(progress),
        }),
        flag: rivals.length === 0 ? null : sharedFlag,
      },
      effects: [],
    };
  });
  return id;
}
