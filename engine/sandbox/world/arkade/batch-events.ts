import { randomUUID } from 'node:crypto';
import { OperatorError } from './errors.ts';

/** The lines of the batch stream, one key each, exactly as arkd prints them. */
export type BatchEvent =
  | { readonly streamStarted: { readonly id: string } }
  | {
      readonly batchStarted: {
        readonly id: string;
        readonly intentIdHashes: readonly string[];
        readonly batchExpiry: string;
      };
    }
  | { readonly treeTx: TreeTx }
  | {
      readonly treeSigningStarted: {
        readonly id: string;
        readonly cosignersPubkeys: readonly string[];
        readonly unsignedCommitmentTx: string;
      };
    }
  | {
      readonly treeNonces: {
        readonly id: string;
        readonly topic: readonly string[];
        readonly txid: string;
        readonly nonces: Readonly<Record<string, string>>;
      };
    }
  | { readonly treeNoncesAggregated: { readonly id: string; readonly treeNonces: Readonly<Record<string, string>> } }
  | {
      readonly treeSignature: {
        readonly id: string;
        readonly topic: readonly string[];
        readonly batchIndex: number;
        readonly txid: string;
        readonly signature: string;
      };
    }
  | { readonly batchFinalization: { readonly id: string; readonly commitmentTx: string } }
  | { readonly batchFinalized: { readonly id: string; readonly commitmentTxid: string } }
  | { readonly batchFailed: { readonly id: string; readonly reason: string } };

export interface TreeTx {
  readonly id: string;
  readonly topic: readonly string[];
  /** 0 the tree of coins, 1 the connectors. */
  readonly batchIndex: number;
  readonly txid: string;
  readonly tx: string;
  readonly children: Readonly<Record<string, string>>;
}

export interface BatchReader {
  event(event: BatchEvent): void;
  end(): void;
}

export interface BatchHub {
  /** Starts with `streamStarted`. Returns how to leave. */
  open(topics: readonly string[], reader: BatchReader): () => void;
  updateTopics(
    id: string,
    change: TopicChange,
  ): { topicsAdded: string[]; topicsRemoved: string[]; allTopics: string[] };
  publish(event: BatchEvent): void;
  clear(): void;
}

export interface TopicChange {
  readonly add?: readonly string[];
  readonly remove?: readonly string[];
  readonly overwrite?: readonly string[];
}

export function batchHub(): BatchHub {
  const streams = new Map<string, { topics: Set<string>; reader: BatchReader }>();
  return {
    open(topics, reader) {
      const id = randomUUID();
      streams.set(id, { topics: new Set(topics), reader });
      reader.event({ streamStarted: { id } });
      return () => void streams.delete(id);
    },
    updateTopics(id, change) {
      const stream = streams.get(id);
      if (stream === undefined) throw new OperatorError(5, `subscription not found: ${id}`);
      if (change.overwrite !== undefined) {
        stream.topics = new Set(change.overwrite);
        return { topicsAdded: [], topicsRemoved: [], allTopics: [...stream.topics] };
      }
      for (const topic of change.add ?? []) stream.topics.add(topic);
      for (const topic of change.remove ?? []) stream.topics.delete(topic);
      return {
        topicsAdded: [...(change.add ?? [])],
        topicsRemoved: [...(change.remove ?? [])],
        allTopics: [...stream.topics],
      };
    },
    publish(event) {
      const topic = topicOf(event);
      for (const { topics, reader } of [...streams.values()]) {
        if (topic === null || topic.some((each) => topics.has(each))) reader.event(event);
      }
    },
    clear() {
      for (const { reader } of [...streams.values()]) reader.end();
      streams.clear();
    },
  };
}

function topicOf(event: BatchEvent): readonly string[] | null {
  if ('treeTx' in event) return event.treeTx.topic;
  if ('treeNonces' in event) return event.treeNonces.topic;
  return 'treeSignature' in event ? event.treeSignature.topic : null;
}
