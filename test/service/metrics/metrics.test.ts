import { readFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { evmOf } from '../../../engine/runtime/ports.ts';
import { metricFacts } from '../../../engine/service/metrics/list.ts';
import { lockLightningArkade, payArkadeLightning } from '../../support/openings.ts';
import { startEvmWorld, type EvmWorld } from '../../support/evm/world.ts';
import { parseExposition, type ParsedFamily } from '../../support/exposition.ts';
import { openScene, type Scene } from '../../support/scene.ts';

let evm: EvmWorld;
let scene: Scene;
beforeAll(async () => {
  let now = () => 1_760_000_000;
  evm = await startEvmWorld(() => now());
  scene = await openScene({ evm, bitcoinWallet: true, untilMs: 60_000 }, 'usual');
  now = () => scene.world.now();
});
afterAll(async () => {
  await scene.end();
});

/** Names that had a value at any time. */
const shown = new Set<string>();

function read(): Readonly<Record<string, ParsedFamily>> {
  const families = parseExposition(scene.node.service.metrics());
  for (const [name, { samples }] of Object.entries(families)) if (samples.length > 0) shown.add(name);
  return families;
}

function valueOf(name: keyof typeof metricFacts, labels: Record<string, string> = {}): number | undefined {
  return read()[name]?.samples.find((one) => Object.entries(labels).every(([key, value]) => one.labels[key] === value))
    ?.value;
}

const provided = { direction: 'lightning_to_arkade', role: 'provider' };

test('a swap is counted while it is open, with what is at risk, and with its fee once it is over', async () => {
  const { record, secret } = await lockLightningArkade(scene);
  const target = Number(record.target_amount);
  expect({
    open: valueOf('sluice_swaps_open', { ...provided, status: 'serverfunded' }),
    risk: valueOf('sluice_value_at_risk_sats', { direction: 'lightning_to_arkade' }),
    spare: (valueOf('sluice_time_to_spare_seconds', provided) ?? 0) > 3_600,
    locked: valueOf('sluice_balance_sats', { network: 'arkade', kind: 'locked' }),
    ended: valueOf('sluice_swaps_ended_total'),
  }).toEqual({ open: 1, risk: target, spare: true, locked: target, ended: undefined });
  await scene.client.claim(record, secret);
  await scene.node.until(record.id, 'claimed');
  const fee = Number(record.fee_sats);
  expect({
    open: valueOf('sluice_swaps_open', provided),
    risk: valueOf('sluice_value_at_risk_sats'),
    ended: valueOf('sluice_swaps_ended_total', { ...provided, status: 'serverredeemed' }),
    earned: valueOf('sluice_earned_sats_total', { kind: 'protocol-fee', network: 'lightning' }),
  }).toEqual({ open: undefined, risk: undefined, ended: 1, earned: fee });
});

test('each direction is counted apart', async () => {
  const { record, release } = await payArkadeLightning(scene);
  expect(valueOf('sluice_swaps_open', { direction: 'arkade_to_lightning', role: 'provider' })).toBe(1);
  release('settles');
  await scene.node.until(record.id, 'claimed');
  expect(valueOf('sluice_swaps_ended_total', { direction: 'arkade_to_lightning', status: 'serverredeemed' })).toBe(1);
});

test('each family is of the list, with its type, its sentence, its labels and the form of its name', () => {
  const families = read();
  for (const [name, { type, help, samples }] of Object.entries(families)) {
    const facts = metricFacts[name as keyof typeof metricFacts];
    expect({ name, type, help }).toEqual({ name, type: facts.type, help: facts.help });
    for (const { labels, value } of samples) {
      expect([name, Object.keys(labels)]).toEqual([name, facts.labels]);
      expect([name, Number.isFinite(value)]).toEqual([name, true]);
    }
  }
  for (const [name, { type }] of Object.entries(metricFacts)) {
    expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter']);
    expect(name).toMatch(/^(sluice|process)_[a-z0-9_]+$/);
  }
});

test('the networks, the wallets and the process are told of, and the sum that pays for gas', () => {
  const families = read();
  expect(families['sluice_network_up']?.samples.map(({ labels, value }) => [labels['network'], value])).toEqual([
    ['arkade', 1],
    ['lightning', 1],
    ['bitcoin', 1],
    ['evm:137', 1],
  ]);
  expect({
    ready: valueOf('sluice_ready'),
    closed: valueOf('sluice_network_closed', { network: 'arkade' }),
    disagree: valueOf('sluice_sources_disagree', { network: 'bitcoin' }),
    rpcs: (valueOf('sluice_rpcs', { network: 'evm:137' }) ?? 0) > 0,
    gas: (valueOf('sluice_gas_coins', { network: 'evm:137' }) ?? 0) > 0,
    pegged: (valueOf('sluice_balance_sats', { network: 'evm:137', kind: 'available' }) ?? 0) > 0,
    memory: (valueOf('process_resident_memory_bytes') ?? 0) > 1e7,
    parked: valueOf('sluice_effects_parked'),
  }).toEqual({ ready: 1, closed: 0, disagree: 0, rpcs: true, gas: true, pegged: true, memory: true, parked: 0 });
});

test('what runs, since when, and how far each chain is, is told', () => {
  const [build] = read()['sluice_build_info']?.samples ?? [];
  expect([build?.value, build?.labels['version']]).toEqual([1, 'test']);
  const within = (name: keyof typeof metricFacts, least: number, most: number, labels = {}) => {
    const value = valueOf(name, labels) ?? NaN;
    return [name, value >= least && value <= most];
  };
  const checks = [
    within('sluice_start_time_seconds', 1_760_000_000, 1_760_000_000),
    within('sluice_network_height', 1, 1e6, { network: 'bitcoin' }),
    within('sluice_network_height', 1, 1e6, { network: 'evm:137' }),
    within('sluice_network_lag_seconds', 0, 600, { network: 'bitcoin' }),
    within('sluice_network_lag_seconds', 0, 60, { network: 'lightning' }),
    within('sluice_rpcs_away', 0, 0, { network: 'evm:137' }),
    within('sluice_swaps_unreadable', 0, 0),
    within('sluice_effects_waiting', 0, 5),
    within('sluice_event_loop_lag_p99_seconds', 0, 60),
    within('sluice_event_loop_lag_max_seconds', valueOf('sluice_event_loop_lag_p99_seconds') ?? NaN, 60),
    within('process_cpu_seconds_total', 0.1, 1e4),
  ];
  expect(checks).toEqual(checks.map(([name]) => [name, true]));
});

test('a swap that asks for a person is counted', async () => {
  const { record } = await lockLightningArkade(scene);
  expect(valueOf('sluice_swaps_flagged')).toBe(0);
  const { workingSet, store } = scene.node.runtime;
  const entry = workingSet.find(record.id);
  if (entry === null) throw new Error('the swap is open');
  workingSet.keep(store.swaps.update({ ...entry.row, flag: 'it waits for a person' }));
  expect(valueOf('sluice_swaps_flagged')).toBe(1);
});

test('a pause, an alert and a flag show', async () => {
  const { service, runtime } = scene.node;
  const before = service.ready();
  const severities: string[] = [];
  const stop = service.owner.onEvent((event) => void (event.type === 'alert' && severities.push(event.severity)));
  void service.owner.pause('mine');
  runtime.alert(null, 'The database cannot be written: free disk space at once.');
  runtime.alert('x', 'Something else.');
  runtime.alert(null, 'New swaps over the pegged token of evm:137 go on: 1 and 1.');
  stop();
  expect(severities).toEqual(['act', 'act', 'info']);
  expect([
    before,
    service.ready(),
    valueOf('sluice_ready'),
    valueOf('sluice_paused', { by: 'owner' }),
    valueOf('sluice_paused', { by: 'guard' }),
    valueOf('sluice_alerts_total', { alert: 'database-unwritable' }),
    valueOf('sluice_alerts_total', { alert: 'swap-flagged' }),
  ]).toEqual([true, false, 0, 1, 0, 1, 1]);
  void service.owner.resume();
  expect(service.ready()).toBe(true);
});

test('a network over which no swap is begun leaves the node not ready', () => {
  const { service, runtime } = scene.node;
  const states = () => [
    service.ready(),
    valueOf('sluice_ready'),
    valueOf('sluice_network_closed', { network: 'arkade' }),
    valueOf('sluice_network_closed', { network: 'bitcoin' }),
  ];
  expect(states()).toEqual([true, 1, 0, 0]);
  runtime.guard.close('arkade', 'The books and arkade do not agree.');
  expect(states()).toEqual([false, 0, 1, 0]);
  runtime.guard.close('arkade', null);
  expect(states()).toEqual([true, 1, 0, 0]);
});

test("the owner's resume ends distrust of the operator, and nothing whose cause still stands", async () => {
  const { service, runtime } = scene.node;
  runtime.guard.distrust('The operator signed twice.');
  const before = runtime.guard.paused()?.reason;
  runtime.guard.raise('a cause', 'It has a cause.');
  const lifted = await service.owner.resume();
  const held = await service.owner.resume();
  runtime.guard.lower('a cause');
  expect([before, lifted, held, runtime.guard.paused()]).toMatchObject([
    'The operator signed twice.',
    { paused: { by: 'guard', reason: 'It has a cause.' } },
    { refusal: 'forbidden', sentence: expect.stringContaining('It has a cause.') },
    null,
  ]);
});

test('the guard, sources that differ, RPCs that fail, acts given up and swaps unread are counted', async () => {
  const { runtime, databaseFile } = scene.node;
  const { record } = await lockLightningArkade(scene);
  const port = evmOf(runtime.ports, 'evm:137');
  const one = { own: false, failure: null };
  vi.spyOn(port, 'disagreement').mockReturnValue('One says 1, the other 2.');
  vi.spyOn(port, 'rpcs').mockReturnValue([
    { ...one, name: 'first' },
    { ...one, name: 'second', failure: 'it is silent' },
  ]);
  runtime.guard.raise('a cause', 'It has a cause.');
  const { id } = runtime.store.effects.insert(record.id, { do: 'evm.send' } as never, 1e10);
  runtime.store.effects.park(id, 'its network refused it', 1e10);
  const db = new Database(databaseFile);
  const damage = db.prepare('UPDATE swaps SET terms = ? WHERE id = ?');
  const terms = db.prepare('SELECT terms FROM swaps WHERE id = ?').pluck().get(record.id);
  damage.run('{}', record.id);
  runtime.workingSet.load(() => undefined);
  expect({
    byGuard: valueOf('sluice_paused', { by: 'guard' }),
    byOwner: valueOf('sluice_paused', { by: 'owner' }),
    disagree: valueOf('sluice_sources_disagree', { network: 'evm:137' }),
    agree: valueOf('sluice_sources_disagree', { network: 'bitcoin' }),
    away: valueOf('sluice_rpcs_away', { network: 'evm:137' }),
    rpcs: valueOf('sluice_rpcs', { network: 'evm:137' }),
    parked: valueOf('sluice_effects_parked'),
    unreadable: valueOf('sluice_swaps_unreadable'),
  }).toEqual({ byGuard: 1, byOwner: 0, disagree: 1, agree: 0, away: 1, rpcs: 2, parked: 1, unreadable: 1 });
  damage.run(terms, record.id);
  db.close();
  runtime.store.effects.done(id);
  runtime.guard.lower('a cause');
  vi.restoreAllMocks();
});

test('nothing in it says whose money it is, or where anything runs', async () => {
  const { record } = await lockLightningArkade(scene);
  const text = scene.node.service.metrics();
  const needles = [record.id, record.hash_lock.slice(2), record.bolt11_invoice, record.arkade_vhtlc_address];
  expect(needles.filter((needle) => text.includes(needle))).toEqual([]);
  // A sum of seconds may end in many digits.
  const labels = text.replace(/(?<= )\d+\.\d+$/gm, '0');
  expect(labels.match(/\b(0x)?[0-9a-f]{16,}\b|\blnbc|1[02-9ac-hj-np-z]{20,}|https?:|\d+\.\d+\.\d+\.\d+/g)).toBeNull();
});

test('a look reads none of what is over', async () => {
  const { store } = scene.node;
  for (let i = 0; i < 5_000; i++)
    store.ledger.write('old', i, 'protocol-fee', { network: 'arkade', asset: 'btc', amount: 1_000n });
  await scene.restart({ evm, bitcoinWallet: true });
  const begun = valueOf('sluice_earned_sats_total', { kind: 'protocol-fee', network: 'arkade' });
  scene.node.store.ledger.write('new', 1, 'protocol-fee', { network: 'arkade', asset: 'btc', amount: 1_500n });
  scene.node.store.ledger.write('new', 1, 'lightning-fee-paid', { network: 'lightning', asset: 'btc', amount: -250n });
  expect([
    begun,
    valueOf('sluice_earned_sats_total', { kind: 'protocol-fee', network: 'arkade' }),
    valueOf('sluice_paid_sats_total', { kind: 'lightning-fee-paid', network: 'lightning' }),
  ]).toEqual([undefined, 1.5, 0.25]);
  const coin = { network: 'evm:137', asset: `0x${'0'.repeat(40)}`, amount: -(10n ** 17n) } as const;
  scene.node.store.ledger.write('new', 1, 'network-fee-paid', coin);
  expect(valueOf('sluice_gas_paid_coins_total', { network: 'evm:137' })).toBe(0.1);
});

test('each metric of the list was told once its cause was there', () => {
  expect(Object.keys(metricFacts).filter((name) => !shown.has(name))).toEqual([]);
});

test('the document lists the same metrics', () => {
  const text = readFileSync(new URL('../../../resources/docs/operate/monitoring.md', import.meta.url), 'utf8');
  const listed = [...text.matchAll(/^\| `(\w+)` \| (gauge|counter) \| (.+?) \| (.+) \|$/gm)].map(
    ([, name, type, labels = '', help]) => ({
      name,
      type,
      labels: [...labels.matchAll(/`(\w+)`/g)].map((m) => m[1]),
      help,
    }),
  );
  expect(listed).toEqual(
    Object.entries(metricFacts).map(([name, { type, labels, help }]) => ({ name, type, labels: [...labels], help })),
  );
});
