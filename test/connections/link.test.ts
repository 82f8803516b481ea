import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLink, type Endpoint, type Link, type Over } from '../../engine/connections/link.ts';
import { lightningOver } from '../../engine/connections/ports/lightning.ts';
import { PortFailure, refuse } from '../../engine/domain/errors.ts';
import { asPreimage } from '../../engine/domain/hash.ts';
import { toHex } from '../../engine/domain/hex.ts';
import { sats } from '../../engine/domain/money.ts';
import { unix } from '../../engine/domain/time.ts';
import type { LightningPort } from '../../engine/legs/lightning/port.ts';
import { sha256Of } from '../../engine/legs/secret.ts';
import { anyFailure } from '../support/failure.ts';
import { createLightningPort } from '../support/sandbox-ports/lightning.ts';
import { openWorlds, startOfTests, type Worlds } from '../sandbox/worlds.ts';

const preimage = asPreimage(new Uint8Array(32).fill(9));
const hash = sha256Of(preimage);
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

let worlds: Worlds;
let link: Link<LightningPort>;
/** Who answers, and whether the node may be used. */
let identity: string;
let wrong: string | null;
let calls: number;

beforeEach(() => {
  worlds = openWorlds();
  [identity, wrong, calls] = ['alice', null, 0];
  link = createLink({
    name: 'lightning',
    absent: 'No Lightning node is connected: set lnd.',
    judge: ([who]) => (who === 'alice' ? wrong : `${who} is not alice`),
    portOver: lightningOver,
    log,
  });
});
afterEach(async () => {
  await link.stop();
  worlds.lightning.stop();
});

function endpoint(): Endpoint<LightningPort> {
  return {
    open: async () => ({ port: createLightningPort(worlds.lightning), stop: async () => undefined }),
    async identify(port) {
      calls += 1;
      await port.info();
      return [identity];
    },
  };
}

function invoice(): Parameters<LightningPort['createHold']>[0] {
  return { hash, amount: sats(25_000), description: 'link', expiresAt: unix(startOfTests + 3_600), cltvDelta: 144 };
}

async function failure(call: Promise<unknown>): Promise<unknown> {
  try {
    return await call;
  } catch (cause) {
    return cause instanceof PortFailure ? [cause.code, cause.retry, cause.message] : cause;
  }
}

test('with nothing behind it every call says so, and nothing happened', async () => {
  expect(await failure(link.port.createHold(invoice()))).toEqual([
    'absent',
    'safe',
    'No Lightning node is connected: set lnd.',
  ]);
});

test('nothing is called over a connection that may not be used, and it can be used as soon as it may', async () => {
  wrong = 'not this one';
  await link.replace(endpoint());
  const refused = await failure(link.port.createHold(invoice()));
  const untouched = worlds.lightning.invoice('node', toHex(hash)) === undefined;
  wrong = null;
  const made = await link.port.createHold(invoice());
  expect([refused, untouched, made.bolt11.startsWith('lnbcrt')]).toEqual([
    ['not-ours', 'safe', 'not this one'],
    true,
    true,
  ]);
});

test('one that cannot even be tried tells why, and is tried again with every call', async () => {
  let missing = true;
  const real = endpoint();
  await link.replace({
    ...real,
    open: async () => (missing ? refuse('not-found', 'The file is not there.') : real.open()),
  });
  const before = await failure(link.port.info());
  missing = false;
  expect([before, (await link.port.info()).alias]).toEqual([
    ['not-connected', 'safe', 'The file is not there.'],
    'sandbox',
  ]);
});

test('whoever answers after a lost connection is asked first who it is', async () => {
  await link.replace(endpoint());
  await link.port.info();
  await link.port.liquidity();
  const once = calls;
  worlds.lightning.setFaults({ node: 'away' });
  const away = await failure(link.port.liquidity());
  identity = 'mallory';
  worlds.lightning.setFaults({ node: 'back' });
  expect([
    once,
    (away as unknown[])[1],
    await failure(link.port.createHold(invoice())),
    worlds.lightning.invoice('node', toHex(hash)),
  ]).toEqual([1, 'safe', ['not-ours', 'safe', 'mallory is not alice'], undefined]);
});

test('fault 362: what a stranger made fail leaves no doubt about who is at the other end', async () => {
  let over: Over<LightningPort> | null = null;
  const own = createLink<LightningPort>({
    ...{ name: 'lightning', absent: 'none', judge: () => null, log },
    portOver(all) {
      over = all;
      return lightningOver(all);
    },
  });
  await own.replace(endpoint());
  const { ask, askAside } = over as unknown as Over<LightningPort>;
  const fails = () => Promise.reject(anyFailure('away', 'safe', 'no'));
  for (let i = 0; i < 3; i++) await failure(askAside(fails));
  await own.port.liquidity();
  const before = calls;
  await failure(ask(fails));
  await own.port.liquidity();
  await own.stop();
  expect([before, calls]).toEqual([1, 2]);
});

test('what is watched is watched over every connection that comes, each a gap', async () => {
  const events: string[] = [];
  const watch = link.port.watch({
    onHold: (one) => events.push(`hold ${toHex(one)}`),
    onPayment: () => undefined,
    onGap: () => events.push('gap'),
  });
  watch.addHold(hash);
  await link.replace(endpoint());
  const { bolt11 } = await link.port.createHold(invoice());
  await link.replace(endpoint());
  await link.port.info();
  worlds.lightning.send('outside', { bolt11, feeLimitMsat: 1_000_000n });
  await expect.poll(() => events).toContain(`hold ${toHex(hash)}`);
  expect(events.filter((one) => one === 'gap')).toHaveLength(2);
  await watch.stop();
  events.length = 0;
  await link.replace(endpoint());
  await link.port.info();
  expect(events).toEqual([]);
});
