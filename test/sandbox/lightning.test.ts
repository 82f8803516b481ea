import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asPreimage, asSha256 } from '../../engine/domain/hash.ts';
import { sats } from '../../engine/domain/money.ts';
import { unix } from '../../engine/domain/time.ts';
import { createLightningPort } from '../support/sandbox-ports/lightning.ts';
import type { Journal } from '../../engine/sandbox/world/journal.ts';
import { memoryJournal } from '../support/memory-journal.ts';
import { decodeInvoice } from '../../engine/sandbox/world/lightning/bolt11.ts';
import { type LightningWorld, createLightning } from '../../engine/sandbox/world/lightning/lightning.ts';
import { lnd021 } from '../support/lnd-releases.ts';
import type { Balances } from '../../engine/sandbox/world/lightning/network.ts';
import { toHex } from '../../engine/domain/hex.ts';
import { strangersInvoice } from '../ports/lightning-scene.ts';
import { type Worlds, countingBytes, openWorlds } from './worlds.ts';
import { anyFailure } from '../support/failure.ts';

const preimage = '77'.repeat(32);
const hash = createHash('sha256').update(Buffer.from(preimage, 'hex')).digest('hex');
const wealth = 4_000_000_000_000n;

/** All money of the network; HTLCs count once although each hop locks them. */
function total(b: Balances): bigint {
  return (
    b.node + b.hubToNode + b.hubToOutside + b.outside + b.outgoing + b.incoming + b.outsideOutgoing + b.outsideIncoming
  );
}

function outsideInvoice(
  world: LightningWorld,
  terms: { hold?: boolean; msat?: bigint } = {},
): { bolt11: string; hash: string } {
  return world.addInvoice('outside', { hold: terms.hold ?? false, amountMsat: terms.msat ?? 10_000_000n });
}

test('an invoice is real BOLT 11: what it says is what was asked for, signed by its owner', () => {
  const { lightning, bitcoin } = openWorlds();
  const { bolt11, paymentSecret } = lightning.addInvoice('node', {
    hash,
    hold: true,
    amountMsat: 123_456_789n,
    memo: 'Grüße €',
    expirySeconds: 900,
    cltvDelta: 222,
  });
  expect(bolt11).toMatch(/^lnbcrt1234567890p1/);
  const now = bitcoin.clock.now();
  expect(decodeInvoice(bolt11)).toEqual({
    hash,
    destination: lightning.pubkey('node'),
    network: 'regtest',
    amountMsat: 123_456_789n,
    description: 'Grüße €',
    descriptionHash: null,
    createdAt: now,
    expiresAt: now + 900,
    cltvDelta: 222,
    paymentSecret,
    amp: false,
  });
});

test('an invoice for AMP is refused in the words of lnd, and nothing is stored of it', () => {
  const { lightning, bitcoin } = openWorlds();
  const one = strangersInvoice(bitcoin.clock.now(), { words: [1, 0, 0, 0, 16, 8, 0] });
  expect(() => lightning.send('node', { bolt11: one.bolt11, feeLimitMsat: 1_000n })).toThrow(/the AMP flag/);
  expect(lightning.payment('node', toHex(one.hash))).toBeUndefined();
});

test('whatever happens, no millisatoshi appears or disappears, and a restart changes nothing', () => {
  const action = fc.record({
    do: fc.constantFrom(
      'pay',
      'pay',
      'receive',
      'receive',
      'part',
      'wait',
      'settle',
      'cancel',
      'release',
      'fail',
      'fault',
      'blocks',
      'restart',
    ),
    which: fc.nat({ max: 30 }),
    msat: fc.bigInt({ min: 1n, max: 700_000_000_000n }),
    hold: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(action, { maxLength: 40 }), (actions) => {
      const journal = memoryJournal();
      const random = countingBytes();
      let worlds = openWorlds(journal, undefined, random);
      const preimages: string[] = [];
      const paid: string[] = [];
      for (const [i, { do: act, which, msat, hold }] of actions.entries()) {
        const { lightning } = worlds;
        const attempt = (work: () => void) => {
          try {
            work();
          } catch (error) {
            if ((error as Error).name !== 'LightningError') throw error;
          }
        };
        const secret = preimages[which % Math.max(1, preimages.length)];
        const own = secret === undefined ? hash : createHash('sha256').update(Buffer.from(secret, 'hex')).digest('hex');
        const target = paid[which % Math.max(1, paid.length)] ?? hash;
        switch (act) {
          case 'pay': {
            const invoice = outsideInvoice(lightning, { hold, msat });
            paid.push(invoice.hash);
            attempt(() => lightning.send('node', { bolt11: invoice.bolt11, feeLimitMsat: msat }));
            break;
          }
          case 'receive': {
            const fresh = createHash('sha256').update(`${i}`).digest('hex');
            preimages.push(fresh);
            const { bolt11 } = lightning.addInvoice('node', {
              hash: createHash('sha256').update(Buffer.from(fresh, 'hex')).digest('hex'),
              hold: true,
              amountMsat: msat,
            });
            attempt(() => lightning.send('outside', { bolt11, feeLimitMsat: msat }));
            break;
          }
          case 'part': {
            const open = lightning.invoices('node').find((invoice) => invoice.state === 'open');
            if (open !== undefined)
              attempt(() => lightning.sendPart('outside', { bolt11: open.bolt11, partMsat: msat }));
            break;
          }
          case 'wait':
            worlds.bitcoin.advance(which * 10);
            break;
          case 'settle':
            if (secret !== undefined) attempt(() => lightning.settle('node', secret));
            break;
          case 'cancel':
            attempt(() => lightning.cancel('node', own));
            break;
          case 'release':
            attempt(() => lightning.release(target, 'settles'));
            break;
          case 'fail':
            attempt(() => lightning.release(target, 'fails'));
            break;
          case 'fault':
            lightning.setFaults({ nextPayment: hold ? 'hangs' : 'fails' });
            break;
          case 'blocks':
            worlds.bitcoin.mine(which * 4);
            break;
          case 'restart': {
            const before = snapshot(worlds);
            worlds = openWorlds(journal, undefined, random);
            expect(snapshot(worlds)).toEqual(before);
          }
        }
        const balances = worlds.lightning.balances();
        const nodeCapacity = balances.node + balances.hubToNode + balances.outgoing + balances.incoming;
        const outsideCapacity =
          balances.outside + balances.hubToOutside + balances.outsideOutgoing + balances.outsideIncoming;
        expect([nodeCapacity, outsideCapacity, total(balances)]).toEqual([wealth / 2n, wealth / 2n, wealth]);
        expect(Object.values(balances).every((msats: bigint) => msats >= 0n)).toBe(true);
      }
      worlds.bitcoin.mine(500);
      const settled = (payer: 'node' | 'outside') =>
        worlds.lightning.payments(payer).filter((payment) => payment.outcome === 'settled');
      const spent = settled('node').reduce((sum, { amountMsat, feeMsat }) => sum + amountMsat + feeMsat, 0n);
      const received = settled('outside').reduce((sum, { amountMsat }) => sum + amountMsat, 0n);
      expect(worlds.lightning.balances()).toMatchObject({
        node: wealth / 4n - spent + received,
        outgoing: 0n,
        incoming: 0n,
      });
    }),
    { numRuns: 20 },
  );
});

function snapshot({ lightning }: Worlds): unknown {
  return {
    keys: [lightning.pubkey('node'), lightning.pubkey('hub'), lightning.pubkey('outside')],
    balances: lightning.balances(),
    faults: lightning.faults(),
    invoices: [lightning.invoices('node'), lightning.invoices('outside')],
    payments: [lightning.payments('node'), lightning.payments('outside')],
  };
}

test('a payment that was travelling when the process ended arrives after the restart', () => {
  const journal = memoryJournal();
  const { bitcoin } = openWorlds(journal);
  const stuck = createLightning({ journal, clock: bitcoin.clock, schedule: () => {}, random: countingBytes() });
  const invoice = outsideInvoice(stuck);
  stuck.send('node', { bolt11: invoice.bolt11, feeLimitMsat: 10_000n });
  expect(stuck.payment('node', invoice.hash)?.outcome).toBe('in-flight');
  expect(openWorlds(journal).lightning.payment('node', invoice.hash)).toMatchObject({
    outcome: 'settled',
    feeMsat: 1_010n,
  });
});

test('an open invoice is cancelled at its expiry, a held one twelve blocks before its timeout', () => {
  const { lightning, bitcoin } = openWorlds();
  const open = lightning.addInvoice('node', { hold: false, amountMsat: 1_000n, expirySeconds: 100 });
  bitcoin.advance(99);
  expect(lightning.invoice('node', open.hash)?.state).toBe('open');
  bitcoin.advance(1);
  expect(lightning.invoice('node', open.hash)?.state).toBe('cancelled');

  const { bolt11 } = lightning.addInvoice('node', { hash, hold: true, amountMsat: 1_000n, cltvDelta: 40 });
  lightning.send('outside', { bolt11, feeLimitMsat: 10_000n });
  bitcoin.mine(40 + 3 - 12 - 1);
  expect(lightning.invoice('node', hash)?.state).toBe('accepted');
  bitcoin.mine(1);
  expect([lightning.invoice('node', hash)?.state, lightning.payment('outside', hash)?.outcome]).toEqual([
    'cancelled',
    'failed',
  ]);
});

test('a later lnd asks for a longer delta and gives what is held back earlier', () => {
  const { lightning, bitcoin } = openWorlds(undefined, undefined, undefined, lnd021);
  expect(() => lightning.addInvoice('node', { hold: true, amountMsat: 1_000n, cltvDelta: 23 })).toThrow(
    'CLTV delta of 23 must be greater than minimum of 24',
  );
  const { bolt11 } = lightning.addInvoice('node', { hash, hold: true, amountMsat: 1_000n, cltvDelta: 40 });
  lightning.send('outside', { bolt11, feeLimitMsat: 10_000n });
  bitcoin.mine(40 + 3 - 18 - 1);
  expect(lightning.invoice('node', hash)?.state).toBe('accepted');
  bitcoin.mine(1);
  expect(lightning.invoice('node', hash)?.state).toBe('cancelled');
});

/** As lnd 0.20.2 did it on regtest with 100,000 sats and a limit of 1,099 msat. */
test('a fee limit with room for a part only sends that part, and the payment fails after two minutes', () => {
  const { lightning, bitcoin } = openWorlds();
  const before = lightning.balances();
  const invoice = outsideInvoice(lightning, { msat: 100_000_000n });
  lightning.send('node', { bolt11: invoice.bolt11, feeLimitMsat: 1_099n });
  expect(lightning.payment('node', invoice.hash)).toMatchObject({
    outcome: 'in-flight',
    parts: [{ amountMsat: 50_000_000n, feeMsat: 1_050n, arrived: true }],
  });
  expect([lightning.invoice('outside', invoice.hash)?.state, lightning.balances().outgoing]).toEqual([
    'open',
    50_001_050n,
  ]);
  bitcoin.advance(119);
  expect(lightning.payment('node', invoice.hash)?.outcome).toBe('in-flight');
  bitcoin.advance(1);
  expect([lightning.payment('node', invoice.hash), lightning.balances()]).toMatchObject([
    { outcome: 'failed', failure: 'no-route' },
    before,
  ]);
  lightning.send('node', { bolt11: invoice.bolt11, feeLimitMsat: 1_100n });
  expect(lightning.payment('node', invoice.hash)).toMatchObject({ outcome: 'settled', feeMsat: 1_100n });
});

test('what no single HTLC can carry is halved until it goes, and counts as one payment', () => {
  const { lightning } = openWorlds();
  const invoice = outsideInvoice(lightning, { msat: 900_000_000_000n });
  lightning.send('node', { bolt11: invoice.bolt11, feeLimitMsat: 10_000_000n });
  const payment = lightning.payment('node', invoice.hash);
  expect([payment?.parts.map((part) => part.amountMsat), payment?.outcome, payment?.feeMsat]).toEqual([
    [450_000_000_000n, 450_000_000_000n],
    'settled',
    902_000n,
  ]);
  expect(lightning.invoice('outside', invoice.hash)?.htlcs).toHaveLength(2);
});

test('a payment that hangs for ever comes back only two blocks after the timeout of its first hop', () => {
  const { lightning, bitcoin } = openWorlds();
  lightning.setFaults({ nextPayment: 'hangs' });
  const invoice = outsideInvoice(lightning);
  const { firstExpiry } = lightning.send('node', { bolt11: invoice.bolt11, feeLimitMsat: 10_000n });
  expect(firstExpiry).toBe(bitcoin.tip().height + 80 + 3 + 80);
  bitcoin.mine(firstExpiry + 1 - bitcoin.tip().height);
  expect(lightning.payment('node', invoice.hash)?.outcome).toBe('in-flight');
  bitcoin.mine(1);
  expect(lightning.payment('node', invoice.hash)).toMatchObject({ outcome: 'failed', failure: 'insufficient-balance' });
});

test('a fault strikes the next payment of the node alone, and only once', () => {
  const { lightning } = openWorlds();
  lightning.setFaults({ nextPayment: 'fails' });
  const received = lightning.addInvoice('node', { hold: false, amountMsat: 1_000n });
  lightning.send('outside', { bolt11: received.bolt11, feeLimitMsat: 10_000n });
  const [first, second] = [outsideInvoice(lightning), outsideInvoice(lightning)];
  for (const { bolt11 } of [first, second]) lightning.send('node', { bolt11, feeLimitMsat: 10_000n });
  expect(
    [
      lightning.payment('outside', received.hash),
      lightning.payment('node', first.hash),
      lightning.payment('node', second.hash),
    ].map((payment) => payment?.outcome),
  ).toEqual(['settled', 'failed', 'settled']);
  expect(lightning.faults().nextPayment).toBeNull();
});

test('a lost answer of the port in process leaves the effect done, a lost request leaves it undone', async () => {
  const { lightning, bitcoin } = openWorlds();
  let bad: 'before' | 'after' | null = 'before';
  const port = createLightningPort(lightning, {
    chaos: (call, moment) => {
      if (call === 'createHold' && moment === bad) throw anyFailure('chaos', 'ask-first', 'no answer');
    },
  });
  const terms = {
    hash: asSha256(Uint8Array.from(Buffer.from(hash, 'hex'))),
    amount: sats(1_000),
    description: '',
    expiresAt: unix(bitcoin.clock.now() + 60),
    cltvDelta: 40,
    again: true,
  };
  await expect(port.createHold(terms)).rejects.toThrow('no answer');
  expect(await port.hold(terms.hash)).toEqual({ is: 'absent' });
  bad = 'after';
  await expect(port.createHold(terms)).rejects.toThrow('no answer');
  expect(await port.hold(terms.hash)).toEqual({ is: 'open' });
  bad = null;
  const { bolt11 } = await port.createHold(terms);
  lightning.send('outside', { bolt11, feeLimitMsat: 10_000n });
  await port.settle(asPreimage(Uint8Array.from(Buffer.from(preimage, 'hex'))));
  expect(await port.hold(terms.hash)).toEqual({ is: 'settled' });
});

test('nothing is said about a change before it is durable', () => {
  const rows: string[] = [];
  const durable = memoryJournal();
  const journal: Journal = {
    ...durable,
    atomically: (work) => (
      rows.push('begin'),
      (() => {
        const result = durable.atomically(work);
        rows.push('commit');
        return result;
      })()
    ),
  };
  const { lightning } = openWorlds(journal);
  lightning.onEvent((event) => rows.push(event.is));
  rows.length = 0;
  const { bolt11 } = lightning.addInvoice('node', { hash, hold: true, amountMsat: 1_000n });
  lightning.send('outside', { bolt11, feeLimitMsat: 10_000n });
  expect(rows).toEqual([
    'begin',
    'commit',
    'invoice',
    'begin',
    'commit',
    'payment',
    'begin',
    'commit',
    'invoice',
    'payment',
  ]);
});
