/** The one clock of all sandbox networks: wall time plus an offset that only ever grows. */
export interface WorldClock {
  /** Unix seconds. */
  now(): number;
  /** Median time past of the Bitcoin tip, unix seconds. */
  mtp(): number;
  /** Height of the Bitcoin tip. */
  height(): number;
  /** Called after the clock was advanced or a block came; returns how to stop being called. */
  onChange(listener: () => void): () => void;
}
