import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createKeys } from '../../engine/adapters/keys/keys.ts';
import { isRefusal } from '../../engine/domain/errors.ts';
import { sats } from '../../engine/domain/money.ts';
import type { Outpoint } from '../../engine/domain/outpoint.ts';
import { newNonce } from '../../engine/legs/musig.ts';
import type { MusigHtlcTerms } from '../../engine/legs/onchain/htlc.ts';
import { buildJointSpend, withJointSignature } from '../../engine/legs/onchain/joint-spend.ts';
import { jointKeyOf } from '../../engine/legs/onchain/key-spend.ts';
import type { BitcoinLeg, Deal, LightningLeg, OrderTerms } from '../../engine/taker/terms.ts';
import { deposit, payee, scriptOf } from '../support/bitcoin-wallet.ts';
import { seedOf, type TestNode } from '../support/node.ts';
import { startWorld, type World } from '../support/world.ts';
import { startPair, takerSeed, type Pair } from '../taker/pair.ts';
import { encode } from '../../engine/store/codec.ts';

/*
 * Somebody has the words of both sides: a coin of an HTLC is taken by the key of both, and neither side signed for it.
 * Nothing can bring it back, and each owner is told at once, once.
 */

vi.setConfig({ testTimeout: 120_000 });

const amount = 50_000n;
let world: World;
let pair: Pair;

beforeEach(async () => {
  world = startWorld();
  pair = await startPair({ world, taker: { bitcoinWallet: true }, provider: { bitcoinWallet: true } });
  await deposit({ world, node: pair.provider }, 1_000_000);
});

afterEach(() => pair.stop());

interface Opened {
  readonly own: string;
  readonly theirs: string;
  readonly deal: Deal<LightningLeg | BitcoinLeg, LightningLeg | BitcoinLeg>;
}

async function open(direction: 'lightning-bitcoin' | 'bitcoin-lightning', invoice: string | null): Promise<Opened> {
  const created = await pair.taker.taker.create({ direction, amount: sats(amount), invoice, provider: '' });
  if (isRefusal(created)) throw new Error(created.sentence);
  await pair.taker.until(created.id, 'waiting');
  const { deal } = pair.taker.store.swaps.byId(created.id)?.progress as unknown as Opened;
  return { own: created.id, theirs: deal.swapId, deal };
}

/** With the keys of both, and the consent of neither. */
function steal({ own, theirs }: Opened, leg: BitcoinLeg, coin: Outpoint): string {
  const terms = leg.htlc as MusigHtlcTerms;
  const { keyIndex } = pair.taker.store.swaps.byId(own)?.terms as OrderTerms;
  const index = (pair.provider.store.swaps.byId(theirs)?.terms as { readonly keyIndex: number }).keyIndex;
  const secrets = [
    createKeys(seedOf(1), 'regtest').privateKey({ branch: 'swap', index }),
    createKeys(seedOf(takerSeed), 'regtest').privateKey({ branch: 'taker', index: keyIndex }),
  ] as const;
  const built = buildJointSpend(terms, {
    coin: { ...coin, amount: leg.amount },
    to: scriptOf(payee),
    feeRate: 5,
    mostFee: sats(5_000),
  });
  if (built === null) throw new Error('it is worth its fee');
  const { spend } = built;
  const [first, second] = secrets.map((secret) => newNonce(jointKeyOf(terms), spend.sighash, secret));
  const theirPartial = second!.sign(first!.shown, secrets[1])!.partial;
  const signature = first!.sign(second!.shown, secrets[0])!.join(theirPartial);
  if (signature === null) throw new Error('it is signed');
  world.bitcoin.submit(withJointSignature(spend, signature));
  return spend.txid;
}

const flagOf = (node: TestNode, id: string) => node.store.swaps.byId(id)?.flag ?? '';

async function bothAreTold({ own, theirs }: Opened, txid: string): Promise<void> {
  const sentence = `${txid} took a coin of this swap by the MuSig2 key of both`;
  await expect.poll(() => flagOf(pair.provider, theirs), { timeout: 30_000 }).toContain(sentence);
  await expect.poll(() => flagOf(pair.taker, own), { timeout: 30_000 }).toContain(sentence);
}

test('of what the provider funded: it takes nothing back, and the client claims nothing', async () => {
  const opened = await open('lightning-bitcoin', null);
  world.pay((opened.deal.source as LightningLeg).bolt11);
  await pair.provider.until(opened.theirs, 'locked');
  const leg = opened.deal.target as BitcoinLeg;
  const [coin] = world.bitcoin.coinsOf(leg.script);
  if (coin === undefined) throw new Error('the coin is there');
  await expect.poll(() => encode(pair.taker.store.swaps.byId(opened.own)?.progress)).toContain(coin.outpoint.txid);
  const txid = steal(opened, leg, coin.outpoint);
  await bothAreTold(opened, txid);
  await world.mine(8);
  expect([pair.taker.at(opened.own), world.bitcoin.spend(coin.outpoint)?.txid]).toEqual(['waiting', txid]);
});

test('of what the client funded: nothing is paid for it', async () => {
  const { bolt11, hash } = world.invoice(amount, { hold: true });
  const opened = await open('bitcoin-lightning', bolt11);
  const leg = opened.deal.source as BitcoinLeg;
  const coin = world.bitcoin.faucet(leg.script, leg.amount);
  if (coin === null) throw new Error('the faucet is empty');
  await expect.poll(() => pair.provider.at(opened.theirs), { timeout: 30_000 }).toBe('seen');
  await pair.taker.until(opened.own, 'funded');
  const txid = steal(opened, leg, coin);
  await bothAreTold(opened, txid);
  await world.mine(3);
  expect(await pair.provider.ports.lightning?.payment(hash)).toMatchObject({ is: 'absent' });
});
