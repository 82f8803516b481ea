import { ActButton } from '../../parts/act-button.tsx';
import type { IconName } from '../../parts/icon.tsx';
import { client, useRecords } from '../../stores/records.ts';
import { boardWords } from '../../words/board-words.ts';

const acts: readonly {
  readonly route: 'ownerRetry' | 'ownerBump' | 'ownerRefund';
  readonly label: string;
  readonly means: string;
  readonly icon: IconName;
}[] = [
  { route: 'ownerRetry', label: boardWords.retry, means: boardWords.retryMeans, icon: 'refresh' },
  { route: 'ownerBump', label: boardWords.bump, means: boardWords.bumpMeans, icon: 'right' },
  { route: 'ownerRefund', label: boardWords.refund, means: boardWords.refundMeans, icon: 'back' },
];

/** What the owner may do with an open swap. The node knows what its state and the fence allow, and says why not. */
export function Acts({ id, over }: { id: string; over: boolean }) {
  const act = async (route: (typeof acts)[number]['route']) => {
    await client().call(route, { params: { id }, body: {} });
    await useRecords.getState().look();
  };
  return (
    <section aria-labelledby="swap-acts">
      <h2 id="swap-acts">{boardWords.acts}</h2>
      {over ? (
        <p className="sub mt-2">{boardWords.overMeans}</p>
      ) : (
        <ul className="acts mt-2">
          {acts.map(({ route, label, means, icon }) => (
            <li key={route}>
              <div>
                <ActButton icon={icon} act={() => act(route)}>
                  {label}
                </ActButton>
              </div>
              <p className="sub">{means}</p>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
