import { useState } from 'preact/hooks';
import type { InvocationLog, Journey, JourneyEnd, JourneyStep } from '../../api/journey';
import { Failure, useAction, useAnswer } from '../shared/action';
import { link } from '../shared/router';
import { call, useFeed } from '../shared/server-connection';
import { counted, secondOf } from '../shared/text';
import { TimeBar } from '../simulation/time-bar';
import { JourneyPicture } from './journey-picture';
import { MessageList } from './message-list';

export function JourneyView({ of: [id = ''] }: { readonly of: readonly string[] }) {
  const { document } = useFeed('simulation');
  return (
    <>
      <TimeBar state={document} />
      {id === '' ? (
        <MessageList events={document?.events ?? 0} />
      ) : (
        <OneJourney key={id} id={id} events={document?.events ?? 0} nowMs={document?.nowMs ?? 0} />
      )}
    </>
  );
}

const ENDS: Readonly<Record<JourneyEnd['kind'], string>> = {
  done: 'good',
  'under-way': 'waits',
  'dead-letter': 'bad',
  lost: 'bad',
  dropped: 'faint',
};

function OneJourney({ id, events, nowMs }: { readonly id: string; readonly events: number; readonly nowMs: number }) {
  const { answer: journey, problem } = useAnswer(() => call('journey/read', { id }), [id, events, nowMs]);
  const [selected, select] = useState<number>();
  if (!journey) return problem ? <Failure of={problem} /> : <p class="reading">Reading the journey …</p>;
  const last = journey.steps.length - 1;
  const at = Math.min(selected ?? firstTrouble(journey), last);
  const step = journey.steps[at];
  return (
    <>
      <Failure of={problem} />
      <section class="card" aria-labelledby="journey-title">
        <p class="back">
          <a href={link('journey')}>All messages</a>
        </p>
        <h1 id="journey-title">
          Journey of message <span class="mono">{journey.id.slice(0, 8)}</span>
        </h1>
        <ul class="ends">
          {journey.ends.map(({ place, kind, says }) => (
            <li key={place + says} class={ENDS[kind]}>
              <strong>{journey.places.find(it => it.id === place)?.name ?? place}</strong> {says}
            </li>
          ))}
        </ul>
        {journey.body !== null && (
          <details class="journey-body">
            <summary>
              <span class="mono">{journey.body.slice(0, 140)}</span>
            </summary>
            <pre>{journey.body}</pre>
          </details>
        )}
        <JourneyPicture journey={journey} selected={at} select={select} />
        {step && <StepDetails key={at} step={step} journey={journey} at={at} select={select} />}
      </section>
      <section class="card" aria-labelledby="steps-title">
        <h2 id="steps-title">{counted(journey.steps.length, 'step', 'steps')}</h2>
        <ol class="journey-steps">
          {journey.steps.map((it, index) => (
            <li key={index} class={index === at ? 'selected' : ''}>
              <button type="button" onClick={() => select(index)} aria-current={index === at ? 'step' : undefined}>
                <span class="at">{secondOf(it.atMs)}</span>
                <span class="where">{journey.places.find(({ id: place }) => place === it.place)?.name}</span>
                <span class={`says ${it.kind}`}>{it.says}</span>
              </button>
            </li>
          ))}
        </ol>
      </section>
    </>
  );
}

/** The step that a reader looks for: the first failure, or the last step. */
function firstTrouble({ steps }: Journey): number {
  const at = steps.findIndex(({ kind }) => ['failed', 'dead', 'lost'].includes(kind));
  return at === -1 ? steps.length - 1 : at;
}

function StepDetails({
  step,
  journey,
  at,
  select,
}: {
  readonly step: JourneyStep;
  readonly journey: Journey;
  readonly at: number;
  readonly select: (step: number) => void;
}) {
  const { atMs, place, says, rule, log, seq } = step;
  return (
    <div class={`step-details ${step.kind}`} aria-live="polite">
      <p class="step-nav">
        <button type="button" disabled={at === 0} onClick={() => select(at - 1)} aria-label="Previous step">
          ‹
        </button>
        <span>
          {at + 1} of {journey.steps.length}
        </span>
        <button
          type="button"
          disabled={at === journey.steps.length - 1}
          onClick={() => select(at + 1)}
          aria-label="Next step"
        >
          ›
        </button>
        <span class="faint">
          {secondOf(atMs)}, {journey.places.find(it => it.id === place)?.name}
          {seq !== null && `, event ${seq}`}
        </span>
      </p>
      <p class="step-says">{says}</p>
      {rule && (
        <p>
          <a href={rule.url} target="_blank" rel="noreferrer">
            {rule.title}
          </a>
        </p>
      )}
      {log && <LogLines of={log} />}
    </div>
  );
}

function LogLines({ of }: { readonly of: NonNullable<JourneyStep['log']> }) {
  const [log, setLog] = useState<InvocationLog>();
  const { problem, run } = useAction();
  if (problem) return <Failure of={problem} />;
  if (!log) {
    return (
      <button type="button" onClick={async () => setLog(await run(() => call('journey/log', of)))}>
        Show the log lines of this invocation
      </button>
    );
  }
  return (
    <>
      <p class="faint">{log.lines.length === 0 ? `${log.group} has no line of it` : log.group}</p>
      {log.lines.length > 0 && (
        <pre class="log">{log.lines.map(({ atMs, text }) => `${secondOf(atMs)}  ${text}`).join('\n')}</pre>
      )}
    </>
  );
}
