import { createHash } from 'node:crypto';
import { playRentalDay, type RentalStory } from '../../../bin/story/rental/rental-story';
import { storyText } from '../../../bin/story/rental/story-text';
import { RentalOrdersStack } from '../../../lib';
import { LocalAws, type TracedAwsEvent } from '../../../local';
import { assemblyOf, editTemplate } from '../../support/assembly';

const DAY = '2026-01-05T00:00:00Z';

function rentalAssembly(): string {
  return assemblyOf(app => {
    new RentalOrdersStack(app, 'RentalOrders', { rentalOrders: { opsEmail: 'ops@example.com' } });
  });
}

interface Played {
  readonly story: RentalStory;
  readonly trace: string;
  readonly happenings: readonly TracedAwsEvent[];
}

async function play(assembly: string, seed: string): Promise<Played> {
  const aws = await LocalAws.deploy(assembly, { seed, startAt: DAY });
  try {
    const story = await playRentalDay(aws, () => {});
    const { events } = aws.trace;
    return { story, happenings: events, trace: createHash('sha256').update(aws.trace.toJsonLines()).digest('hex') };
  } finally {
    await aws.close();
  }
}

const at = (time: string): number => Date.parse(`2026-01-05T${time}:00Z`);

const between = (events: readonly TracedAwsEvent[], from: string, until: string) =>
  events.filter(({ atMs }) => at(from) <= atMs && atMs < at(until));

describe('the rental story', () => {
  const assembly = rentalAssembly();
  let played: Played;

  beforeAll(async () => {
    played = await play(assembly, '1');
  }, 60_000);

  test('loses nothing, and accounts for every order', () => {
    const { story } = played;
    expect([story.lost, story.unaccounted]).toEqual([0, 0]);
    expect(story.ordersTaken).toBeGreaterThan(300);
    expect(story.ledger.map(({ endpoint }) => endpoint.split(':').at(-1))).toEqual([
      'Rental-Fulfilment',
      'Rental-Billing',
    ]);
    for (const { published, delivered, deadLettered, filteredOut, lost, underWay } of story.ledger) {
      const kept = Object.values(deadLettered).reduce((sum, count) => sum + count, 0);
      expect(published).toBe(story.ordersTaken);
      expect([lost, underWay]).toEqual([0, 0]);
      expect(delivered + kept + filteredOut).toBe(published);
      expect(filteredOut).toBeGreaterThan(0);
    }
  });

  test('while the queue policy is away nothing is retried, and all of it goes to the fan-out dead-letter queue', () => {
    const meanwhile = between(played.happenings, '08:00', '08:30');
    const dead = meanwhile.filter(it => it.type === 'sns.dead-lettered');
    expect(dead.length).toBeGreaterThan(3);
    expect(dead.every(({ attempts, cause }) => attempts === 1 && cause.kind === 'client-error')).toBe(true);
    expect(meanwhile.filter(it => it.type === 'sns.attempt' && it.outcome === 'retry')).toEqual([]);
  });

  test('an order that cannot be billed is tried three times, a minute and then two apart, before it is a dead letter', () => {
    const meanwhile = between(played.happenings, '10:00', '12:50');
    const [dead] = meanwhile.filter(it => it.type === 'lambda.dead-lettered');
    const failures = meanwhile.filter(it => it.type === 'lambda.finished' && it.requestId === dead?.requestId);
    const [first = 0, ...later] = failures.map(({ atMs }) => atMs);
    expect(later.map(atMs => (atMs - first) / 1_000)).toEqual([60, 180]);
    expect(dead).toMatchObject({ attempts: 3, condition: 'RetriesExhausted' });
  });

  test('poison orders end in the queue’s dead-letter queue, which NumberOfMessagesSent does not count', () => {
    const { missedAlarm, alarms } = played.story;
    expect(missedAlarm.deadLetters).toBeGreaterThan(3);
    expect(missedAlarm.messagesSent).toBe(0);
    expect(alarms.map(({ alarm }) => alarm)).toContain('Rental-Fulfilment-DLQ-Waiting');
  });

  test('while SQS fails, every message is retried and none is dead-lettered; all arrive once it is back', () => {
    const meanwhile = between(played.happenings, '17:00', '17:25');
    expect(meanwhile.some(it => it.type === 'sns.attempt' && it.outcome === 'retry')).toBe(true);
    expect(meanwhile.filter(it => it.type === 'sns.dead-lettered')).toEqual([]);
    const late = meanwhile.filter(it => it.type === 'sns.delivered' && it.protocol === 'sqs' && it.attempts > 1);
    expect(late.length).toBeGreaterThan(1);
    expect(late.every(({ atMs }) => atMs >= at('17:20'))).toBe(true);
  });

  test('tells the cause of each dead letter, and where it read it', () => {
    const causes = new Map(played.story.causes.map(({ queue, cause, source }) => [queue, { cause, source }]));
    expect(causes.get('Rental-Fulfilment-Fanout-DLQ')).toEqual({
      cause: expect.stringMatching(/^403 from Rental-Fulfilment, 1 attempt: AccessDenied: /),
      source: 'log group sns/us-east-1/123456789012/Rental-Orders/Failure',
    });
    expect(causes.get('Rental-Billing-DLQ')?.cause).toContain('answered 503');
    expect(causes.get('Rental-Fulfilment-DLQ')?.cause).toContain('hovercraft');
    const kept = played.story.ledger.flatMap(({ deadLettered }) => Object.values(deadLettered));
    const explained = played.story.causes.map(({ count }) => count);
    const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
    expect(sum(explained)).toBe(sum(kept));
  });

  test('tells the people in charge by e-mail, once for each action of an alarm', () => {
    const actions = played.happenings.filter(it => it.type === 'cloudwatch.action-executed');
    expect(actions.length).toBeGreaterThanOrEqual(3);
    expect(played.story.mailbox).toEqual({ address: 'ops@example.com', messages: actions.length });
    expect(played.happenings.filter(it => it.type === 'cloudwatch.action-failed')).toEqual([]);
  });

  test('writes the same bytes for the same seed, and others for another', async () => {
    expect((await play(assembly, '1')).trace).toBe(played.trace);
    const other = await play(assembly, 'another');
    expect(other.trace).not.toBe(played.trace);
    expect(other.story.lost).toBe(0);
  }, 60_000);

  test('says so when something is lost: a dead-letter queue that SNS may not send to', async () => {
    const sabotaged = rentalAssembly();
    editTemplate(sabotaged, 'RentalOrders', ({ Resources }) => {
      const isItsPolicy = ([id, { Type }]: [string, { Type: string }]) =>
        Type === 'AWS::SQS::QueuePolicy' && id.includes('FulfilmentFanout');
      for (const [, { Properties }] of Object.entries(Resources).filter(isItsPolicy)) {
        const document = Properties?.['PolicyDocument'] as { Statement: { Effect: string }[] };
        document.Statement = document.Statement.filter(({ Effect }) => Effect !== 'Allow');
      }
    });
    const { story } = await play(sabotaged, '1');
    expect(story.lost).toBeGreaterThan(3);
    expect(storyText(story, '1')).toContain(`${story.lost} messages were lost`);
  }, 60_000);
});
