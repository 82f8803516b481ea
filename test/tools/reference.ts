// Writes resources/docs/reference from the code: every setting, command and status. With --check it only compares.
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { format } from 'prettier';
import { swapStatuses, type SwapStatus } from '../../engine/domain/status.ts';
import { readIfThere } from '../../main/folder.ts';
import { settingRows, type SchemaNode } from './setting-rows.ts';

const top = fileURLToPath(new URL('../..', import.meta.url));
const folder = `${top}/resources/docs/reference`;
const note = '<!-- Written by `npm run generate`: change the code instead. -->';

function read(path: string): string {
  return readFileSync(`${top}/${path}`, 'utf8');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/* Configuration. */

function configuration(): string {
  const schema = JSON.parse(read('resources/config.schema.json')) as SchemaNode;
  const rows = settingRows(schema);
  const groups = Map.groupBy(rows, ({ name }) => (name.includes('.') ? (name.split('.')[0] ?? '') : 'node'));
  const chapters = [...groups].map(([group, settings]) =>
    [
      `## ${group}`,
      table(
        ['Setting', 'Takes', 'Default', 'Means'],
        settings.map(({ name, takes, standard, means }) => [
          `\`${name}\``,
          takes,
          standard === null ? '–' : `\`${standard}\``,
          means === '' ? '–' : means.replaceAll('<', '\\<'),
        ]),
      ),
    ].join('\n\n'),
  );
  return [
    '# Configuration',
    note,
    'A JSON file, named by `--config`. [config.schema.json](../../config.schema.json) describes it for editors. An unknown name is refused with the nearest known one.',
    'Flags win over the environment, then the file, then what was stored through `PATCH /owner/settings` or the page. In the environment a double underscore is a level: ' +
      '`SLUICE_TERMS__FEE_BPS=30` sets `terms.feeBps`, and a list is one variable (JSON or with commas) or one for each place (`SLUICE_BITCOIN__ESPLORA__0`).',
    'Files and variables name a credential by its file and never hold it: `macaroonFile`, `userFile`, `passwordFile` and the files of tokens need mode 0600. `PATCH /owner/settings` also takes the bytes ' +
      '(`lnd.cert`, `lnd.macaroon`, `bitcoin.core.user`, `bitcoin.core.password`); they are kept in `settings.json` of the data folder, sealed under the key of the seed, and shown as `true`.',
    '`PATCH /owner/settings` changes settings while the node runs: it takes a part of the configuration and answers the whole, and null takes a setting back. Networks connect, change and leave without a restart. ' +
      'What a flag, a variable or the file says is changed there.',
    'The default data folder is `sluice/<network>` in the data directory of the platform: `$XDG_DATA_HOME`, else `~/.local/share` on Linux; `~/Library/Application Support` on macOS; `%LOCALAPPDATA%` on Windows. ' +
      'For mainnet on Linux that is `~/.local/share/sluice/mainnet`, for the sandbox `~/.local/share/sluice/sandbox`. A default of – means none, or one that depends on the chain.',
    ...chapters,
  ].join('\n\n');
}

/* Commands. */

/** A script of the manifest that is a program of ours, and takes `--help`. */
const ours = /^node (?:--[\w=-]+ )*((?:main|test)\/[\w/-]+\.ts)$/;

async function helpOf(file: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [file, '--help'], { cwd: top });
  return stdout.trim();
}

async function commands(): Promise<string> {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Readonly<Record<string, string>> };
  const named = Object.entries(scripts).map(([name, line]) => ({ name, line, file: ours.exec(line)?.[1] }));
  const programs = named.flatMap(({ name, file }) => (file === undefined ? [] : [{ name, file }]));
  const chapters: string[] = [];
  for (const { name, file } of programs)
    chapters.push(`## npm run ${name}`, `\`\`\`text\n${await helpOf(file)}\n\`\`\``);
  return [
    '# Commands',
    note,
    'Each prints this with `--help` and does nothing else then. `npm start` is short for `npm run start`.',
    ...chapters,
    '## Others',
    table(
      ['Command', 'Runs'],
      named.filter(({ file }) => file === undefined).map(({ name, line }) => [`\`npm run ${name}\``, `\`${line}\``]),
    ),
  ].join('\n\n');
}

/* Statuses. */

const means: Readonly<Record<SwapStatus, string>> = {
  pending: 'The swap waits for the money of the client.',
  clientfundingseen: 'The funding of the client is seen and needs more confirmations.',
  clientfunded: 'The client has funded: its coin or lock counts, or its payment is held.',
  clientrefunded: 'The client has its own back. Nothing was given for it.',
  serverfunded: 'The provider has locked its side, or begun its payment.',
  clientredeeming: 'The claim of the client is on its way.',
  clientredeemed: 'The client has claimed, or was paid. The provider takes its side.',
  serverredeemed: 'Both sides happened: the swap is done.',
  clientfundedserverrefunded: 'Nobody claimed: the provider took its side back, and the client gets its own back.',
  clientrefundedserverfunded:
    'The client has its own back while the lock of the provider is open. No direction shows it.',
  clientrefundedserverrefunded: 'Both sides have their own back.',
  expired: 'Nobody funded in time.',
  clientinvalidfunded: 'What the client sent cannot be taken: it gets it back.',
  clientfundedtoolate: 'The funding came too late: the client gets it back.',
  serverwontfund: 'The provider did not lock or could not pay: the client gets its own back.',
  clientredeemedandclientrefunded: 'The client has both sides: the provider came too late.',
};

/** Which directions show a status, by the table that the machines themselves wrote. */
function shownBy(): ReadonlyMap<string, readonly string[]> {
  const rows = read('engine/swap/diagrams.md')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  const [head = [], ...rest] = rows;
  return new Map(
    rest.map(([status = '', ...cells]) => [
      status,
      cells.flatMap((cell, at) => (cell === '–' ? [] : [head[at + 1] ?? ''])),
    ]),
  );
}

function statuses(): string {
  const shown = shownBy();
  const all = Math.max(...[...shown.values()].map(({ length }) => length));
  const rows = swapStatuses.map((status) => {
    const directions = shown.get(status) ?? [];
    const by = directions.length === 0 ? '–' : directions.length === all ? 'all' : directions.join(', ');
    return [`\`${status}\``, means[status], by];
  });
  return [
    '# Statuses of a swap',
    note,
    'The names are those of the published interface. What a wallet does at each is in [the guide](../wallets/guide.md#statuses); which states of a machine show one is in [diagrams.md](../../../engine/swap/diagrams.md).',
    table(['Status', 'Means', 'Shown by'], rows),
  ].join('\n\n');
}

const written = { 'configuration.md': configuration(), 'commands.md': await commands(), 'statuses.md': statuses() };
mkdirSync(folder, { recursive: true });
for (const [name, text] of Object.entries(written)) {
  const path = `${folder}/${name}`;
  const whole = await format(text, { parser: 'markdown', printWidth: 120, singleQuote: true });
  if (!process.argv.includes('--check')) writeFileSync(path, whole);
  else if (readIfThere(path) !== whole) {
    console.error(`resources/docs/reference/${name} is not what the code says: run npm run generate.`);
    process.exitCode = 1;
  }
}
