// From an empty folder to a stranger who is served: the checklist on the page of a node, whatever its networks are. A
// picture of each step is left in .cache/screens.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openClient } from '../../stories/client/client.ts';
import type { Json } from '../../stories/client/http.ts';
import { startWireNode, type WireNode } from '../../stories/wire-node.ts';
import { npmStart } from '../../support/npm-start.ts';
import { onTerminal } from '../../support/on-terminal.ts';
import { openNodePage, type NodePage } from './node-page.ts';

const shots = join(import.meta.dirname, '..', '..', '..', '.cache', 'screens');
const seedProgram = join(import.meta.dirname, '..', '..', '..', 'main', 'cli', 'seed.ts');
const passphrase = 'nobody is to know of this';

/** What an owner has, and everybody else on the same networks. */
export interface OwnersNetworks {
  /** Seconds, as in the configuration. */
  readonly timing: Readonly<Record<string, number>>;
  readonly arkadeUrl: string;
  readonly lnd: {
    readonly socket: string;
    /** PEM. */
    readonly cert: string;
    /** By the command that the page shows; hex text. */
    bake(command: string): Promise<string>;
  };
  /** By the names of the fields that are filled in. */
  readonly bitcoin: Readonly<Record<string, string>>;
  readonly evm: {
    readonly rpcs: readonly string[];
    readonly pegged: string;
    readonly htlc: string;
    readonly coordinator: string;
    /** What the page has no field for. */
    readonly others: Json;
    give(address: string, token: string, amount: bigint): Promise<unknown>;
  };
  payOnArkade(address: string, sats: number): Promise<unknown>;
  payOnBitcoin(address: string, sats: number): Promise<unknown>;
  mine(): Promise<unknown>;
  /** Begins to pay; answers its hash. */
  pay(bolt11: string): Promise<string>;
  payment(hash: string): Promise<string>;
  stop(): Promise<void>;
}

/** The tests of one walk. Its pictures begin with `pictures`. */
export function walkTheChecklist(pictures: string, start: () => Promise<OwnersNetworks>): void {
  let networks: OwnersNetworks;
  let home: string;
  let data: string;
  let passphraseFile: string;
  let words: string;
  let node: WireNode;
  let at: NodePage;
  let webhook: { readonly server: Server; readonly url: string };
  let picture = 0;

  beforeAll(async () => {
    mkdirSync(shots, { recursive: true });
    networks = await start();
    home = mkdtempSync(join(tmpdir(), 'sluice-provider-'));
    data = join(home, 'data');
    mkdirSync(data, { mode: 0o700 });
    mkdirSync(join(home, 'disk'));
    const file = (name: string, content: string): string => {
      writeFileSync(join(home, name), content, { mode: 0o600 });
      return join(home, name);
    };
    const { timing } = networks;
    passphraseFile = file('passphrase', passphrase);
    words = join(home, 'words');
    const made = ['new', '--data-dir', data, '--to', words, '--passphrase-file', passphraseFile];
    execFileSync(process.execPath, [seedProgram, ...made], { stdio: ['ignore', 'ignore', 'inherit'] });
    node = await startWireNode({
      program: npmStart.arguments,
      environment: npmStart.environment,
      folder: data,
      mode: ['--config', file('sluice.json', JSON.stringify({ network: 'regtest', timing }))],
      args: ['--passphrase-file', passphraseFile],
    });
    const server = createServer((request, reply) => request.resume().on('end', () => reply.writeHead(200).end()));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    webhook = { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/alerts` };
    at = await openNodePage(node.url, node.token);
    await at.goTo('provide');
    await at.page.getByRole('heading', { level: 1, name: 'Provide swaps to others' }).waitFor();
  }, 300_000);
  afterAll(async () => {
    await at?.close();
    await node?.stop();
    await networks?.stop();
    webhook?.server.close();
    rmSync(home, { recursive: true, force: true });
  }, 60_000);

  const button = (name: string | RegExp) => at.page.getByRole('button', { name, exact: true });
  const field = (name: string) => at.page.getByRole('textbox', { name, exact: true });
  const line = (title: string) =>
    at.page.locator('.probe', {
      has: at.page.getByRole('heading', { name: new RegExp(`^${title} (Done|To do|Not working)$`) }),
    });
  const pairs = async () => ((await node.get('/swap-pairs'))['pairs'] as readonly Json[]).length;

  /** Waits until the page says so of a step, and leaves a picture of it. */
  async function shows(title: string, state: 'Done' | 'To do' | 'Not working'): Promise<void> {
    const sign = line(title).getByRole('heading', { name: state });
    await expect
      .poll(
        async () => {
          if ((await sign.count()) > 0) return true;
          await button('Look again').click();
          return false;
        },
        { timeout: 60_000, interval: 1_000 },
      )
      .toBe(true);
    await line(title).scrollIntoViewIfNeeded();
    await shoot(title);
  }

  async function shoot(title: string): Promise<void> {
    picture += 1;
    const name = `${String(picture).padStart(2, '0')}-${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`;
    await at.page.screenshot({ path: join(shots, `${pictures}--${name}.png`) });
  }

  async function connect(name: string, fill: () => Promise<void>): Promise<void> {
    await button(`Set up ${name}`).click();
    await fill();
    await button(`Test ${name}, without saving it`).click();
    await at.page.getByText('It works. Nothing is saved yet.').waitFor();
    await shoot(`${name} tested`);
    await button(`Save: ${name}`).click();
    await shows(name, 'Done');
  }

  /** As lndconnect makes it, of the macaroon that the page asks for. */
  async function link(): Promise<string> {
    const { socket, cert, bake } = networks.lnd;
    const command = await line('Lightning: LND')
      .getByText(/^lncli bakemacaroon /)
      .textContent();
    const bytes = [
      Buffer.from(cert.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64'),
      Buffer.from(await bake(command ?? ''), 'hex'),
    ].map((part) => part.toString('base64url'));
    return `lndconnect://${socket}?cert=${bytes[0]}&macaroon=${bytes[1]}`;
  }

  test('an empty folder: the seed waits for its owner, and nothing is offered', async () => {
    await shows('Words and passphrase', 'To do');
    await line('Words and passphrase')
      .getByText(/^npm run seed -- verify --data-dir /)
      .waitFor();
    await line('Lightning: LND')
      .getByText(/^lncli bakemacaroon --save_to sluice\.macaroon uri:/)
      .waitFor();
    expect([await button('Go live').getAttribute('aria-disabled'), await pairs()]).toEqual(['true', 0]);
    const paper = readFileSync(words, 'utf8').trim();
    const verify = [seedProgram, 'verify', '--data-dir', data, '--passphrase-file', passphraseFile];
    expect((await onTerminal(verify, [['The words on your paper: ', paper]])).code).toBe(0);
    await shows('Words and passphrase', 'Done');
  }, 90_000);

  test('the rescue bundle gets a second place', async () => {
    await button('Set up Second place for the rescue bundle').click();
    await field('File of the copy').fill(join(home, 'disk', 'rescue.bundle'));
    await button('Save: Second place for the rescue bundle').click();
    await shows('Second place for the rescue bundle', 'Done');
  }, 90_000);

  test('what does not work is named and cannot be saved; each network is tested, then saved', async () => {
    await button('Set up Arkade operator').click();
    await field('Address of the operator').fill('http://127.0.0.1:1');
    await button('Test Arkade operator, without saving it').click();
    await at.page.getByText('It does not work yet, and nothing is saved.').waitFor();
    expect(await button('Save: Arkade operator').getAttribute('aria-disabled')).toBe('true');
    await shoot('Arkade operator refused');
    await field('Address of the operator').fill(networks.arkadeUrl);
    await button('Test Arkade operator, without saving it').click();
    await at.page.getByText('It works. Nothing is saved yet.').waitFor();
    await button('Save: Arkade operator').click();
    await shows('Arkade operator', 'Done');
    await connect('Bitcoin', async () => {
      for (const [name, text] of Object.entries(networks.bitcoin)) await field(name).fill(text);
    });
    const credentials = await link();
    await connect('Lightning: LND', () => field('lndconnect link').fill(credentials));
  }, 180_000);

  test('an EVM chain is connected by its RPCs, and its contracts are looked at', async () => {
    const { rpcs, pegged, htlc, coordinator, others } = networks.evm;
    await button('Set up An EVM chain').click();
    await field('Endpoints').fill(rpcs.join('\n'));
    await field('Token that swaps lock').fill(pegged);
    await field('HTLC contract').fill(htlc);
    await field('Coordinator contract').fill(coordinator);
    await button('Test An EVM chain, without saving it').click();
    await at.page.getByText('It works. Nothing is saved yet.').waitFor();
    await shoot('an EVM chain tested');
    await button('Save: An EVM chain').click();
    // Its usual tokens and exchange are not on this chain: what the page has no field for is set by a script.
    await shows('Polygon', 'Not working');
    await node.owner('PATCH', '/owner/settings', { evm: { '137': others } });
    await shows('Polygon', 'Done');
    await shows('Contracts on Polygon', 'Done');
  }, 120_000);

  test('money is put in at the address that is shown', async () => {
    await shows('Liquidity on Arkade', 'To do');
    await button('Show the address on Arkade').click();
    await at.page.getByTestId('qr').waitFor();
    await shoot('the address on Arkade');
    await button('Done').click();
    const { address: arkade } = await node.owner('POST', '/owner/wallets/arkade/address', {});
    for (let coin = 0; coin < 4; coin++) await networks.payOnArkade(String(arkade), 1_000_000);
    const { address: bitcoin } = await node.owner('POST', '/owner/wallets/bitcoin/address', {});
    for (let coin = 0; coin < 4; coin++) await networks.payOnBitcoin(String(bitcoin), 1_000_000);
    await networks.mine();
    const { address } = await node.owner('POST', '/owner/wallets/evm:137/address', {});
    await networks.evm.give(String(address), `0x${'00'.repeat(20)}`, 5n * 10n ** 18n);
    await networks.evm.give(String(address), networks.evm.pegged, 10n ** 8n);
    await shows('Liquidity on Polygon', 'Done');
    await shows('Liquidity on Arkade', 'Done');
    await shows('Liquidity on Bitcoin', 'Done');
  }, 120_000);

  test('prices are looked over, and a test of the alerts arrives', async () => {
    await button('Keep these').click();
    await shows('Prices and limits', 'Done');
    await button('Set up Alerts').click();
    await field('Address that is called').fill(webhook.url);
    await button('Save: Alerts').click();
    await line('Alerts').getByText('Saved, and in force from now on.').waitFor();
    await button('Send a test').click();
    await at.page.getByText('The address: delivered.').waitFor();
    await shows('Alerts', 'Done');
  }, 120_000);

  test('a pair is rehearsed with the node itself, paid for by its own wallet', async () => {
    await button('Rehearse Bitcoin to Arkade').click();
    await at.page.getByRole('heading', { level: 1 }).first().waitFor();
    await expect
      .poll(
        async () => {
          await networks.mine();
          const { swaps } = await node.owner('GET', '/owner/taker/swaps');
          return (swaps as readonly Json[])[0]?.['outcome'];
        },
        { timeout: 90_000, interval: 2_000 },
      )
      .toBe('finished');
    await shoot('the rehearsal');
    expect(await pairs()).toBe(0);
    await at.goTo('provide');
    await at.page.getByRole('heading', { name: 'Rehearsals', exact: true }).waitFor();
    await shows('Bitcoin to Arkade', 'Done');
  }, 180_000);

  test('it goes live, and a stranger is served', async () => {
    await button('Go live').click();
    await at.page.getByRole('switch', { name: 'Take new swaps' }).waitFor();
    await shoot('live');
    await expect.poll(pairs).toBeGreaterThan(0);
    const stranger = await openClient(node.url, networks.arkadeUrl);
    const swap = await stranger.lightningToArkade({ source: 50_000 });
    const hash = await networks.pay(swap.bolt11);
    await node.until(swap, 'serverfunded', 60_000);
    await stranger.claim(swap);
    await node.until(swap, 'serverredeemed', 60_000);
    // Its payer hears of it a moment later.
    await expect.poll(() => networks.payment(hash), { timeout: 60_000 }).toBe('settled');
    await at.goTo('board/all');
    await at.page.getByText('Lightning to Arkade').first().waitFor();
    await shoot('the stranger is served');
    // A node on an owner's networks has no controls of a sandbox: the page asks once.
    expect(at.complaints.filter((text) => !text.includes('404 (Not Found)'))).toEqual([]);
  }, 120_000);
}
