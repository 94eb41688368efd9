import type { OutcomeDocument, RedriveRequest, RunDocument } from '../../api/redrive';
import { Failure, useAction } from '../shared/action';
import { nowMs } from '../shared/clock';
import { Copyable } from '../shared/copy';
import { call } from '../shared/server-connection';
import { counted, formatInstant, formatNumber, roughDuration } from '../shared/text';

const STEPS: readonly (readonly [step: RunDocument['step'], says: string])[] = [
  ['starting', 'Prepare'],
  ['canary', 'Canary'],
  ['rest', 'The rest'],
  ['watching', 'Watch for messages that return'],
];

interface ProgressProps {
  readonly run: RunDocument;
  readonly mayChange: boolean;
  readonly onAgain: (terms: Omit<RedriveRequest, 'queue'>) => void;
}

/** A redrive of this console: how far it is, or how it ended. */
export function Progress({ run, mayChange, onAgain }: ProgressProps) {
  const { plan, step, events, outcome, problem, request } = run;
  const { queue: _, ...terms } = request;
  return (
    <div class="run">
      <h3>{plan.says}</h3>
      {step !== 'ended' && <Running run={run} mayChange={mayChange} />}
      {outcome && <Outcome outcome={outcome} isPaused={run.stopping === 'pause'} />}
      {problem && <p class="problem">Nothing has moved: {problem.says}</p>}
      {step === 'ended' && (
        <button type="button" onClick={() => onAgain(terms)}>
          {run.stopping === 'pause' ? 'Continue: plan the rest' : 'Plan another redrive'}
        </button>
      )}
      <details open={step !== 'ended'}>
        <summary>What it did</summary>
        <ol class="plain">
          {events.map(it => (
            <li key={`${it.atMs} ${it.says}`}>
              <span class="sub">{formatInstant(it.atMs)}</span> {it.says}
            </li>
          ))}
        </ol>
      </details>
    </div>
  );
}

function Running({ run, mayChange }: Pick<ProgressProps, 'run' | 'mayChange'>) {
  const { step, moved, total, plan, stopping } = run;
  const action = useAction();
  const stop = (isPause: boolean) => action.run(() => call('redrive/stop', { queue: plan.queue, isPause }));
  return (
    <>
      <ol class="steps" aria-label="Steps">
        {STEPS.map(([name, says]) => (
          <li key={name} aria-current={name === step ? 'step' : undefined}>
            {says}
          </li>
        ))}
      </ol>
      <progress
        aria-label="Messages moved"
        {...(total === null ? {} : { max: Math.max(1, total), value: Math.min(moved, total) })}
      />
      <p role="status">{progressText(run)}</p>
      {mayChange && stopping === null && (
        <p>
          <button type="button" onClick={() => stop(true)}>
            Pause
          </button>{' '}
          <button type="button" onClick={() => stop(false)}>
            Cancel
          </button>{' '}
          <span class="sub">Both end it as Ctrl-C does. Messages that moved stay moved; the others stay here.</span>
        </p>
      )}
      {stopping !== null && <p class="reading">Ending: received messages are given back …</p>}
      <Failure of={action.problem} />
    </>
  );
}

function progressText({ moved, total, rate, secondsLeft, watchUntilMs, isCountLate }: RunDocument): string {
  const of = total === null ? '' : ` of ${formatNumber(total)}`;
  const late = isCountLate ? ', as far as SQS reports' : '';
  const speed = rate === null ? '' : `, ${rate < 10 ? rate.toFixed(1) : Math.round(rate)} a second`;
  const left = secondsLeft === null ? '' : `, about ${roughDuration(secondsLeft * 1_000)} of moving left`;
  const watchMs = watchUntilMs === null ? 0 : watchUntilMs - nowMs.value;
  const watch = watchMs > 0 ? `; watching for at most ${roughDuration(watchMs)} more` : '';
  return `${formatNumber(moved)}${of} moved${late}${speed}${left}${watch}.`;
}

const KINDS: Readonly<Record<OutcomeDocument['kind'], readonly [tone: string, says: string]>> = {
  moved: ['good', 'moved'],
  partly: ['warn', 'not all moved'],
  returned: ['bad', 'messages returned'],
  'not-consumed': ['bad', 'canary not consumed'],
  interrupted: ['warn', 'interrupted'],
  failed: ['bad', 'failed'],
  unseen: ['bad', 'lost track of the task'],
};

function Outcome({ outcome, isPaused }: { readonly outcome: OutcomeDocument; readonly isPaused: boolean }) {
  const { kind, moved, unsure, undeleted, inQueue, became, reason, notes, left, next } = outcome;
  const [tone, says] = KINDS[kind];
  return (
    <div role="status">
      <p>
        <span class={`tag ${tone}`}>{isPaused && kind === 'interrupted' ? 'paused' : says}</span>{' '}
        <strong>{counted(moved, 'message', 'messages')} moved</strong>
        {became !== null && `; ${became}`}. {inQueue !== null && `${formatNumber(inQueue)} in the queue now. `}
        <span class="sub">{reason}</span>
      </p>
      {(unsure > 0 || undeleted > 0) && (
        <p class="unknowns">
          {unsure > 0 &&
            `${counted(unsure, 'message', 'messages')} may have moved: SQS did not answer the send, and they are still in the queue. `}
          {undeleted > 0 && `${counted(undeleted, 'message', 'messages')} moved, and could not be deleted here.`}
        </p>
      )}
      {notes.map(it => (
        <p key={it}>{it}</p>
      ))}
      {left.length > 0 && (
        <>
          <h4>What stays</h4>
          <ul class="plain">
            {left.map(it => (
              <li key={it.reason}>
                {!it.isMeant && <span class="tag">as planned</span>} {counted(it.messages, 'message', 'messages')}:{' '}
                {it.reason} <span class="sub">for instance {it.example}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      {next !== null && <Copyable text={next} />}
    </div>
  );
}
