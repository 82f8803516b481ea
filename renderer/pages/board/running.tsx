import type { OwnerStatus } from '../../../engine/contract/owner/status.ts';
import { plainText } from '../../format/plain.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Note } from '../../parts/note.tsx';
import { Pill, type Tone } from '../../parts/status.tsx';
import { client, useRecords } from '../../stores/records.ts';
import { boardWords } from '../../words/board-words.ts';

/** Whether new swaps are taken, and the switch for it. Claims and refunds have none. */
export function Running({ status }: { status: OwnerStatus }) {
  const { tone, text } = standing(status);
  const change = async (act: () => Promise<unknown>) => {
    await act();
    await useRecords.getState().look();
  };
  return (
    <div className="row">
      <Pill tone={tone}>{text}</Pill>
      {status.paused === null ? (
        <ActButton
          icon="pause"
          act={() => change(() => client().call('ownerPause', { body: { reason: boardWords.pauseReason } }))}
        >
          {boardWords.pause}
        </ActButton>
      ) : (
        <ActButton icon="play" act={() => change(() => client().call('ownerResume', { body: {} }))}>
          {boardWords.resume}
        </ActButton>
      )}
    </div>
  );
}

function standing({ paused, live, networks }: OwnerStatus): { tone: Tone; text: string } {
  if (paused !== null)
    return paused.by === 'guard'
      ? { tone: 'danger', text: boardWords.pausedByGuard }
      : { tone: 'off', text: boardWords.pausedByYou };
  if (!live) return { tone: 'need', text: boardWords.notLive };
  const away = networks.filter(({ state }) => state === 'away').length;
  return away === 0 ? { tone: 'safe', text: boardWords.running } : { tone: 'need', text: boardWords.notAll(away) };
}

/** The guard stopped new swaps: why, since when, and what goes on. */
export function GuardNote({ paused: { reason, since } }: { paused: NonNullable<OwnerStatus['paused']> }) {
  return (
    <div className="mb-6">
      <Note tone="danger" title={plainText(reason)} alert>
        {boardWords.noNewSince} <Moment at={since} />. {boardWords.goesOn}
      </Note>
    </div>
  );
}
