import { nameInArn, type TracedAwsEvent } from '../../local';
import { isoInstant } from '../../policy/instants';

type Of<Type extends TracedAwsEvent['type']> = Extract<TracedAwsEvent, { readonly type: Type }>;

/** How each kind of event is described. Other kinds are left out. */
type Tellings = { readonly [Type in TracedAwsEvent['type']]?: (happening: Of<Type>) => Telling | undefined };

/** Sums up an episode of more than one by counting. */
const moreOf = (mark: Mark, what: string) => (episode: Episode) =>
  episode.length < 2
    ? undefined
    : { mark, text: `${what}: ${episode.length} in all, the last at ${clockTime(lastOf(episode).atMs)}.` };

const TELLINGS: Tellings = {
  'sns.attempt': ({ outcome, protocol, reason, delaySeconds = 0 }) =>
    outcome !== 'retry'
      ? undefined
      : {
          key: `retry ${protocol} ${reason}`,
          mark: 'retry',
          text: `SNS cannot deliver: ${reason}. It tries again ${delaySeconds === 0 ? 'at once' : `in ${delaySeconds} s`}.`,
          summary: moreOf('retry', 'failed attempts, each one retried by policy'),
        },
  'sns.dead-lettered': ({ deadLetterQueueArn, attempts, cause }) => {
    const queue = nameInArn(deadLetterQueueArn);
    const tried = attempts === 1 ? 'not retried, as a client error never is' : `after ${attempts} attempts`;
    return {
      key: `fan-out ${queue}`,
      mark: 'dead',
      text: `${queue} gets its first dead letter, ${tried}: ${cause.reason}`,
      summary: moreOf('dead', `dead letters in ${queue}`),
    };
  },
  'sns.lost': ({ cause, deadLetterFailure }) => ({
    key: 'lost',
    mark: 'lost',
    text: `A message is LOST: ${cause.reason}${deadLetterFailure ? `; ${deadLetterFailure}` : ''}`,
    summary: moreOf('lost', 'messages lost'),
  }),
  'lambda.retry-scheduled': ({ functionArn, reason, delaySeconds }) => ({
    key: `again ${functionArn} ${reason}`,
    mark: 'retry',
    text: `${nameInArn(functionArn)} fails (${reason}). Lambda tries again in ${delaySeconds} s.`,
    summary: moreOf('retry', `retries of ${nameInArn(functionArn)}`),
  }),
  'lambda.dead-lettered': ({ targetArn, attempts, condition }) => ({
    key: `function ${targetArn}`,
    mark: 'dead',
    text: `${nameInArn(targetArn)} gets its first dead letter after ${attempts} attempts (${condition}).`,
    summary: moreOf('dead', `dead letters in ${nameInArn(targetArn)}`),
  }),
  'lambda.lost': ({ functionArn, reason }) => ({
    key: 'lost',
    mark: 'lost',
    text: `An event of ${nameInArn(functionArn)} is LOST: ${reason}`,
    summary: moreOf('lost', 'messages lost'),
  }),
  'sqs.dead-lettered': ({ deadLetterQueueArn, maxReceiveCount }) => ({
    key: `queue ${deadLetterQueueArn}`,
    mark: 'dead',
    text: `${nameInArn(deadLetterQueueArn)} gets its first dead letter: received ${maxReceiveCount} times and never deleted.`,
    summary: moreOf('dead', `dead letters in ${nameInArn(deadLetterQueueArn)}`),
  }),
  'sqs.expired': ({ queueArn }) => ({
    key: 'lost',
    mark: 'lost',
    text: `A message in ${nameInArn(queueArn)} is LOST: expired.`,
    summary: moreOf('lost', 'messages lost'),
  }),
  'cloudwatch.alarm-state-changed': ({ alarmName, from, to }) =>
    from !== 'ALARM' && to !== 'ALARM'
      ? undefined
      : { key: `alarm ${alarmName}`, mark: 'alarm', text: `ALARM ${alarmName}`, summary: ringing },
  'cloudwatch.action-failed': ({ alarmName, reason }) => ({
    key: 'notification-failed',
    mark: 'lost',
    text: `The notification of ${alarmName} failed: ${reason}`,
  }),
};

/** An alarm on arrivals goes quiet when none came for a minute, and rings again with the next. */
function ringing(episode: Episode): { mark: Mark; text: string } | undefined {
  const changes = episode.filter(happening => happening.type === 'cloudwatch.alarm-state-changed');
  const rings = changes.filter(({ to }) => to === 'ALARM').length;
  const last = changes.at(-1);
  if (!last || last.to === 'ALARM') return undefined;
  return { mark: 'ok', text: `${last.alarmName} is quiet${rings > 1 ? `, after ringing ${rings} times` : ''}.` };
}

/** Tells the rental day: what went wrong, who noticed, and what came late and yet arrived. */
export function tellRentalDay(happenings: readonly TracedAwsEvent[]): Tell {
  const publishedAt = new Map<string, number>();
  for (const happening of happenings) {
    if (happening.type === 'sns.published') publishedAt.set(happening.messageId, happening.atMs);
  }
  const minutesLate = ({ messageId, atMs }: Of<'sns.delivered'>): number =>
    Math.round((atMs - (publishedAt.get(messageId) ?? atMs)) / 60_000);
  const lateArrivals = (episode: Episode): { mark: Mark; text: string } => {
    const late = episode.filter(happening => happening.type === 'sns.delivered');
    const attempts = Math.max(...late.map(delivered => delivered.attempts));
    const minutes = Math.max(...late.map(minutesLate));
    const fromMs = Math.min(...late.map(({ messageId, atMs }) => publishedAt.get(messageId) ?? atMs));
    const untilMs = lastOf(episode).atMs;
    const dead = happenings.filter(it => it.type === 'sns.dead-lettered' && fromMs <= it.atMs && it.atMs <= untilMs);
    const instead = dead.length === 0 ? 'none is dead-lettered' : `${dead.length} are dead-lettered meanwhile`;
    const text = `${late.length} messages arrive after all, ${minutes} minutes late and after ${attempts} attempts at most; ${instead}.`;
    return { mark: 'ok', text };
  };
  return happening => {
    if (happening.type === 'sns.delivered' && happening.attempts > 1) {
      return { key: 'late', mark: 'ok', summary: lateArrivals };
    }
    const tell = TELLINGS[happening.type] as ((reported: TracedAwsEvent) => Telling | undefined) | undefined;
    return tell?.(happening);
  };
}

/** What kind of line a line of the timeline is; the renderer gives each its sign and colour. */
export type Mark = 'act' | 'dead' | 'retry' | 'alarm' | 'ok' | 'lost';

/** One line of the timeline. */
export interface ChronicleLine {
  readonly atMs: number;
  readonly mark: Mark;
  readonly text: string;
}

/** Happenings that belong together, oldest first: the same thing going wrong again and again. */
type Episode = readonly [TracedAwsEvent, ...TracedAwsEvent[]];

/** How a happening becomes a line. */
interface Telling {
  /** Happenings with the same key belong to one episode, as long as one follows the other soon enough. */
  readonly key: string;
  readonly mark: Mark;
  /** When it happens first. @default nothing is said until the episode is over */
  readonly text?: string;
  /** At the end of an episode; undefined where the first line said it all. @default every happening has a line of its own */
  readonly summary?: (episode: Episode) => { readonly mark: Mark; readonly text: string } | undefined;
}

/** Decides how an event is described. Undefined for an event that is left out. */
export type Tell = (happening: TracedAwsEvent) => Telling | undefined;

/** After this long without the same thing happening again, an episode is over. */
const EPISODE_GAP_MS = 45 * 60_000;

interface OpenEpisode {
  readonly telling: Telling;
  readonly happenings: [TracedAwsEvent, ...TracedAwsEvent[]];
}

/** Summarizes the trace for people: repeated events are described once, and summed up when they end. */
export function chronicle(happenings: readonly TracedAwsEvent[], tell: Tell): readonly ChronicleLine[] {
  const lines: ChronicleLine[] = [];
  const open = new Map<string, OpenEpisode>();
  for (const happening of happenings) {
    const telling = tell(happening);
    if (!telling) continue;
    const { key, mark, text, summary } = telling;
    const episode = summary && open.get(key);
    if (episode && happening.atMs - lastOf(episode.happenings).atMs <= EPISODE_GAP_MS) {
      episode.happenings.push(happening);
      continue;
    }
    if (episode) lines.push(...summingUp(episode));
    if (text !== undefined) lines.push({ atMs: happening.atMs, mark, text });
    if (summary) open.set(key, { telling, happenings: [happening] });
  }
  for (const episode of open.values()) lines.push(...summingUp(episode));
  return lines.sort((a, b) => a.atMs - b.atMs);
}

/** The latest happening of an episode. */
function lastOf(episode: Episode): TracedAwsEvent {
  return episode.at(-1) ?? episode[0];
}

function summingUp({ telling, happenings }: OpenEpisode): readonly ChronicleLine[] {
  const line = telling.summary?.(happenings);
  return line ? [{ atMs: lastOf(happenings).atMs, ...line }] : [];
}

/** `17:20`, the time of day in UTC. */
export function clockTime(atMs: number): string {
  return isoInstant(atMs).slice(11, 16);
}
