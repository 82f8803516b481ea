/** Thrown by a handler that was told to come back: no failure, only not yet. */
export class NotYet extends Error {
  override readonly name = 'NotYet';
  readonly seconds: number | null;
  /** A person should know the reason. */
  readonly alarm: boolean;

  /**
   * Without seconds it comes back after pauses that grow, as from a failure: the rule, unless somebody named a moment.
   */
  constructor(seconds: number | null, reason: string, alarm = false) {
    super(reason);
    this.seconds = seconds;
    this.alarm = alarm;
  }
}
