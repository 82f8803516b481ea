import { btcOn, msatPerSat } from '../../domain/money.ts';
import { outpointKey, outpointOf } from '../../domain/outpoint.ts';
import type { BitcoinPort } from '../../legs/onchain/port.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { mostNoted } from '../../store/chain-coins.ts';
import type { Networks } from '../networks/networks.ts';
import { judgeCoins, writeOffCoins, type CoinSight, type CoinEnd } from './coins.ts';
import type { WalletBook } from './wallet-book.ts';

/**
 * The coins of the Bitcoin wallet that are in a block. One that is spent in the mempool alone is on its way: any of
 * several transactions may take it yet.
 */
export function bitcoinBook(runtime: Runtime, networks: () => Networks): WalletBook {
  const { store, ports } = runtime;
  const of = btcOn('bitcoin');
  return {
    of,
    async look() {
      const reading = networks().bitcoinWallet();
      const doubt = runtime.clock.now().bitcoin.doubt;
      if (ports.bitcoin === null || reading.state !== 'connected' || doubt !== undefined)
        return { unknown: doubt ?? 'the chain does not answer' };
      const coins = store.chainCoins.standing();
      if (coins.length >= mostNoted) return { unknown: `the wallet has ${mostNoted} coins or more` };
      const booked = store.bookCoins.all(of);
      const listed = new Map(
        coins.map(({ outpoint, amount }) => [
          outpointKey(outpoint),
          { amount: amount * msatPerSat, madeBy: outpoint.txid },
        ]),
      );
      const ends = await endsOf(ports.bitcoin, booked, new Set(listed.keys()));
      if (ends === null) return { unknown: 'a coin is not listed, and nothing is known to spend it' };
      const sight = { balance: store.ledger.balance(of, 'wallet'), booked, listed, ends, whose: whoseBy(runtime) };
      const verdict = judgeCoins(sight);
      return {
        // What spends a coin is asked anew each time.
        reading: {},
        verdict,
        writeOff: (reason) => writeOffCoins({ ...sight, booked: store.bookCoins.all(of) }, verdict, reason),
      };
    },
  };
}

/** Null while one is neither listed nor spent: a source that lists too little, or a block that was taken back. */
async function endsOf(
  bitcoin: BitcoinPort,
  booked: ReadonlyMap<string, bigint>,
  listed: ReadonlySet<string>,
): Promise<Map<string, CoinEnd> | null> {
  const ends = new Map<string, CoinEnd>();
  for (const place of booked.keys()) {
    if (listed.has(place)) continue;
    const spend = await bitcoin.spend(outpointOf(place));
    if (spend === null) return null;
    ends.set(place, spend.height === null ? { is: 'waits' } : { is: 'spent', by: spend.txid });
  }
  return ends;
}

function whoseBy({ store }: Runtime): CoinSight['whose'] {
  return (txid) => {
    const row = store.transactions.byId(txid);
    return row === null ? { is: 'unknown' } : { is: 'ours', subject: row.subject };
  };
}
