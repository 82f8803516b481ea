import type { OwnerEvent } from '../engine/contract/owner/events.ts';
import type { Engine } from '../engine/index.ts';
import { noticeOf, readOwnSwaps, type Notice, type OwnSwap } from './own-swaps.ts';
import { readStakes, type Stakes } from './stakes.ts';

/** What the desktop shows without its window. */
export interface TrayState {
  readonly running: boolean;
  readonly stakes: Stakes | null;
  /** Own swaps that wait for their owner, and those of them that can be lost. */
  readonly needsYou: number;
  readonly inDanger: number;
}

export interface TrayMonitorParts {
  readonly engine: () => Engine | null;
  readonly show: (state: TrayState) => void;
  /** Once for what is new; the sentence of an alert is the engine's. */
  readonly notify: (notice: Notice | { readonly alert: string }) => void;
  /** Dates come near without an event. */
  readonly everyMs: number;
  /** One look for a burst of events. */
  readonly calmMs: number;
}

export interface TrayMonitor {
  /** After the engine came or went, or when the machine woke up. */
  look(): void;
  onEvent(event: OwnerEvent): void;
  stop(): void;
}

/** Follows what is open, so that tray, power blocker and notifications say it while the window is closed. */
export function openTrayMonitor(parts: TrayMonitorParts): TrayMonitor {
  let own: ReadonlyMap<string, OwnSwap> = new Map();
  let soon: NodeJS.Timeout | null = null;
  let looking = false;
  let again = false;
  const timer = setInterval(look, parts.everyMs);

  async function lookOnce(): Promise<void> {
    const engine = parts.engine();
    if (engine === null) {
      own = new Map();
      return parts.show({ running: false, stakes: null, needsYou: 0, inDanger: 0 });
    }
    const [stakes, now] = await Promise.all([readStakes(engine), readOwnSwaps(engine, own)]);
    if (parts.engine() !== engine) return;
    for (const swap of now?.values() ?? []) {
      const notice = noticeOf(own.get(swap.id), swap);
      if (notice !== null) parts.notify(notice);
    }
    own = now ?? own;
    const count = (attention: OwnSwap['attention']) =>
      [...own.values()].filter((swap) => swap.attention === attention).length;
    const inDanger = count('danger');
    parts.show({ running: true, stakes, needsYou: count('needs-you') + inDanger, inDanger });
  }

  /** One look at a time; what happens meanwhile asks for one more. */
  function look(): void {
    if (looking) {
      again = true;
      return;
    }
    looking = true;
    void lookOnce().finally(() => {
      looking = false;
      if (!again) return;
      again = false;
      look();
    });
  }

  return {
    look,
    onEvent(event) {
      if (event.type === 'alert' && event.severity === 'act' && event.count === undefined)
        parts.notify({ alert: event.sentence });
      soon ??= setTimeout(() => {
        soon = null;
        look();
      }, parts.calmMs);
    },
    stop() {
      clearInterval(timer);
      if (soon !== null) clearTimeout(soon);
    },
  };
}
