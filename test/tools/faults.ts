// The table of the faults that the node must survive, each with its test. A test belongs to a fault when its name
// begins with `fault 22: `. Fails when a fault that the networks built so far can meet has none. A network that is
// `named` wants a test of its own for each: `fault 22, evm: `.
import { readFileSync, readdirSync } from 'node:fs';
import { z } from 'zod';
import { faultNames } from './fault-names.ts';

const top = new URL('../../', import.meta.url);

const network = z.enum(['arkade', 'lightning', 'clock', 'store', 'api', 'config', 'bitcoin', 'evm', 'desktop']);
const catalogue = z.strictObject({
  networks: z.strictObject({ built: z.array(network), named: z.array(network), later: z.array(network) }),
  faults: z
    .array(z.strictObject({ number: z.int().positive(), title: z.string(), meets: z.array(network).min(1) }))
    .min(44),
});

const { networks, faults } = catalogue.parse(JSON.parse(readFileSync(new URL('test/faults/faults.json', top), 'utf8')));

interface TestName {
  readonly file: string;
  readonly network: string | null;
}

function testsByFault(): Map<number, TestName[]> {
  const tests = new Map<number, TestName[]>();
  const files = readdirSync(new URL('test', top), { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.test\.tsx?$/.test(file) && file !== 'tools/fault-names.test.ts',
  );
  for (const file of files.sort())
    for (const { number, network } of faultNames(readFileSync(new URL(`test/${file}`, top), 'utf8')))
      tests.set(number, [...(tests.get(number) ?? []), { file, network }]);
  return tests;
}

const tests = testsByFault();
const missing: string[] = [];
for (const { number, title, meets } of faults) {
  const all = tests.get(number) ?? [];
  const now = meets.some((name) => networks.built.includes(name));
  const lacks = meets.filter((name) => networks.named.includes(name) && !all.some((one) => one.network === name));
  if (now && all.length === 0) missing.push(`${number}`);
  missing.push(...lacks.map((name) => `${number}, ${name}`));
  const files = [...new Set(all.map(({ file }) => file))];
  const where = files.length > 0 ? files.join(', ') : now ? 'MISSING' : `with ${meets.join(', ')}`;
  console.log(
    `${String(number).padStart(2)}  ${title.padEnd(86)}  ` +
      `${[where, ...lacks.map((name) => `MISSING for ${name}`)].join(', ')}`,
  );
}
const unlisted = [...tests.keys()].filter((number) => !faults.some((fault) => fault.number === number));
for (const number of unlisted) console.error(`a test names fault ${number}, which is not in test/faults/faults.json`);
const due = faults.filter((fault) => fault.meets.some((name) => networks.built.includes(name))).length;
console.log(
  `${due} faults can be met by what is ` +
    `built${missing.length > 0 ? `, and these have no test: ${missing.join('; ')}` : ', each with its tests'}`,
);
if (unlisted.length > 0 || missing.length > 0) process.exitCode = 1;
