import type { Account } from '../../domain/accounts.ts';
import type { Asset } from '../../domain/money.ts';
import { slices } from '../../runtime/slices.ts';
import type { Store } from '../../store/store.ts';

const setting = 'books-level';
/** Lines that are summed at a time; after so many it is noted what they came to. */
const linesAtOnce = 500;

/** What accounts came to by their lines up to one, when they said the same. */
interface Level {
  readonly upTo: number;
  readonly sums: Readonly<Record<string, bigint>>;
}

/** An account that has something else than its lines. */
export interface Torn {
  readonly of: Asset;
  readonly account: Account;
  readonly lines: bigint;
  readonly balance: bigint;
}

const keyOf = ({ network, asset }: Asset, account: Account): string => `${network} ${asset} ${account}`;

/**
 * Accounts whose balance is not what their lines come to. Each line takes from one account what it brings to another:
 * where there are none, those of an asset come to zero. A look sums what was booked since the accounts were last
 * noted level, whatever the history.
 */
export async function tornAccounts({ ledger, settings }: Pick<Store, 'ledger' | 'settings'>): Promise<readonly Torn[]> {
  const level = levelOf(settings.get<Level>(setting));
  const sums = new Map(Object.entries(level.sums));
  const pause = slices();
  let { upTo } = level;
  for (let more = true; more;) {
    const lines = ledger.linesAfter(upTo, linesAtOnce);
    for (const line of lines) {
      upTo = line.id;
      if (line.ends === null) continue;
      const worth = line.amount < 0n ? -line.amount : line.amount;
      add(sums, keyOf(line, line.ends.from), -worth);
      add(sums, keyOf(line, line.ends.to), worth);
    }
    more = lines.length === linesAtOnce;
    if (more) await pause();
  }
  const torn = compared(ledger, sums);
  if (torn.length === 0 && upTo - level.upTo >= linesAtOnce)
    settings.put(setting, { upTo, sums: Object.fromEntries(sums) } satisfies Level);
  return torn;
}

/** What does not come to zero was never level: then all lines say what is. */
function levelOf(level: Level | null): Level {
  const totals = new Map<string, bigint>();
  for (const [key, sum] of Object.entries(level?.sums ?? {})) {
    add(totals, key.slice(0, key.lastIndexOf(' ')), sum);
  }
  return level !== null && [...totals.values()].every((total) => total === 0n) ? level : { upTo: 0, sums: {} };
}

function add(sums: Map<string, bigint>, key: string, amount: bigint): void {
  sums.set(key, (sums.get(key) ?? 0n) + amount);
}

/** In the turn in which the last line was read: nothing is booked between them. */
function compared(ledger: Store['ledger'], sums: ReadonlyMap<string, bigint>): readonly Torn[] {
  const balances = new Map(ledger.balances().map((one) => [keyOf(one, one.account), one.amount]));
  return [...new Set([...balances.keys(), ...sums.keys()])].flatMap((key) => {
    const [lines, balance] = [sums.get(key) ?? 0n, balances.get(key) ?? 0n];
    const [network, asset, account] = key.split(' ') as [Asset['network'], Asset['asset'], Account];
    return lines === balance ? [] : [{ of: { network, asset }, account, lines, balance }];
  });
}
