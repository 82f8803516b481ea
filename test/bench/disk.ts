import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { aims } from './aims.ts';
import { connections, type Bench } from './bench-node.ts';
import { withNode, type Setting } from './setting.ts';
import { createLightning, invoices, pooled, range, reached, twoLives } from './swaps.ts';

/** Until what follows a swap is written as well. */
const afterMs = 3_000;
const lives = { one: 10, many: 32 } as const;
/** One channel of a Lightning node takes 483 payments at once: the rest is for the lives that are measured. */
const opens = [1, 100, 400];

/** B12: what the node writes, and how often it waits for the disk, per swap from its create to its end. */
export async function disk(setting: Setting): Promise<void> {
  const { folder, print } = setting;
  if (spawnSync('strace', ['-V']).error !== undefined) return print('B12', { skipped: 'strace is not installed' });
  for (const open of opens)
    await withNode(setting, async (bench) => {
      await pooled(range(open), connections, () => heldOpen(bench));
      await pause(afterMs);
      for (const atOnce of [1, connections]) {
        const count = atOnce === 1 ? lives.one : lives.many;
        const given = await invoices(bench, count);
        const written = await traced(bench, join(folder, 'disk'), async () => {
          await pooled(given, atOnce, (invoice) => twoLives(bench, invoice));
          await pause(afterMs);
        });
        print('B12', { open, atOnce, ...perSwap(written, 2 * count), aim: aims.disk });
      }
    });
}

/** One that has our VHTLC out, and that its client leaves. */
async function heldOpen(bench: Bench): Promise<void> {
  const { record } = await createLightning(bench);
  await bench.wallet.controls.lightningPay(record.bolt11_invoice);
  await reached(bench, record.id, 'serverfunded', 120_000);
}

interface Written {
  bytes: number;
  writes: number;
  syncs: number;
}

/** Where another thread comes in between, a call takes two lines: what it is, and what it came to. */
const begun = /^(\d+) +(\w+)\(\d+<([^>]*)>/;
const ended = /^(\d+) .* = (\d+)$/;

/** What the node does to files meanwhile, by their names, as `strace` sees it. */
async function traced(bench: Bench, file: string, act: () => Promise<void>): Promise<Map<string, Written>> {
  const pid = String(bench.node().process.pid);
  const traces = 'trace=write,pwrite64,writev,pwritev,fsync,fdatasync';
  const tracer = spawn('strace', ['-f', '-y', '-s', '1', '-e', traces, '-o', file, '-p', pid], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await once(tracer.stderr, 'data');
  await act();
  tracer.kill('SIGINT');
  await once(tracer, 'exit');
  const files = new Map<string, Written>();
  const under = new Map<string, { readonly call: string; readonly path: string }>();
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const [, thread = '', begins, at = ''] = begun.exec(line) ?? [];
    if (begins !== undefined) under.set(thread, { call: begins, path: at });
    const [, ending = '', answer = ''] = ended.exec(line) ?? [];
    const { call, path } = under.get(ending) ?? { call: '', path: '' };
    if (!path.startsWith('/') || path.startsWith('/dev/')) continue;
    under.delete(ending);
    const name = nameOf(path);
    const sum = files.get(name) ?? { bytes: 0, writes: 0, syncs: 0 };
    files.set(name, sum);
    if (call.endsWith('sync')) sum.syncs += 1;
    else {
      sum.bytes += Number(answer);
      sum.writes += 1;
    }
  }
  rmSync(file);
  return files;
}

/** The folder itself is synced where a file in it is replaced. */
function nameOf(path: string): string {
  return basename(path)
    .replace(/^bench-.*/, 'folder')
    .replace(/^#.*/, 'temporary')
    .replace(/^[0-9a-f]{32}\.mark/, 'mark');
}

function perSwap(files: ReadonlyMap<string, Written>, swaps: number): object {
  const each = (of: number) => Math.round((of * 10) / swaps) / 10;
  const shown = ({ bytes, writes, syncs }: Written) => ({
    kilobytes: each(bytes / 1_000),
    writes: each(writes),
    syncs: each(syncs),
  });
  const all: Written = { bytes: 0, writes: 0, syncs: 0 };
  for (const { bytes, writes, syncs } of files.values()) {
    all.bytes += bytes;
    all.writes += writes;
    all.syncs += syncs;
  }
  return { ...shown(all), files: Object.fromEntries([...files].map(([name, sum]) => [name, shown(sum)])) };
}
