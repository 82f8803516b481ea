import { asEvmAddress } from '../../../engine/domain/evm.ts';
import { fromHex, toHex } from '../../../engine/domain/hex.ts';
import { sats } from '../../../engine/domain/money.ts';
import { locktimeOf } from '../../../engine/legs/onchain/locktime.ts';
import type { EvmLeg } from '../../../engine/taker/evm/terms.ts';
import type { BitcoinLeg, LightningLeg, OrderTerms } from '../../../engine/taker/terms.ts';
import { silence, silent } from '../../taker/pair.ts';
import type { TakerPlay, TakerStory } from './mortal-taker.ts';
import { bitcoins, dealOf, faultsIf, mined, mostFee, payHtlc, pegged } from './taker-moves.ts';

/* A client that claims tokens, for a payment over Lightning or for a coin on the Bitcoin chain. */

const hour = 3_600;
const amount = 50_000n;
const destination = asEvmAddress(fromHex('11'.repeat(20)));

function open(on: TakerPlay, direction: 'lightning-evm' | 'bitcoin-evm', gasless: boolean): Promise<string> {
  const evm = { chainId: 137, token: null, destination, gasless };
  return on.open({ direction, amount: sats(amount), invoice: null, evm });
}

function hashOf(on: TakerPlay, id: string): Uint8Array {
  return (on.pair.taker.store.swaps.byId(id)?.terms as OrderTerms).hash;
}

/** By the chain: the tokens that arrived, and that one lock was claimed for them. */
async function tokenFaults(on: TakerPlay, id: string): Promise<string[]> {
  const { get } = await on.swap(id);
  const arrived = await on.evm.reader.balance(pegged(on), `0x${toHex(destination)}`);
  const ends = (await on.evm.reader.locks(toHex(hashOf(on, id)))).map(({ end }) => end);
  return faultsIf([
    [arrived !== BigInt(get.amount), `${arrived} tokens arrived, agreed were ${get.amount}`],
    [ends.join() !== 'redeemed', `the locks are ${ends.join()}`],
  ]);
}

/** Held until the provider learns the secret, and then its. */
async function fromLightning(on: TakerPlay, gasless: boolean): Promise<string[]> {
  const id = await open(on, 'lightning-evm', gasless);
  const { source } = dealOf<LightningLeg, EvmLeg>(on, id);
  const hash = hashOf(on, id);
  on.arm();
  on.pair.world.pay(source.bolt11);
  if (on.pair.tampered.claimOnEvm !== undefined) {
    await on.reached(id, 'claiming');
    await on.pair.world.advance(900);
  }
  await on.reached(id, 'claimed');
  await on.until('the payment', () => on.pair.world.paid(hash) === 'settled');
  return tokenFaults(on, id);
}

export const takenToEvm: readonly TakerStory[] = [
  ...[true, false].map((gasless): TakerStory => ({
    direction: 'lightning-evm',
    name: gasless ? 'the provider sends the claim' : 'the node claims by itself',
    play: (on) => fromLightning(on, gasless),
  })),
  {
    direction: 'lightning-evm',
    name: 'a provider that has the secret does not claim',
    play(on) {
      on.pair.tampered.claimOnEvm = silence;
      return fromLightning(on, true);
    },
  },
  ...[true, false].map((gasless): TakerStory => ({
    direction: 'bitcoin-evm',
    name: gasless ? 'the provider sends the claim' : 'the node claims by itself',
    async play(on) {
      const id = await open(on, 'bitcoin-evm', gasless);
      const { source } = dealOf<BitcoinLeg, EvmLeg>(on, id);
      on.arm();
      const coin = payHtlc(on, source);
      await mined(on, 'claimed', () => on.pair.taker.at(id) === 'claimed');
      await mined(on, 'the provider’s claim', () => on.pair.world.bitcoin.spend(coin) !== undefined);
      const back = await bitcoins(on);
      return [...faultsIf([[back !== 0n, `${back} sats are back as well`]]), ...(await tokenFaults(on, id))];
    },
  })),
  {
    direction: 'bitcoin-evm',
    name: 'the provider vanishes before it locks, and the bitcoin comes back',
    async play(on) {
      const id = await open(on, 'bitcoin-evm', true);
      const { source } = dealOf<BitcoinLeg, EvmLeg>(on, id);
      await on.pair.provider.kill();
      Object.assign(on.pair.tampered, silent);
      on.arm();
      const coin = payHtlc(on, source);
      await on.pair.world.mine(1);
      await on.reached(id, 'funded');
      await on.pair.world.advance(locktimeOf(source.htlc) - on.pair.world.now() + 2 * hour);
      await on.pair.world.mine(12);
      await mined(on, 'done', () => on.pair.taker.at(id) === 'done');
      const back = await bitcoins(on);
      const arrived = await on.evm.reader.balance(pegged(on), `0x${toHex(destination)}`);
      return faultsIf([
        [on.pair.world.bitcoin.spend(coin) === undefined, 'the coin was left behind'],
        [back > source.amount || back < source.amount - mostFee, `${back} of ${source.amount} sats are back`],
        [arrived !== 0n, `${arrived} tokens came from nowhere`],
      ]);
    },
  },
];
