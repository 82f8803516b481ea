// The one name of the outside world that a pure room may say: ports written there are handed a signal to stop waiting.
// Its maker, AbortController, stays unknown.
interface AbortSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
}
