import { PortFailure } from '../../domain/errors.ts';
import { toHex } from '../../domain/hex.ts';
import { sats } from '../../domain/money.ts';
import type { Txid } from '../../domain/outpoint.ts';
import type { ScriptPayment, ScriptPayments } from '../../legs/onchain/port.ts';
import { isCount } from './core-chain.ts';
import { hashIn, heightIn, listOf } from './esplora-answers.ts';

/** Pages of one call, of 25 transactions each as servers are set up: a public one answers a few calls a second. */
const mostPages = 10;
/** A call that has so many payments goes on with the next one; of a page so many are taken, the largest. */
const enough = 500;
const mostOnPage = 1_000;

/** Asks the server for a path of the script, such as `/txs`. */
type AskPage = <T>(path: string, read: (text: string) => T) => Promise<T>;

interface Page {
  readonly payments: readonly ScriptPayment[];
  /** The oldest transaction in a block; null where it shows none. */
  readonly last: { readonly txid: Txid; readonly height: number } | null;
}

/**
 * Payments to a script from the newest to the oldest, some pages a call. Each page names the transaction that the next
 * one begins after, so that what strangers pay meanwhile moves nothing.
 */
export function esploraHistory() {
  const places = new WeakMap<object, Txid>();

  return async (
    script: Uint8Array,
    { since, search, ask }: { readonly since: number; readonly search: object; readonly ask: AskPage },
  ): Promise<ScriptPayments> => {
    const payments: ScriptPayment[] = [];
    for (let pages = 0; pages < mostPages; pages++) {
      const after = places.get(search);
      let page: Page;
      try {
        page = await ask(after === undefined ? '/txs' : `/txs/chain/${after}`, (text) => pageOf(text, script));
      } catch (cause) {
        if (pages === 0 || !(cause instanceof PortFailure)) throw cause;
        break; // what was read counts, and its place is passed
      }
      payments.push(...page.payments);
      const { last } = page;
      if (last === null || last.height < since || last.txid === after) {
        places.delete(search);
        return { payments, over: true };
      }
      places.set(search, last.txid);
      if (payments.length >= enough) break;
    }
    return { payments, over: false };
  };
}

function pageOf(text: string, script: Uint8Array): Page {
  const rows = listOf(text);
  const own = toHex(script);
  const confirmed = rows.map(({ txid, status }) => ({ txid: hashIn(txid), ...heightIn(status) })).findLast(isMined);
  const payments = rows.flatMap((row) => [...spentBy(row, own), ...paidBy(row, own)]);
  payments.sort((a, b) => Number(b.amount - a.amount));
  return { payments: payments.slice(0, mostOnPage), last: confirmed ?? null };
}

function isMined(row: { readonly txid: Txid; readonly height: number | null }): row is NonNullable<Page['last']> {
  return row.height !== null;
}

interface Output {
  readonly scriptpubkey?: unknown;
  readonly value?: unknown;
}

function amountAt(output: Output | null | undefined, script: string): number | null {
  const { scriptpubkey, value } = output ?? {};
  return scriptpubkey === script && isCount(value) ? value : null;
}

/** What made the coins of the script that a transaction spends. */
function spentBy({ vin }: Record<string, unknown>, script: string): ScriptPayment[] {
  return (Array.isArray(vin) ? vin : []).flatMap(({ txid, prevout }: { txid?: unknown; prevout?: Output | null }) => {
    const amount = amountAt(prevout, script);
    return amount === null ? [] : [{ txid: hashIn(txid), amount: sats(amount), spent: true }];
  });
}

function paidBy({ txid, vout }: Record<string, unknown>, script: string): ScriptPayment[] {
  const outputs: readonly Output[] = Array.isArray(vout) ? vout : [];
  const most = outputs.reduce((largest, output) => Math.max(largest, amountAt(output, script) ?? -1), -1);
  return most < 0 ? [] : [{ txid: hashIn(txid), amount: sats(most), spent: false }];
}
