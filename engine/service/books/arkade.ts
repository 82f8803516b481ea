import { btcOn, msatPerSat } from '../../domain/money.ts';
import { outpointKey, outpointOf } from '../../domain/outpoint.ts';
import type { ArkadePort } from '../../legs/arkade/port.ts';
import type { Vtxo } from '../../legs/arkade/vtxo.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { Networks } from '../networks/networks.ts';
import { provenSpends } from '../exits/proven-spends.ts';
import { begunBatches } from '../wallet/renewal.ts';
import { judgeCoins, writeOffCoins, type CoinSight, type CoinEnd, type Whose } from './coins.ts';
import type { WalletBook } from './wallet-book.ts';

/** The coins of the wallet at the Arkade operator, by the reading that the node takes of them anyway. */
export function arkadeBook(runtime: Runtime, networks: () => Networks): WalletBook {
  const { store, ports } = runtime;
  const of = btcOn('arkade');
  return {
    of,
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
  const isByOurs = ({ spentIn }: Vtxo): boolean => spentIn !== null && transactions.byId(spentIn)?.state === 'final';
  const byOurs = coins.filter(isByOurs);
  const taken = await provenSpends(byOurs, arkade);
  const claims = new Set(byOurs.map(({ outpoint }) => outpointKey(outpoint)));
  return new Map(
    missing.map((place) => [place, claims.has(place) && !taken.has(place) ? { is: 'denied' } : endOf(at.get(place))]),
  );
}

function endOf(coin: Vtxo | undefined): CoinEnd {
  if (coin === undefined) return { is: 'denied' };
  const by = coin.spentIn ?? coin.settledBy;
  if (by !== null) return { is: 'spent', by };
  if (coin.unrolled) return { is: 'left' };
  // Called spent by nothing that it names, or listed again by now.
  return coin.spent ? { is: 'denied' } : { is: 'waits' };
}

function whoseBy({ store }: Runtime): CoinSight['whose'] {
  const begun = begunBatches({ store }).length > 0 || store.effects.waitingFor('vhtlc.settle').length > 0;
  return (txid, act): Whose => {
    const row = store.transactions.byId(txid);
    // Accepted is not final: until then the operator shows its coin as spent and not what it makes.
    if (row !== null)
      return act === 'spent' && row.state !== 'final' ? { is: 'waits' } : { is: 'ours', subject: row.subject };
    const subject = store.ownBatches.subjectOf(txid);
    if (subject !== null) return { is: 'ours', subject };
    return begun ? { is: 'waits' } : { is: 'unknown' };
  };
}
