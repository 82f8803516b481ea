import { takerDirections, takerMachine } from '../domain/chain.ts';
import type { RescueEntry, RescueLeg, SentTransaction, StoredSwap } from '../legs/rescue.ts';
import { wasAsked } from '../runtime/networks/onchain/fence.ts';
import type { Entry } from '../runtime/working-set.ts';
import type { Store } from '../store/store.ts';

type Tables = Pick<Store, 'preimages' | 'transactions' | 'intents' | 'partials'>;

/** What a bundle holds of a swap, whichever side of it this node is: null while nothing of it is out. */
export function entryOf({ row, machine }: Entry, store: Tables): RescueEntry | null {
  const rescue = machine.rescue?.(row.terms, row.progress) ?? null;
  if (rescue === null) return null;
  const { byNote, ...legs } = rescue;
  // By a claim that was signed and not sent, and by a question that was not asked, nobody has a secret of ours
  // (facts/faults.md 187, 295).
  const isOut = byNote === undefined || isNoted(row.id, legs.claim, store);
  const out = { ...legs, shown: legs.shown && isOut };
  // A secret that a client gave us for its relay alone is not public, and opens nothing else.
  const secret = out.shown ? store.preimages.find(machine.hash160(row.terms)) : null;
  const refund = out.refund?.on === 'arkade' ? withLock(out.refund, row.id, store) : out.refund;
  const role = isTaken(machine.name) ? 'client' : 'service';
  return {
    id: row.id,
    direction: machine.name,
    role,
    secret,
    stored: storedOf({ row, machine }, store),
    ...out,
    refund,
  };
}

function isNoted(id: string, claim: RescueLeg | null, { intents, partials }: Tables): boolean {
  const coin = claim?.on === 'bitcoin' ? claim.coin : null;
  return intents.has('payment', id) || (coin !== null && wasAsked(partials, coin, 'claim'));
}

function isTaken(machine: string): boolean {
  return takerDirections.some((direction) => takerMachine(direction) === machine);
}

/** The swap as the database has it, with all that its machine and its acts look up beside it. */
export function storedOf(
  { row, machine }: Entry,
  { preimages, transactions }: Pick<Tables, 'preimages' | 'transactions'>,
): StoredSwap {
  const { id, createdAt, status, valueSats, terms, progress, termsVersion, progressVersion } = row;
  const sent = transactions.of(id).flatMap(({ txid, network, asset, leg, purpose, state, replaces }) => {
    const bytes = leg !== 'evm' && alive.has(state) ? transactions.bytes(txid) : null;
    if (bytes === null) return [];
    return [{ txid, network, asset, leg, purpose, state: state as SentTransaction['state'], replaces, bytes }];
  });
  const secret = preimages.find(machine.hash160(terms));
  return { createdAt, status, valueSats, terms, progress, termsVersion, progressVersion, secret, transactions: sent };
}

/** As long as the transaction that makes our VHTLC is not final, its bytes belong to it. */
function withLock(leg: RescueLeg & { on: 'arkade' }, id: string, { transactions }: Tables): RescueLeg {
  const sent = transactions.of(id).find(({ purpose, state }) => purpose === 'lock' && alive.has(state));
  const lock = sent === undefined ? null : transactions.bytes(sent.txid);
  return lock === null ? leg : { ...leg, lock };
}

const alive: ReadonlySet<string> = new Set(['prepared', 'accepted']);
