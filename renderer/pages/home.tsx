import { Health } from '../parts/health.tsx';
import { SwapList } from '../parts/swap-list.tsx';
import { TokenGate } from '../parts/token-gate.tsx';
import { useFollowing } from '../stores/follow.ts';
import { useNode } from '../stores/node.ts';
import { StartSwap } from '../swap/start-swap.tsx';
import { TakerSwapCard } from '../swap/taker-swap.tsx';

export function Home() {
  useFollowing();
  const connection = useNode((state) => state.connection);
  return (
    <div className="mx-auto flex max-w-4xl flex-col gap-5 px-4 py-8">
      <Header />
      <main className="flex flex-col gap-5">{connection === null ? <TokenGate /> : <Node />}</main>
    </div>
  );
}

function Header() {
  const version = useNode((state) => state.status?.version);
  const inBrowser = useNode((state) => state.connection !== null) && window.sluice === undefined;
  const leave = useNode((state) => state.leave);
  return (
    <header className="flex items-center justify-between gap-4">
      <h1 className="text-xl font-semibold tracking-tight">
        Sluice {version === undefined ? null : <span className="text-sm font-normal text-quiet">{version}</span>}
      </h1>
      {inBrowser ? (
        <button type="button" className="button" onClick={leave}>
          Forget the token
        </button>
      ) : null}
    </header>
  );
}

function Node() {
  const status = useNode((state) => state.status);
  const sandbox = useNode((state) => state.sandbox);
  const taker = useNode((state) => state.taker);
  const trouble = useNode((state) => state.trouble);
  return (
    <>
      <p role="alert" className="panel border-bad text-bad empty:hidden">
        {trouble}
      </p>
      {status === null ? (
        <p className="text-quiet">Asking the node…</p>
      ) : (
        <Health status={status} sandbox={sandbox !== null} />
      )}
      {sandbox === null ? null : <StartSwap />}
      {taker.length === 0 ? null : (
        <section aria-labelledby="own" className="flex flex-col gap-3">
          <h2 id="own" className="heading">
            Your swaps
          </h2>
          <ul className="flex flex-col gap-3">
            {taker.map((swap) => (
              <TakerSwapCard key={swap.id} swap={swap} />
            ))}
          </ul>
        </section>
      )}
      {status === null ? null : <SwapList />}
    </>
  );
}
