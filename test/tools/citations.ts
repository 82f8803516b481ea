// Every citation in the code and the documents can be followed in this repository: a fact of engine/facts by its
// number, a decision by its heading. Fails on any other, and on the names of documents that are not here.
import { readdirSync, readFileSync } from 'node:fs';
import { factNumbers, wrongCitations, type Citable } from './citation-rules.ts';

const top = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, top), 'utf8');

function filesUnder(room: string): string[] {
  return readdirSync(new URL(room, top), { recursive: true, encoding: 'utf8' })
    .map((file) => `${room}/${file.replaceAll('\\', '/')}`)
    .filter((file) => /\.(tsx?|js|json|md)$/.test(file));
}

const files = [
  ...readdirSync(top).filter((file) => file.endsWith('.md')),
  ...['engine', 'main', 'preload', 'renderer', 'resources', 'test'].flatMap(filesUnder),
]
  .filter((file) => !/^test\/vectors\/.*\.json$|^test\/tools\/citation-rules\./.test(file))
  .sort();
const factFiles = files.filter((file) => file.startsWith('engine/facts/'));

const citable: Citable = {
  facts: new Map(factFiles.map((file) => [file.slice('engine/facts/'.length, -'.md'.length), factNumbers(read(file))])),
  decisions: [...read('engine/DECISIONS.md').matchAll(/^### (.+)$/gm)].map((match) => match[1] ?? ''),
};

const wrong = files.flatMap((file) =>
  wrongCitations(read(file), citable).map(({ line, sentence }) => `${file}:${line}: ${sentence}`),
);
if (factFiles.length === 0) wrong.push('engine/facts holds no facts: nothing could be cited');
for (const line of wrong) console.error(line);
if (wrong.length > 0) process.exitCode = 1;
else
  console.log(
    `${files.length} files cite ${factFiles.length} files of facts and ${citable.decisions.length} decisions`,
  );
