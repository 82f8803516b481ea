import { locktimeOf } from '../../engine/legs/onchain/locktime.ts';
import { test } from 'vitest';
import { asEvmAddress } from '../../engine/domain/evm.ts';
import { fromHex, toHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import { hash160OfSha256 } from '../../engine/legs/secret.ts';
import type { ArkadeLeg, BitcoinLeg } from '../../engine/taker/terms.ts';
import { silent, silence } from '../taker/pair.ts';
import { takenFromArkadeToBitcoin } from './support/taker-arkade-bitcoin-stories.ts';
import { takenFromEvmToArkade } from './support/taker-evm-arkade-stories.ts';
import { takenFromEvmToBitcoin } from './support/taker-evm-bitcoin-stories.ts';
import { takenToEvm } from './support/taker-to-evm-stories.ts';
import { takenTogether } from './support/taker-joint-stories.ts';
import { looks } from './support/evm-in-process.ts';
import { coversItsOwn, inEachFile } from './support/covered.ts';
import { atEveryBoundary } from './support/lives.ts';
import { playTaker, signerFaults, type TakerPlay, type TakerStory } from './support/mortal-taker.ts';
import { bitcoins, bringTokens, dealOf, faultsIf, mined, mostFee, payHtlc, pegged } from './support/taker-moves.ts';

/*
 * The client dies before and after each commit, each transaction and each request that leaves it, and starts again from
 * what its disk holds. Whenever that was, either what it swapped for has arrived or what it gave is back, and the
 * chains say so.
 */

const hour = 3_600;
const amount = 50_000n;
const destination = asEvmAddress(fromHex('11'.repeat(20)));

/** The shortened run has to end in minutes. */
const step = process.env['CRASH_EVERY'] === '8' ? 10 : looks;

/* Arkade to an EVM chain. */

async function toEvm(on: TakerPlay, gasless = true): Promise<string> {
  const id = await on.open({
    direction: 'arkade-evm',
    amount: sats(amount),
    invoice: null,
    evm: { chainId: 137, token: null, destination, gasless },
  });
  return id;
}

async function payVhtlc(on: TakerPlay, id: string): Promise<void> {
  const { pay } = await on.swap(id);
  on.pair.world.faucet(pay?.text ?? '', BigInt(pay?.amount ?? '0'));
}

/** Both legs, by the chain and by the wallet: one of them is the client's, to the satoshi. */
async function toEvmFaults(on: TakerPlay, id: string, gets: 'tokens' | 'coins back'): Promise<string[]> {
  const { get } = await on.swap(id);
  const arrived = await on.evm.reader.balance(pegged(on), `0x${toHex(destination)}`);
  const row = on.pair.taker.store.swaps.byId(id);
  const { hash } = row?.terms as { hash: Uint8Array };
  const locks = await on.evm.reader.locks(toHex(hash));
  const redeemed = locks.filter(({ end }) => end === 'redeemed').length;
  const back = await on.balance();
  const isHome = gets === 'coins back';
  return faultsIf([
    [arrived !== (isHome ? 0n : BigInt(get.amount)), `${arrived} tokens arrived, agreed were ${get.amount}`],
    [back !== (isHome ? amount : 0n), `${back} sats are back`],
    [redeemed !== (isHome ? 0 : 1), `${redeemed} locks were claimed`],
  ]);
}

/* Bitcoin to Arkade. */

function fromBitcoin(on: TakerPlay): Promise<string> {
  return on.open({ direction: 'bitcoin-arkade', amount: sats(amount), invoice: null });
}

/* An EVM chain to Lightning. */

async function fromEvm(on: TakerPlay, hold: boolean, gasless = true) {
  const { bolt11, hash } = on.pair.world.invoice(amount, { hold });
  const id = await on.open({
    direction: 'evm-lightning',
    amount: sats(amount),
    invoice: bolt11,
    evm: { chainId: 137, token: null, destination: null, gasless },
  });
  return { id, hash };
}

async function fromEvmFaults(
  on: TakerPlay,
  { id, hash, account }: { id: string; hash: Uint8Array; account: string },
  ends: 'paid' | 'tokens back',
): Promise<string[]> {
  const { give } = await on.swap(id);
  const held = await on.evm.reader.balance(pegged(on), account);
  const locks = await on.evm.reader.locks(toHex(hash));
  const proof = await on.stored(({ preimages }) => preimages.find(hash160OfSha256(hash as never)));
  const isPaid = ends === 'paid';
  return [
    ...faultsIf([
      [held !== (isPaid ? 0n : BigInt(give.amount)), `the account holds ${held} of ${give.amount}`],
      [locks.length !== 1, `${locks.length} locks were made`],
      [locks.some(({ end }) => end !== (isPaid ? 'redeemed' : 'refunded')), 'a lock ended otherwise'],
      [(proof === null) === isPaid, 'the proof of the payment is not what the payment says'],
    ]),
    ...(await signerFaults(on, account)),
  ];
}

const stories: readonly TakerStory[] = [
  ...[true, false].map((gasless): TakerStory => ({
    direction: 'arkade-evm',
    name: gasless ? 'the provider sends the claim' : 'the node claims by itself',
    async play(on) {
      const id = await toEvm(on, gasless);
      on.arm();
      await payVhtlc(on, id);
      await on.reached(id, 'done');
      return toEvmFaults(on, id, 'tokens');
    },
  })),
  {
    direction: 'arkade-evm',
    name: 'a provider that has the secret does not claim',
    async play(on) {
      on.pair.tampered.claimOnEvm = silence;
      const id = await toEvm(on);
      on.arm();
      await payVhtlc(on, id);
      await on.reached(id, 'claiming');
      await on.pair.world.advance(900);
      await on.reached(id, 'done');
      return toEvmFaults(on, id, 'tokens');
    },
  },
  {
    direction: 'arkade-evm',
    name: 'the provider vanishes before it locks',
    async play(on) {
      const id = await toEvm(on);
      await on.pair.provider.kill();
      on.arm();
      await payVhtlc(on, id);
      await on.reached(id, 'funded');
      await on.pair.world.advance(40 * hour);
      await on.pair.world.mine(6);
      await on.reached(id, 'done');
      return toEvmFaults(on, id, 'coins back');
    },
  },
  {
    direction: 'arkade-evm',
    name: 'it wakes when the lock is nearly over, and keeps its secret',
    async play(on) {
      const id = await toEvm(on);
      const swapId = (await on.swap(id)).provider_swap_id ?? '';
      await payVhtlc(on, id);
      await on.pair.taker.kill();
      await on.pair.provider.until(swapId, 'locked');
      await on.pair.world.advance(11 * hour + 1_200);
      on.arm();
      await on.restart();
      await on.reached(id, 'funded');
      await on.pair.world.advance(40 * hour);
      await on.pair.world.mine(6);
      await on.reached(id, 'done');
      return toEvmFaults(on, id, 'coins back');
    },
  },
  {
    direction: 'bitcoin-arkade',
    name: 'the coins arrive',
    async play(on) {
      const id = await fromBitcoin(on);
      on.arm();
      const coin = payHtlc(on, dealOf<BitcoinLeg, ArkadeLeg>(on, id).source);
      await mined(on, 'claimed', () => on.pair.taker.at(id) === 'claimed');
      await mined(on, 'the provider’s claim', () => on.pair.world.bitcoin.spend(coin) !== undefined);
      const arrived = await on.balance();
      return faultsIf([[arrived !== amount, `${arrived} sats arrived`]]);
    },
  },
  {
    direction: 'bitcoin-arkade',
    name: 'the provider vanishes, and the bitcoin comes back',
    async play(on) {
      const id = await fromBitcoin(on);
      const { source } = dealOf<BitcoinLeg, ArkadeLeg>(on, id);
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
      const arrived = await on.balance();
      return faultsIf([
        [on.pair.world.bitcoin.spend(coin) === undefined, 'the coin was left behind'],
        [back > source.amount || back < source.amount - mostFee, `${back} of ${source.amount} sats are back`],
        [arrived !== 0n, `${arrived} sats came from nowhere`],
      ]);
    },
  },
  ...[true, false].map((gasless): TakerStory => ({
    direction: 'evm-lightning',
    name: gasless ? 'the provider sends the lock' : 'the node locks by itself',
    async play(on) {
      const { id, hash } = await fromEvm(on, false, gasless);
      on.arm();
      const account = await bringTokens(on, id);
      await on.reached(id, 'claimed');
      return fromEvmFaults(on, { id, hash, account }, 'paid');
    },
  })),
  {
    direction: 'evm-lightning',
    name: 'the payment fails, and both sign',
    async play(on) {
      const { id, hash } = await fromEvm(on, true);
      on.arm();
      const account = await bringTokens(on, id);
      await on.pair.provider.until((await on.swap(id)).provider_swap_id ?? '', 'paying');
      on.pair.world.lightning.release(toHex(hash), 'fails');
      await on.reached(id, 'done');
      return fromEvmFaults(on, { id, hash, account }, 'tokens back');
    },
  },
  {
    direction: 'evm-lightning',
    name: 'the provider vanishes, and the tokens come back alone',
    async play(on) {
      const { id, hash } = await fromEvm(on, true, false);
      await on.pair.provider.kill();
      on.arm();
      const account = await bringTokens(on, id);
      await on.reached(id, 'funded');
      await on.pair.world.advance(60 * hour);
      await on.reached(id, 'done');
      return fromEvmFaults(on, { id, hash, account }, 'tokens back');
    },
  },
  ...takenToEvm,
  ...takenFromArkadeToBitcoin,
  ...takenFromEvmToBitcoin,
  ...takenFromEvmToArkade,
  ...takenTogether,
];

test('every direction of this file has a story', () =>
  coversItsOwn(inEachFile.clients, 'the-taker-on-chains', stories));

test.each(stories)(
  'fault 2: $direction: when $name, its client may die at any boundary',
  { timeout: 3_600_000 },
  async (story) => {
    const name = `client, ${story.direction}, ${story.name}`;
    await atEveryBoundary(`${name}, what leaves it`, (dieAt) => playTaker(story, dieAt, 'acts'));
    await atEveryBoundary(`${name}, commits`, (dieAt) => playTaker(story, dieAt, 'commits'), step);
  },
);
