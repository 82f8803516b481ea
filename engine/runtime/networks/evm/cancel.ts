import { noSats } from '../../../domain/money.ts';
import { toHex } from '../../../domain/hex.ts';
import type { NonceRow } from '../../../store/nonces.ts';
import type { Store } from '../../../store/store.ts';
import { cappedAt, ceilingOf, mostBudget, priceOf, stageOf } from './gas.ts';
import type { Look } from './look.ts';
import { nothing } from './nothing.ts';
import { insertVariant, savingOf, type SavingFrom } from './prepare.ts';
import type { Waiting } from './replace.ts';
import type { EvmRules } from './rules.ts';
import { variantsOf } from './variants.ts';

/** Nonces that are filled at one look: a liar's count is no reason to spend the account on gas. */
const mostGaps = 16;

/**
 * Fills a nonce whose transaction nobody wants any more and nobody was ever handed, so that what is behind it does not
 * wait for ever. It may cost what that is worth, and waits for a better price as long as that has time.
 */
export async function cancel(
  { row, behind }: Waiting,
  look: Look,
  { store, rules, unpaid }: { readonly store: Store; readonly rules: EvmRules } & Pick<SavingFrom, 'unpaid'>,
): Promise<void> {
  const { all, latest } = variantsOf(row, store);
  if (latest !== null || look.nonces.pending > row.nonce) return;
  const { port } = look;
  const call = nothing(look);
  const simulation = await port.simulate(call);
  if (simulation.is === 'reverts') throw new Error(`a transfer of nothing to ourselves reverts: ${simulation.reason}`);
  const gas = (simulation.gas * 5n) / 4n;
  const savings = behind.map((each) => savingOf(each, { store, unpaid }));
  const ceiling = ceilingOf(mostBudget(savings, look.now, rules), gas, rules);
  const wanted = await port.gasFees();
  const late = savings.some((saving) => stageOf(saving, look.now) === 'last');
  if (ceiling !== null && priceOf(wanted) > ceiling && !late) return;
  const { txid, bytes } = port.sign({ ...call, nonce: row.nonce, gas, fees: cappedAt(wanted, ceiling) });
  const replaces = all.at(-1)?.txid ?? null;
  const { subject } = row;
  store.atomically(() =>
    insertVariant(store, { nonce: row, subject, purpose: 'cancel', txid, bytes, replaces }, look.wall),
  );
}

/**
 * Makes a place for what no row is of below what waits: a database that was put back forgot its transaction, or a node
 * counted one too many. Only what two looks find empty, and no node has anything for. Answers the gaps of this look.
 */
export function fillGaps(
  waiting: readonly NonceRow[],
  { network, port, nonces, wall }: Look,
  { store, before }: { readonly store: Store; readonly before: ReadonlySet<number> },
): ReadonlySet<number> {
  const account = toHex(port.account());
  const last = waiting.at(-1)?.nonce ?? 0;
  const empty = new Set<number>();
  for (let from = nonces.mined; empty.size < mostGaps;) {
    const nonce = store.nonces.next({ network, account, from });
    if (nonce >= last) break;
    if (nonces.pending <= nonce) empty.add(nonce);
    from = nonce + 1;
  }
  const subject = `account:${network}`;
  for (const nonce of empty)
    if (before.has(nonce)) {
      const row = { network, account, nonce, subject, purpose: 'cancel', deadline: null, value: noSats, takes: null };
      store.nonces.insert(row, wall);
    }
  return empty;
}
