import { nameInArn, type TracedAwsEvent } from '../../local';
import { isoInstant } from '../../policy/instants';
import { MINUTE_MS } from '../../policy/time-units';

/** The kind of a line. It determines the sign and the colour. */
export type Mark = 'act' | 'dead' | 'retry' | 'alarm' | 'ok' | 'lost';

export interface ChronicleLine {
  readonly atMs: number;
  readonly mark: Mark;
  readonly text: string;
}

/** Repetitions of one failure, oldest event first. */
type Episode = readonly [TracedAwsEvent, ...TracedAwsEvent[]];

/** The lines for an event and its repetitions. */
interface LineRule {
  /** Events with the same key belong to one episode while less than 45 minutes lie between them. */
  readonly key: string;
  readonly mark: Mark;
  /** The line for the first event. @default - no line until the episode is over */
  readonly text?: string;
  /** The line at the end of an episode; undefined if the first line is enough. @default - every event has its own line */
  readonly summary?: (episode: Episode) => { readonly mark: Mark; readonly text: string } | undefined;
}

/** Selects the rule of an event. Undefined for an event that is left out. */
export type RuleFor = (event: TracedAwsEvent) => LineRule | undefined;

/** An episode is over after this time without a repetition. */
const EPISODE_GAP_MS = 45 * MINUTE_MS;

interface OpenEpisode {
  readonly rule: LineRule;
  readonly events: [TracedAwsEvent, ...TracedAwsEvent[]];
}

/** Summarizes the trace for people: repeated events are described once, and summed up when they end. */
export function chronicle(events: readonly TracedAwsEvent[], ruleFor: RuleFor): readonly ChronicleLine[] {
  const lines: ChronicleLine[] = [];
  const open = new Map<string, OpenEpisode>();
  for (const event of events) {
    const rule = ruleFor(event);
    if (!rule) continue;
    const { key, mark, text, summary } = rule;
    const episode = summary && open.get(key);
    if (episode && event.atMs - lastOf(episode.events).atMs <= EPISODE_GAP_MS) {
      episode.events.push(event);
      continue;
    }
    if (episode) lines.push(...summaryOf(episode));
    if (text !== undefined) lines.push({ atMs: event.atMs, mark, text });
    if (summary) open.set(key, { rule, events: [event] });
  }
  for (const episode of open.values()) lines.push(...summaryOf(episode));
  return lines.sort((a, b) => a.atMs - b.atMs);
}

function lastOf(episode: Episode): TracedAwsEvent {
  return episode.at(-1) ?? episode[0];
}

function summaryOf({ rule, events }: OpenEpisode): readonly ChronicleLine[] {
  const line = rule.summary?.(events);
  return line ? [{ atMs: lastOf(events).atMs, ...line }] : [];
}

/** `17:20`, the time of day in UTC. */
export function clockTime(atMs: number): string {
  return isoInstant(atMs).slice(11, 16);
}

/** Describes the events of the rental day: failures, alarms, and messages that arrive late. */
export function rentalDayRules(events: readonly TracedAwsEvent[]): RuleFor {
  const publishedAt = new Map<string, number>();
  for (const event of events) {
    if (event.type === 'sns.published') publishedAt.set(event.messageId, event.atMs);
  }
  const minutesLate = ({ messageId, atMs }: Of<'sns.delivered'>): number =>
    Math.round((atMs - (publishedAt.get(messageId) ?? atMs)) / MINUTE_MS);
  const lateArrivals = (episode: Episode): { mark: Mark; text: string } => {
    const late = episode.filter(event => event.type === 'sns.delivered');
    const attempts = Math.max(...late.map(delivered => delivered.attempts));
    const minutes = Math.max(...late.map(minutesLate));
    const fromMs = Math.min(...late.map(({ messageId, atMs }) => publishedAt.get(messageId) ?? atMs));
    const untilMs = lastOf(episode).atMs;
    const dead = events.filter(it => it.type === 'sns.dead-lettered' && fromMs <= it.atMs && it.atMs <= untilMs);
    const instead = dead.length === 0 ? 'none is dead-lettered' : `${dead.length} are dead-lettered meanwhile`;
    const text = `${late.length} messages arrive after all, ${minutes} minutes late and after ${attempts} attempts at most; ${instead}.`;
    return { mark: 'ok', text };
  };
  return event => {
    if (event.type === 'sns.delivered' && event.attempts > 1) {
      return { key: 'late', mark: 'ok', summary: lateArrivals };
    }
    const ruleOf = RULES[event.type] as ((reported: TracedAwsEvent) => LineRule | undefined) | undefined;
    return ruleOf?.(event);
  };
}

type Of<Type extends TracedAwsEvent['type']> = Extract<TracedAwsEvent, { readonly type: Type }>;

/** How each kind of event is described. Other kinds are left out. */
type RulesByType = { readonly [Type in TracedAwsEvent['type']]?: (event: Of<Type>) => LineRule | undefined };

/** Summarizes an episode of several events by their number. */
const moreOf = (mark: Mark, what: string) => (episode: Episode) =>
  episode.length < 2
    ? undefined
    : { mark, text: `${what}: ${episode.length} in all, the last at ${clockTime(lastOf(episode).atMs)}.` };

const RULES: RulesByType = {
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
      : {
          key: `alarm ${alarmName}`,
          mark: 'alarm',
          // An alarm that rings for longer than an episode lasts returns to OK in an episode of its own.
          ...(to === 'ALARM' && { text: `ALARM ${alarmName}` }),
          summary: ringing,
        },
  'cloudwatch.action-failed': ({ alarmName, reason }) => ({
    key: 'notification-failed',
    mark: 'lost',
    text: `The notification of ${alarmName} failed: ${reason}`,
  }),
};

/** An alarm on arrivals goes quiet when none came for a minute, and rings again with the next. */
function ringing(episode: Episode): { mark: Mark; text: string } | undefined {
  const changes = episode.filter(event => event.type === 'cloudwatch.alarm-state-changed');
  const rings = changes.filter(({ to }) => to === 'ALARM').length;
  const last = changes.at(-1);
  if (!last || last.to === 'ALARM') return undefined;
  return { mark: 'ok', text: `${last.alarmName} is quiet${rings > 1 ? `, after ringing ${rings} times` : ''}.` };
}
