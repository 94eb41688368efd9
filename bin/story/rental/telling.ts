import type { TracedHappening } from '../../../local';
import type { Episode, Tell, Telling } from '../chronicle';
import { clockTime } from '../instant';

/** The name at the end of an ARN. */
export function nameOf(arn: string): string {
  return arn.split(':').at(-1) ?? arn;
}

type Of<Type extends TracedHappening['type']> = Extract<TracedHappening, { readonly type: Type }>;

/** How each kind of happening that is worth a line is told. Whatever is not listed is not told. */
type Tellings = { readonly [Type in TracedHappening['type']]?: (happening: Of<Type>) => Telling | undefined };

const moreOf = (what: string) => (episode: Episode) =>
  `${what}: ${episode.count} in all, the last at ${clockTime(episode.last.atMs)}.`;

const TELLINGS: Tellings = {
  'sns.attempt': ({ outcome, protocol, reason, delaySeconds = 0 }) =>
    outcome !== 'retry'
      ? undefined
      : {
          key: `retry ${protocol} ${reason}`,
          mark: 'retry',
          text: `SNS cannot deliver: ${reason}. It tries again ${delaySeconds === 0 ? 'at once' : `in ${delaySeconds} s`}.`,
          summary: moreOf('failed attempts, each one retried by policy'),
        },
  'sns.dead-lettered': ({ deadLetterQueueArn, attempts, cause }) => {
    const queue = nameOf(deadLetterQueueArn);
    const tried = attempts === 1 ? 'not retried, as a client error never is' : `after ${attempts} attempts`;
    return {
      key: `fan-out ${queue}`,
      mark: 'dead',
      text: `${queue} gets its first dead letter, ${tried}: ${cause.reason}`,
      summary: moreOf(`dead letters in ${queue}`),
    };
  },
  'sns.lost': ({ cause, redriveFailure }) => ({
    key: 'lost',
    mark: 'lost',
    text: `A message is LOST: ${cause.reason}${redriveFailure ? `; ${redriveFailure}` : ''}`,
  }),
  'lambda.retry-scheduled': ({ functionArn, reason, delaySeconds }) => ({
    key: `again ${functionArn} ${reason}`,
    mark: 'retry',
    text: `${nameOf(functionArn)} fails (${reason}). Lambda tries again in ${delaySeconds} s, and once more after that.`,
    summary: moreOf(`retries of ${nameOf(functionArn)}`),
  }),
  'lambda.dead-lettered': ({ targetArn, attempts, condition }) => ({
    key: `function ${targetArn}`,
    mark: 'dead',
    text: `${nameOf(targetArn)} gets its first dead letter after ${attempts} attempts (${condition}).`,
    summary: moreOf(`dead letters in ${nameOf(targetArn)}`),
  }),
  'lambda.lost': ({ functionArn, reason }) => ({
    key: 'lost',
    mark: 'lost',
    text: `An event of ${nameOf(functionArn)} is LOST: ${reason}`,
  }),
  'sqs.dead-lettered': ({ deadLetterQueueArn, maxReceiveCount }) => ({
    key: `queue ${deadLetterQueueArn}`,
    mark: 'dead',
    text: `${nameOf(deadLetterQueueArn)} gets its first dead letter: received ${maxReceiveCount} times and never deleted.`,
    summary: moreOf(`dead letters in ${nameOf(deadLetterQueueArn)}`),
  }),
  'sqs.expired': ({ queueArn }) => ({
    key: 'lost',
    mark: 'lost',
    text: `A message in ${nameOf(queueArn)} is LOST: expired.`,
  }),
  'cloudwatch.alarm-state-changed': ({ alarmName, from, to }) => {
    if (to === 'ALARM') return { key: alarmName, mark: 'alarm', text: `ALARM ${alarmName}` };
    return from === 'ALARM' ? { key: alarmName, mark: 'ok', text: `${to} again: ${alarmName}` } : undefined;
  },
  'cloudwatch.action-failed': ({ alarmName, reason }) => ({
    key: 'untold',
    mark: 'lost',
    text: `Nobody is told of ${alarmName}: ${reason}`,
  }),
};

/** The rental day's way of telling. */
export const tellRentalDay: Tell = happening => {
  const tell = TELLINGS[happening.type] as ((told: TracedHappening) => Telling | undefined) | undefined;
  return tell?.(happening);
};
