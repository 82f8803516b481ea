import { execFile } from 'node:child_process';

/** What systemd is told of a service of `Type=notify` (sd_notify(3)). */
type State = 'READY=1' | 'STOPPING=1';

interface Telling {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly onFailure: (reason: string) => void;
}

const patience = 5_000;

/**
 * Tells systemd where it asked to be told, by its own program: Node has no datagram sockets in the file system. Done
 * once it was told, or failed; the node goes on either way.
 */
export function tellSupervisor(state: State, { environment, onFailure }: Telling): Promise<void> {
  const { NOTIFY_SOCKET: socket, PATH: path } = environment;
  if (socket === undefined || socket === '') return Promise.resolve();
  return new Promise((resolve) => {
    const env = { NOTIFY_SOCKET: socket, ...(path === undefined ? {} : { PATH: path }) };
    // What is ready is told by a process that systemd still finds; a stop waits for nobody.
    const args = state === 'READY=1' ? [state] : ['--no-block', state];
    execFile('systemd-notify', args, { env, timeout: patience }, (error) => {
      if (error !== null)
        onFailure(
          (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'there is no systemd-notify here' : error.message,
        );
      resolve();
    });
  });
}
