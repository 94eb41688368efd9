import { Annotations, Duration, Stack } from 'aws-cdk-lib';
import { Topic } from 'aws-cdk-lib/aws-sns';
import {
  DeadLetterAccess,
  DeadLetterQueue,
  DurableTopic,
  FunctionFailures,
  ImportedDeadLetterQueue,
  ProcessingQueue,
  TopicDeliveryPolicy,
} from '../../lib';
import { WARNING_IDS } from '../../lib/shared/checks';
import { assemblyOfStack } from '../support/assembly';
import { Deployed } from '../support/deployed';
import { inlineFunction } from '../support/inline-function';
import { ACCEPTED, WARNED } from './bad-input/accepted';
import { REFUSED } from './bad-input/all-refused';
import { markedRules, sitesIn, withoutMarks } from './bad-input/marked-rules';
import { type Act, APP_ENV, importedQueue, OTHER_ACCOUNT_ENV, URL } from './bad-input/refused';
import { newApp, newStack, problemsOf, warningIds } from './support';

/** Returns the problems that stop the synthesis of a stack, at once or at its end. */
function problems(act: Act): string[] {
  return problemsOf(() => {
    const app = newApp();
    act(new Stack(app, 'Stack', { env: APP_ENV }));
    app.synth();
  });
}

describe('What AWS rejects is an error at synthesis', () => {
  let marked: Awaited<ReturnType<typeof markedRules>>;
  const found = new Map<number, readonly string[]>();

  beforeAll(async () => {
    marked = await markedRules();
  });

  /** The lines of a row's error, in which each rule has left its mark. Each row is synthesized once. */
  function markedLines(row: number): readonly string[] {
    const lines =
      found.get(row) ?? marked.rows.slice(row, row + 1).flatMap(({ act }) => problems(act).join('\n').split('\n'));
    found.set(row, lines);
    return lines;
  }

  test.each(REFUSED.map(({ what, line }, row) => ({ what, line, row })))('$what', ({ line, row }) => {
    // Lines that are indented further list details of a problem.
    const lines = markedLines(row)
      .map(withoutMarks)
      .filter(it => !it.startsWith('    '));
    expect(lines.slice(1).map(it => it.replace(/^ {2}(- |\[.*?\] )/, ''))).toEqual([line]);
  });

  test('each rule, and each place that applies it, has a row here', () => {
    expect(marked.rows).toHaveLength(REFUSED.length);
    const broken = sitesIn(REFUSED.flatMap((_, row) => markedLines(row)));
    expect(broken.size).toBeGreaterThan(100);
    expect(marked.sites.filter((_, site) => !broken.has(site))).toEqual([]);
  });
});

describe('The embedded AWS rejects it too if it is deployed without our construct', () => {
  const rows = REFUSED.flatMap(({ what, aws }) => (typeof aws === 'string' ? [] : [{ what, aws }]));

  test.each(rows)('$what', async ({ aws }) => {
    const assembly = assemblyOfStack(stack => void aws(stack));
    const refusal = await Deployed.assembly(assembly).then(() => 'none', String);
    expect(refusal).toMatch(
      /^AssemblyError: Test: Test\/.* (is refused|must be|ValidationError:|AlreadyExists:|Invalid\w+:) /,
    );
    expect(refusal).not.toContain('not implement');
  });
});

test.each(Object.entries(ACCEPTED))('What AWS accepts, our constructs accept: %s', async (_, act) => {
  expect(problems(act)).toEqual([]);
  await Deployed.assembly(assemblyOfStack(stack => void act(stack)));
});

const retentionPeriod = Duration.days(15);

/** What is created, and the number of lines in its error. */
const ALL: readonly [string, Act, number][] = [
  [
    'DeadLetterQueue',
    stack =>
      new DeadLetterQueue(stack, 'It', { retentionPeriod, deliveryDelay: Duration.days(1), maxMessageSizeBytes: 1 }),
    3,
  ],
  [
    'ImportedDeadLetterQueue',
    stack => {
      const queue = importedQueue(stack, { ...OTHER_ACCOUNT_ENV, region: 'eu-west-1' });
      return new ImportedDeadLetterQueue(stack, 'It', {
        queue,
        access: DeadLetterAccess.WRITE_POLICY,
        retentionPeriod,
      });
    },
    3,
  ],
  [
    'ProcessingQueue',
    stack =>
      new ProcessingQueue(stack, 'It', { retentionPeriod, maxReceiveCount: 0, consumerTimeout: Duration.minutes(1) }),
    3,
  ],
  [
    'FunctionFailures',
    stack => {
      const handler = inlineFunction(stack, 'F', 'exports.handler = async () => {};', { retryAttempts: 1 });
      return new FunctionFailures(stack, 'It', { handler, retryAttempts: 3, maxEventAge: Duration.days(1) });
    },
    3,
  ],
  [
    'DurableTopic',
    stack => new DurableTopic(stack, 'It', { topicName: 'a b', signatureVersion: '3', displayName: 'x'.repeat(101) }),
    3,
  ],
  [
    'A delivery',
    stack => {
      const deliveryPolicy = { healthyRetryPolicy: { numRetries: 101 }, throttlePolicy: { maxReceivesPerSecond: 0 } };
      const options = { deliveryPolicy, deadLetterQueue: importedQueue(stack, OTHER_ACCOUNT_ENV), filterPolicy: {} };
      return new DurableTopic(stack, 'It').deliverToEndpoint('X', URL, options);
    },
    4,
  ],
  [
    'TopicDeliveryPolicy',
    stack => {
      const deliveryPolicy = { healthyRetryPolicy: { numRetries: 101 }, throttlePolicy: { maxReceivesPerSecond: 0 } };
      return new TopicDeliveryPolicy(stack, 'It', { topic: new Topic(stack, 'Topic'), deliveryPolicy });
    },
    2,
  ],
  [
    'Redrive',
    stack =>
      new ProcessingQueue(stack, 'It', { fifo: true }).redriveDeadLetters('It', {
        settle: Duration.minutes(1),
        maxBacklog: -1,
        runsPerDay: 11,
      }),
    4,
  ],
];

test.each(ALL)('One error reports all problems of %s', (_, act, count) => {
  const [head = '', ...lines] = problems(act);
  expect(head).toMatch(new RegExp(`has ${count} problems:$`));
  expect(lines).toHaveLength(count);
  for (const line of lines) expect(line).toMatch(/^ {2}- \S+ must .*, got ./);
});

describe('What is legal and may lose messages', () => {
  test.each(WARNING_IDS)('gets the warning %s and no other', id => {
    const stack = newStack(APP_ENV);
    WARNED[id](stack);
    expect(warningIds(stack)).toEqual([id]);
  });

  test.each(WARNING_IDS)('gets no warning %s once that is acknowledged', id => {
    const stack = newStack(APP_ENV);
    Annotations.of(stack).acknowledgeWarning(`dead-letter-office:${id}`, 'It is meant.');
    WARNED[id](stack);
    expect(warningIds(stack)).toEqual([]);
  });
});
