import { isRefusal } from '../engine/domain/errors.ts';
import { mineByItself } from './auto-mine.ts';
import { keepCompiled } from './compile-cache.ts';
import { readFlags } from './flags.ts';
import { answerHostHelp } from './host-help.ts';
import { startHost } from './host.ts';
import { osKeychain } from './keychain.ts';
import { stderrLog } from './log.ts';
import { places } from './places.ts';
import { hideDeprecations } from './quiet.ts';
import { spawnWithNode } from './sandbox-process.ts';
import { tellSupervisor } from './supervisor.ts';
import { sayReady } from './way-in.ts';

/** The node without a window: one ready line on standard output, the log on standard error. */
async function headless(): Promise<number> {
  const log = stderrLog();
  hideDeprecations();
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'the node stops: an error that nothing expected');
    process.exit(1);
  });
  const stopSignal = toldToStop();
  const flags = readFlags(process.argv.slice(2));
  if (isRefusal(flags)) return refused(flags.sentence);
  const { sandboxEntry, page } = places();
  const host = await startHost(flags, {
    environment: process.env,
    platform: process.platform,
    log,
    keychain: osKeychain(),
    spawnSandbox: spawnWithNode(sandboxEntry),
    page,
    startEngine: async () => (await import('../engine/index.ts')).startEngine,
  });
  if (isRefusal(host)) return refused(host.sentence);
  if (page === null)
    log.warn(
      {},
      'no page is served, for none was built here: "npm run build" makes it, with the packages that "npm ci --omit=dev" ' +
        'leaves out, and a release has it',
    );
  if (host.sandbox && flags.mine) await mineByItself(host.engine);
  sayReady(host.ready, process.stdout, process.stderr);
  const telling = {
    environment: process.env,
    onFailure: (reason: string) => log.error({ reason }, 'systemd could not be told of the state of the node'),
  };
  await tellSupervisor('READY=1', telling);
  const reason = await stopSignal;
  log.info({ reason }, 'stopping');
  await tellSupervisor('STOPPING=1', telling);
  await host.stop();
  log.info({}, 'stopped');
  return 0;

  function refused(sentence: string): number {
    log.fatal({}, sentence);
    return 1;
  }
}

/** One press of Ctrl-C can arrive twice, from the terminal and from a parent that passes it on. */
const samePressMs = 1_000;

/** The first signal stops cleanly, whenever it comes; a second one does not wait. */
function toldToStop(): Promise<string> {
  return new Promise((resolve) => {
    let firstPressAt: number | null = null;
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.on(signal, () => {
        if (firstPressAt !== null && performance.now() - firstPressAt > samePressMs) process.exit(130);
        firstPressAt ??= performance.now();
        resolve(signal);
      });
  });
}

answerHostHelp('npm run headless', 'Starts the node without a window, with a line of JSON once it is ready.');
keepCompiled();
process.exit(await headless());
