import { btcOn, msatPerSat } from '../../domain/money.ts';
import { outpointKey, outpointOf, type Txid } from '../../domain/outpoint.ts';
import type { ArkadePort } from '../../legs/arkade/port.ts';
import type { Vtxo } from '../../legs/arkade/vtxo.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { Networks } from '../networks/networks.ts';
import { provenSpends } from '../exits/proven-spends.ts';
import { begunBatches } from '../wallet/renewal-begun.ts';
import { judgeCoins, writeOffCoins, type CoinSight, type CoinEnd, type Whose } from './coins.ts';
import type { WalletBook } from './wallet-book.ts';

/** The coins of the wallet at the Arkade operator, by the reading that the node takes of them anyway. */
export function arkadeBook(runtime: Runtime, networks: () => Networks): WalletBook {
  const { store, ports } = runtime;
  const of = btcOn('arkade');
  return {
    of,
    account: 'wallet',
    async look() {
      const reading = networks().arkade();
      if (ports.arkade === null || reading.state !== 'connected') return { unknown: 'the operator does not answer' };
      const booked = store.bookCoins.all(of);
      const listed = new Map(
        reading.facts.coins
          .filter(({ unrolled, spent }) => !unrolled && !spent)
          .map(({ outpoint, amount, batch }) => [
            outpointKey(outpoint),
            { amount: amount * msatPerSat, madeBy: batch ?? outpoint.txid },
          ]),
      );
      const ends = await endsOf(store, ports.arkade, booked, new Set(listed.keys()));
      const sight = { balance: store.ledger.balance(of, 'wallet'), booked, listed, ends, whose: whoseBy(runtime) };
      const verdict = judgeCoins(sight);
      return {
        reading,
        verdict,
        writeOff: (reason) => writeOffCoins({ ...sight, booked: store.bookCoins.all(of) }, verdict, reason),
      };
    },
  };
}

/** What a transaction of ours took, it took by its bytes: that it was this coin is the operator's word otherwise. */
async function endsOf(
  { transactions }: Runtime['store'],
  arkade: ArkadePort,
  booked: ReadonlyMap<string, bigint>,
  listed: ReadonlySet<string>,
): Promise<Map<string, CoinEnd>> {
  const missing = [...booked.keys()].filter((place) => !listed.has(place));
  if (missing.length === 0) return new Map();
  const coins = await arkade.coinsAt(missing.map(outpointOf));
  const at = new Map(coins.map((coin) => [outpointKey(coin.outpoint), coin]));
  const isByOurs = (coin: Vtxo): boolean => {
    const by = spenderOf(coin);
    return by !== null && transactions.byId(by)?.state === 'final';
  };
  const byOurs = coins.filter(isByOurs);
  const taken = await provenSpends(byOurs, arkade);
  const claims = new Set(byOurs.map(({ outpoint }) => outpointKey(outpoint)));
  return new Map(
    missing.map((place) => [place, claims.has(place) && !taken.has(place) ? { is: 'denied' } : endOf(at.get(place))]),
  );
}

/** The transaction or the batch that the operator names. */
function spenderOf({ spentIn, settledBy }: Vtxo): Txid | null {
  return spentIn ?? settledBy;
}

function endOf(coin: Vtxo | undefined): CoinEnd {
  if (coin === undefined) return { is: 'denied' };
  const by = spenderOf(coin);
  if (by !== null) return { is: 'spent', by };
  if (coin.unrolled) return { is: 'left' };
  // Called spent by nothing that it names, or listed again by now.
  return coin.spent ? { is: 'denied' } : { is: 'waits' };
}

function whoseBy({ store }: Runtime): CoinSight['whose'] {
  const begun = begunBatches({ store });
  const makes = begun.length > 0 || store.effects.waitingFor('vhtlc.settle').length > 0;
  return (txid, act, place): Whose => {
    const row = store.transactions.byId(txid);
    // Accepted is not final: until then the operator shows its coin as spent and not what it makes.
    if (row !== null)
      return act === 'spent' && row.state !== 'final' ? { is: 'waits' } : { is: 'ours', subject: row.subject };
    const subject = store.ownBatches.subjectOf(txid);
    // What a batch took was handed to it: of another coin that is the operator's word alone (facts/faults.md 151).
    if (subject !== null && (act === 'made' || store.ownBatches.took(txid, place))) return { is: 'ours', subject };
    const mayBe = act === 'made' ? makes : begun.some(({ coins }) => coins.includes(place));
    return mayBe ? { is: 'waits' } : { is: 'unknown' };
  };
}
