import { plainText } from '../../format/plain.ts';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { Loading } from '../../parts/empty.tsx';
import { Note } from '../../parts/note.tsx';
import { Outcome } from '../../parts/outcome.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Status } from '../../parts/status.tsx';
import { useActing } from '../../stores/acting.ts';
import { hrefTo } from '../../stores/route.ts';
import { checklistWords as words } from '../../words/checklist-words.ts';
import { words as common } from '../../words/words.ts';
import { useSettings } from '../settings/use-settings.ts';
import { StepLine } from './step-line.tsx';
import { grouped } from './titles.ts';
import { useChecklist } from './use-checklist.ts';

/** The way from an empty folder to a node that serves strangers: each step as the node saw it. */
export function ChecklistPage({ live }: { live: boolean }) {
  const { checklist, looking, trouble, look } = useChecklist();
  const { settings, change } = useSettings();
  const changed = async (patch: Parameters<typeof change>[0]) => {
    await change(patch);
    look();
  };
  const steps = checklist?.steps ?? [];
  const done = steps.filter(({ state }) => state === 'done').length;
  return (
    <>
      <PageHead
        title={live ? words.open : common.shell.provide}
        lead={live ? words.leadLive : words.lead}
        {...(live ? { back: { href: hrefTo('provide'), label: words.toProvide } } : {})}
      >
        <Button icon="refresh" busy={looking} onPress={look}>
          {words.again}
        </Button>
      </PageHead>
      <p className="sub" role="status">
        {checklist === null ? words.looking : words.tally(done, steps.length)}
      </p>
      {trouble === null ? null : (
        <Note tone="need" alert>
          {trouble}
        </Note>
      )}
      {checklist === null && trouble === null ? <Loading rows={8} /> : null}
      {grouped(steps).map(([group, own]) => (
        <section key={group} className="section" aria-labelledby={`check-${group}`}>
          <h2 id={`check-${group}`}>{words.groups[group]}</h2>
          {group === 'rehearsals' ? <p className="sub prose">{words.rehearsalLead}</p> : null}
          <ul className="mt-2">
            {own.map((step) => (
              <StepLine key={step.id} step={step} settings={settings} change={changed} look={look} />
            ))}
          </ul>
        </section>
      ))}
      {checklist === null ? null : <GoLive live={checklist.live} ready={checklist.ready} change={changed} />}
    </>
  );
}

function GoLive({
  live,
  ready,
  change,
}: {
  live: boolean;
  ready: boolean;
  change: (patch: { readonly live: boolean }) => Promise<void>;
}) {
  const { busy, outcome, run } = useActing();
  const to = (next: boolean) =>
    void run('live', async () => {
      await change({ live: next });
      return next ? words.nowLive : words.nowClosed;
    });
  return (
    <section className="section stack" aria-labelledby="check-live">
      <h2 id="check-live">{words.groups.live}</h2>
      {live ? <Status tone="safe">{words.isLive}</Status> : <p className="prose">{plainText(words.goLiveMeans)}</p>}
      {live ? (
        <Button busy={busy !== null} onPress={() => to(false)}>
          {words.leave}
        </Button>
      ) : (
        <Button kind="main" busy={busy !== null} notYet={ready ? null : words.notReady} onPress={() => to(true)}>
          {words.goLive}
        </Button>
      )}
      <Outcome outcome={outcome} />
    </section>
  );
}

/** Where the checklist is, for who is live already. */
export function ToChecklist() {
  return (
    <ButtonLink href={hrefTo('provide', 'checklist')} icon="safe">
      {words.open}
    </ButtonLink>
  );
}
