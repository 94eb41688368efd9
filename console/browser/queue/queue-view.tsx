import { useState } from 'preact/hooks';
import type { DeadLetterRow, Depths } from '../../api';
import type { CauseRow, LookDocument, Timeline } from '../../api/queue';
import { expiryText } from '../overview/dead-letter-list';
import { useAction } from '../shared/action';
import { nowMs } from '../shared/clock';
import { Facts } from '../shared/copy';
import { link } from '../shared/router';
import { call, useFeed } from '../shared/server-connection';
import { ago, counted, formatInstant, formatNumber, roughDuration, UNKNOWN } from '../shared/text';
import { Causes, seriesOf } from './causes';
import { Messages } from './messages';

const HEIGHT = 80;
const BAR = 10;

interface TimelineProps {
  readonly timeline: Timeline;
  readonly causes: readonly CauseRow[];
}

/** When the messages were first sent, by cause. */
function TimelineChart({ timeline: { fromMs, intervalMs, series }, causes }: TimelineProps) {
  const intervals = series[0]?.counts.length ?? 0;
  const totals = Array.from({ length: intervals }, (_, at) =>
    series.reduce((sum, it) => sum + (it.counts[at] ?? 0), 0),
  );
  const most = Math.max(1, ...totals);
  const bottoms = new Array<number>(intervals).fill(HEIGHT);
  const bars = series.flatMap(({ cause, counts }) =>
    counts.flatMap((count, at) => {
      const height = (count / most) * HEIGHT;
      bottoms[at] = (bottoms[at] ?? HEIGHT) - height;
      return count === 0 ? [] : [{ key: `${cause} ${at}`, cause, at, y: bottoms[at] ?? 0, height, count }];
    }),
  );
  const untilMs = fromMs + intervals * intervalMs;
  const each = roughDuration(intervalMs);
  const total = totals.reduce((sum, it) => sum + it, 0);
  const text = `${counted(total, 'message', 'messages')} from ${formatInstant(fromMs)} to ${formatInstant(untilMs)}`;
  return (
    <section class="card" aria-labelledby="timeline">
      <h2 id="timeline">When they were first sent</h2>
      <p class="sub">
        A bar is {each}, the highest {counted(most, 'message', 'messages')}.
      </p>
      <svg
        class="timeline"
        viewBox={`0 0 ${Math.max(intervals, 12) * BAR} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={text}
      >
        {bars.map(({ key, cause, at, y, height, count }) => (
          <rect key={key} x={at * BAR} y={y} width={BAR - 1} height={height} class={seriesOf(cause)}>
            <title>{`${counted(count, 'message', 'messages')} from ${formatInstant(fromMs + at * intervalMs)}`}</title>
          </rect>
        ))}
      </svg>
      <p class="axis">
        <span>{formatInstant(fromMs)}</span>
        <span>{formatInstant(untilMs)}</span>
      </p>
      {series.length > 1 && (
        <ul class="legend">
          {series.map(({ cause }) => (
            <li key={cause}>
              <span class={`swatch ${seriesOf(cause)}`} aria-hidden="true" />{' '}
              {causes.find(({ id }) => id === cause)?.says ?? 'without a known cause'}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** How many messages a look receives, and a long one. */
const MESSAGES = 1_000;
const MANY_MESSAGES = 10_000;
const SINCE_HOURS = 24;

/** Why a queue cannot be looked at here. */
const ABSENT: Readonly<Partial<Record<DeadLetterRow['location'], string>>> = {
  gone: 'This queue does not exist: messages that are sent to it are lost.',
  elsewhere: 'This queue is in another account or Region: look at it in a console of that one.',
};

/** The last look at each queue, for a user who comes back: another one would receive the messages again. */
const looks = new Map<string, LookDocument>();

export function QueueView({ of: [name = ''] }: { readonly of: readonly string[] }) {
  return <OneQueue key={name} name={name} />;
}

/** A queue: what is in it, and why. */
function OneQueue({ name }: { readonly name: string }) {
  const list = useFeed('dead-letters').document;
  const row = list?.queues.find(it => it.name === name);
  const [shown, setShown] = useState(looks.get(name));
  const { isBusy, problem, run } = useAction();
  const [messages, setMessages] = useState(MESSAGES);
  const take = async (most: number, isForced = false): Promise<void> => {
    setMessages(most);
    const input = { queue: name, messages: most, sinceHours: SINCE_HOURS, isForced };
    const look = await run(() => call('queue/look', input));
    if (!look) return;
    looks.set(name, look);
    setShown(look);
  };
  return (
    <>
      <section class="card" aria-labelledby="queue">
        <h1 id="queue">{row?.shortName ?? name}</h1>
        {row && row.shortName !== name && <p class="sub">{name}</p>}
        {list && !row && <NotListed name={name} />}
        {row && ABSENT[row.location] && <p class="problem">{ABSENT[row.location]}</p>}
        {row && <QueueFacts row={row} />}
        <p class="look">
          <button type="button" class="primary" disabled={isBusy} onClick={() => take(MESSAGES)}>
            {isBusy ? 'Looking …' : shown ? 'Look again' : 'Look at the messages, and say why they are here'}
          </button>
          {shown && shown.unseen > 0 && shown.seen >= MESSAGES && (
            <button type="button" disabled={isBusy} onClick={() => take(MANY_MESSAGES)}>
              Look at {formatNumber(MANY_MESSAGES)}
            </button>
          )}
          <a class="button" href={link('redrive', name)}>
            Plan a redrive
          </a>
          <span class="sub">
            A look receives up to {formatNumber(messages)} messages and gives them back at once. It counts as one
            receive of each. If dlo is killed meanwhile, they stay hidden for at most two minutes.
          </span>
        </p>
        {problem && (
          <div class="problem" role="alert">
            <p>{problem.says}</p>
            {problem.mayForce && (
              <button type="button" onClick={() => take(messages, true)}>
                Look all the same
              </button>
            )}
          </div>
        )}
      </section>
      {shown && <Looked key={shown.look} look={shown} />}
    </>
  );
}

/** A queue of the map that keeps no dead letters, or one that does not exist. */
function NotListed({ name }: { readonly name: string }) {
  const map = useFeed('map').document;
  const levels = useFeed('levels').document;
  if (!map) return null;
  const node = map.groups.flatMap(it => it.nodes).find(it => it.kind === 'queue' && it.name === name);
  if (!node) return <p class="problem">No queue of this name is in the account. It may have been deleted.</p>;
  const depths = levels?.depths[node.id];
  return (
    <Facts
      rows={[
        ['Messages', depthsText(depths)],
        ['Kind', 'Nothing sends dead letters to it'],
      ]}
    />
  );
}

function depthsText(depths: Depths | null | undefined): string {
  return depths ? `${formatNumber(depths.visible)} visible, ${formatNumber(depths.inFlight)} in flight` : UNKNOWN;
}

function QueueFacts({ row }: { readonly row: DeadLetterRow }) {
  const { depths, feeders, oldestSinceMs } = row;
  const rows: (readonly [string, string])[] = [
    ['Messages', depthsText(depths)],
    ['Fed by', feeders.join(', ') || 'nothing'],
  ];
  const expiry = expiryText(row);
  if (oldestSinceMs !== null) {
    rows.push(['Oldest', `${formatInstant(oldestSinceMs)}, ${ago(oldestSinceMs, nowMs.value)}`]);
  }
  if (expiry !== undefined) rows.push(['First expires', expiry]);
  return <Facts rows={rows} />;
}

function Looked({ look }: { readonly look: LookDocument }) {
  const [cause, setCause] = useState('');
  const { seen, unseen, requests, atMs, cutShort, warnings, unread, timeline } = look;
  return (
    <>
      <p class="sub looked" role="status">
        Looked {ago(atMs, nowMs.value)} at {counted(seen, 'message', 'messages')}, with{' '}
        {counted(requests, 'request', 'requests')}.
        {unseen > 0 && ` ${counted(unseen, 'other is', 'others are')} in the queue.`} {cutShort ?? ''}
      </p>
      {[...warnings, ...unread].map(it => (
        <p key={it} class="notice">
          {it}
        </p>
      ))}
      <Causes look={look} chosen={cause} choose={setCause} />
      {seen > 0 && <TimelineChart timeline={timeline} causes={look.causes} />}
      {seen > 0 && <Messages look={look.look} cause={cause} />}
    </>
  );
}
