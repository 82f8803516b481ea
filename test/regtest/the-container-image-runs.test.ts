// The image, built and run by podman or docker as they are set up here: BUILDAH_ISOLATION and CONTAINERS_CONF reach
// podman.
import { randomBytes } from 'node:crypto';
import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../stories/wire-node.ts';
import {
  buildImage,
  type Container,
  findBuilder,
  openContainer,
  removeVolumes,
  runOnce,
} from './kit/container-image.ts';

/** A demo of every direction takes two minutes on a machine with much to do. */
const demoMs = 600_000;
const buildMs = 1_800_000;
const secret = '/run/secrets/sluice_passphrase';

const builder = findBuilder();
if ('absent' in builder) {
  console.warn(`SKIPPED: the container image was not built: ${builder.absent}.`);
  describe.skip(`the container image (not run: ${builder.absent})`, stories);
} else describe(`the container image (by ${builder.name})`, stories);

function stories(): void {
  if ('absent' in builder) return;
  const folder = mkdtempSync(join(tmpdir(), 'sluice-image-'));
  const volumes = ['data', 'state'].map((name) => `sluice-test-${randomBytes(4).toString('hex')}-${name}`);
  let box: Container | null = null;

  beforeAll(() => buildImage(builder), buildMs);
  afterEach(() => {
    box?.end();
    box = null;
  });
  afterAll(() => {
    removeVolumes(builder, volumes);
    rmSync(folder, { recursive: true, force: true });
  });

  async function live(container: Container): Promise<Container> {
    box = container;
    await eventually(
      async () => answer(container, '/health/live'),
      (reply) => reply === '{"live":true}',
      120_000,
    );
    return container;
  }

  test('makes every swap of the demo as user 1000, on a root that is never written', { timeout: demoMs }, async () => {
    const args = ['--sandbox', '--mine', '--data-dir', '/data'];
    const { node, shell } = await live(openContainer(builder, { args }));
    expect([shell('id -u'), shell('touch /opt/sluice/x 2>/dev/null || echo refused')]).toEqual(['1000', 'refused']);
    expect(node('/opt/sluice/out/main/demo.js', '--data-dir', '/data')).toMatch(/All \d+ ended as they should/);
  });

  test('opens its seed with the passphrase of a secret, is healthy, and ends when it is told to', async () => {
    const [config, passphrase] = [join(folder, 'config'), join(folder, 'passphrase')];
    mkdirSync(config);
    writeFileSync(join(config, 'sluice.json'), '{ "network": "signet" }', { mode: 0o600 });
    writeFileSync(passphrase, randomBytes(16).toString('hex'), { mode: 0o400 });
    if (process.getuid?.() === 0)
      for (const one of [config, join(config, 'sluice.json'), passphrase]) chownSync(one, 1_000, 1_000);
    const [data = '', state = ''] = volumes;
    const mounts = [`${data}:/data`, `${state}:/state`, `${config}:/config:ro`, `${passphrase}:${secret}:ro`];
    const flags = mounts.map((mount) => `--volume=${mount}`);
    const seed = ['/opt/sluice/out/main/seed.js', 'new', '--data-dir', '/data', '--to', '/state/words'];
    expect(runOnce(builder, { flags, args: [...seed, '--passphrase-file', secret] })).toContain('/data/seed.sealed');
    const container = await live(openContainer(builder, { flags }));
    expect([container.health(), answer(container, '/').includes('<script')]).toEqual([0, true]);
    const { code, ms } = container.stop();
    expect([code, ms < 10_000]).toEqual([0, true]);
  });
}

/** What the node inside answers; nothing while it does not. */
function answer({ node }: Container, path: string): string {
  const url = JSON.stringify(`http://127.0.0.1:7733${path}`);
  return node('-e', `fetch(${url}).then(async (reply) => console.log(await reply.text()), () => {})`);
}
