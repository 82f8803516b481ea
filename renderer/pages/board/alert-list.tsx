import { useCallback, useEffect, useState } from 'react';
import type { Doctor } from '../../../engine/contract/owner/doctor.ts';
import type { OwnerStatus } from '../../../engine/contract/owner/status.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { ButtonLink } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { toneIcons } from '../../parts/status.tsx';
import { client } from '../../stores/records.ts';
import { boardWords } from '../../words/board-words.ts';
import { alertsOf } from './alerts.ts';
import type { SwapLine } from './swap-lines.ts';

/** What asks for the owner. The doctor asks every connection: when the page opens, and when the owner wants to know. */
export function Alerts({ status, lines, age }: { status: OwnerStatus; lines: readonly SwapLine[]; age: number }) {
  const [doctor, setDoctor] = useState<Doctor | null>(null);
  const check = useCallback(async () => setDoctor(await client().call('ownerDoctor')), []);
  useEffect(() => void check().catch(() => setDoctor(null)), [check]);
  const alerts = alertsOf(status, lines, doctor, age);
  return (
    <section className="section" aria-labelledby="board-alerts">
      <div className="row apart">
        <h2 id="board-alerts">
          {boardWords.alerts}{' '}
          {alerts.length === 0 ? null : (
            <>
              {(['danger', 'need'] as const).map((tone) => {
                const count = alerts.filter((alert) => alert.tone === tone).length;
                return count === 0 ? null : (
                  <span key={tone} className={`count ${tone}`}>
                    {count}
                    <span className="sr">{boardWords.openAlerts[tone]}</span>
                  </span>
                );
              })}
            </>
          )}
        </h2>
        <ActButton icon="refresh" size="small" act={check}>
          {boardWords.checkNow}
        </ActButton>
      </div>
      {alerts.length === 0 ? (
        <p className="sub">{doctor === null ? boardWords.checksOnOpen : boardWords.noAlerts}</p>
      ) : (
        <ul aria-live="polite">
          {alerts.map(({ key, tone, title, means, href, act }) => (
            <li key={key} className="alert">
              <Icon name={toneIcons[tone]} className={tone} />
              <div>
                <h3>{title}</h3>
                <p className="sub prose break-words">{means}</p>
              </div>
              <span className="act">
                <ButtonLink size="small" href={href} name={`${act}: ${title}`}>
                  {act}
                </ButtonLink>
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
