import type { Sha256 } from '../domain/hash.ts';
import { fromHex, toHex } from '../domain/hex.ts';
import { asSha256 } from '../domain/hash.ts';
import type { LightningPort, LightningSubscription } from '../legs/lightning/port.ts';
import type { ArkadePort, ArkadeSubscription } from '../legs/arkade/port.ts';
import type { Follower } from './link.ts';

/**
 * Subscriptions that outlive connections. A new connection is given everything that is followed and then counts as a
 * gap: whatever happened in between is looked up.
 */

export function followArkade(handlers: Parameters<ArkadePort['watch']>[0]): Follower<ArkadePort> & ArkadeSubscription {
  const followed = new Set<string>();
  const streams = exchangeable<ArkadePort, ArkadeSubscription>({
    open: (port) => port.watch(handlers),
    fill: (watch) => watch.add([...followed].map(fromHex)),
    onGap: handlers.onGap,
    isEmpty: () => followed.size === 0,
  });
  return {
    attach: streams.attach,
    stop: streams.stop,
    add(scripts) {
      for (const script of scripts) followed.add(toHex(script));
      streams.current()?.add(scripts);
    },
    remove(scripts) {
      for (const script of scripts) followed.delete(toHex(script));
      streams.current()?.remove(scripts);
    },
  };
}

export function followLightning(
  handlers: Parameters<LightningPort['watch']>[0],
): Follower<LightningPort> & LightningSubscription {
  const holds = new Set<string>();
  const payments = new Set<string>();
  const hashOf = (text: string): Sha256 => asSha256(fromHex(text));
  const streams = exchangeable<LightningPort, LightningSubscription>({
    open: (port) => port.watch(handlers),
    fill(watch) {
      for (const hash of holds) watch.addHold(hashOf(hash));
      for (const hash of payments) watch.addPayment(hashOf(hash));
    },
    onGap: handlers.onGap,
    isEmpty: () => holds.size + payments.size === 0,
  });
  return {
    attach: streams.attach,
    stop: streams.stop,
    addHold(hash) {
      holds.add(toHex(hash));
      streams.current()?.addHold(hash);
    },
    removeHold(hash) {
      holds.delete(toHex(hash));
      streams.current()?.removeHold(hash);
    },
    followsHold: (hash) => streams.current()?.followsHold(hash) ?? false,
    addPayment(hash) {
      payments.add(toHex(hash));
      streams.current()?.addPayment(hash);
    },
    removePayment(hash) {
      payments.delete(toHex(hash));
      streams.current()?.removePayment(hash);
    },
  };
}

interface Watching {
  stop(): Promise<void>;
}

function exchangeable<P, W extends Watching>(on: {
  open(port: P): W;
  fill(watch: W): void;
  onGap(): void;
  isEmpty(): boolean;
}) {
  let watch: W | null = null;
  const stopping = new Set<Promise<void>>();

  function leave(): void {
    if (watch === null) return;
    const leaving = watch.stop().finally(() => stopping.delete(leaving));
    stopping.add(leaving);
    watch = null;
  }

  return {
    current: () => watch,
    attach(port: P | null): void {
      leave();
      if (port === null) return;
      watch = on.open(port);
      if (on.isEmpty()) return;
      on.fill(watch);
      on.onGap();
    },
    async stop(): Promise<void> {
      leave();
      await Promise.all(stopping);
    },
  };
}
