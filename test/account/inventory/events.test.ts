import { ListRulesCommand, ListTargetsByRuleCommand } from '@aws-sdk/client-eventbridge';
import type { Connection } from '../../../account/connection/connection';
import { TimedRetries } from '../../../account/connection/retries';
import { UnreadCalls } from '../../../account/connection/unread-calls';
import { AccountReader } from '../../../account/inventory/account-reader';
import { readRuleTargets, readSchedules } from '../../../account/inventory/events';

const CLOCK = { nowMs: () => 0, wait: async () => {}, random: () => 0 };

describe('rule targets', () => {
  const REGION = 'eu-west-1';
  const ruleArn = (name: string) => `arn:aws:events:${REGION}:111122223333:rule/${name}`;

  const ANSWERS: Readonly<Record<string, unknown>> = {
    [ListRulesCommand.name]: {
      Rules: [
        { Name: 'placed', Arn: ruleArn('placed') },
        {
          Name: 'StepFunctionsGetEventsForECSTaskRule',
          Arn: ruleArn('StepFunctionsGetEventsForECSTaskRule'),
          ManagedBy: 'states.amazonaws.com',
        },
      ],
    },
    [ListTargetsByRuleCommand.name]: {
      Targets: [{ Id: '1', Arn: 'arn:aws:sqs:x', RetryPolicy: { MaximumEventAgeInSeconds: 60 } }],
    },
  };

  /** Returns a reader of an account that gives the same answer to every call of one kind. */
  function reader(): AccountReader {
    const client: Connection['client'] = Client => {
      const made = new Client({
        region: REGION,
        useQueueUrlAsEndpoint: false,
        retryStrategy: new TimedRetries(CLOCK),
        requestHandler: { connectionTimeout: 1, requestTimeout: 1, throwOnRequestTimeout: true },
      });
      made.middlewareStack.add(
        (_, { commandName = '' }) =>
          () =>
            Promise.resolve({ response: {}, output: { $metadata: {}, ...Object(ANSWERS[commandName]) } }),
        { step: 'initialize', priority: 'high', name: 'answer' },
      );
      return made;
    };
    return new AccountReader({ region: REGION, unread: new UnreadCalls(), client });
  }

  /** @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-troubleshooting.html about rules that services manage */
  test('a rule that a service of AWS keeps for itself is left out, for nobody may change its targets', async () => {
    const targets = await readRuleTargets(reader(), [{ Name: 'default' }]);
    expect(targets.map(({ name, maximumEventAgeSeconds }) => [name, maximumEventAgeSeconds])).toEqual([
      ['placed/1', 60],
    ]);
  });
});

describe('schedules', () => {
  const REGION = 'mx-central-1';

  /** Returns a reader of an account in which every call fails with this code before it is sent. */
  function readerAt(code: string): AccountReader {
    const client: Connection['client'] = Client => {
      const made = new Client({
        region: REGION,
        useQueueUrlAsEndpoint: false,
        retryStrategy: new TimedRetries(CLOCK),
        requestHandler: { connectionTimeout: 1, requestTimeout: 1, throwOnRequestTimeout: true },
      });
      const fail = () => Promise.reject(Object.assign(new Error(`getaddrinfo ${code}`), { code }));
      made.middlewareStack.add(() => fail, { step: 'initialize', priority: 'high', name: 'fail' });
      return made;
    };
    return new AccountReader({ region: REGION, unread: new UnreadCalls(), client });
  }

  test('a Region without Scheduler has no schedules, and it is said', async () => {
    const reader = readerAt('ENOTFOUND');
    expect(await readSchedules(reader)).toEqual([]);
    expect(reader.unseen).toEqual(['schedules were not read: EventBridge Scheduler has no endpoint in mx-central-1']);
  });

  test('a Scheduler that does not answer leaves schedules unknown', async () => {
    const reader = readerAt('ECONNRESET');
    expect(await readSchedules(reader)).toEqual([]);
    expect(reader.incomplete).toEqual(['targets', 'feeders']);
    expect(reader.unseen).toEqual([
      'the schedules cannot be read: scheduler:ListSchedules fails (getaddrinfo ECONNRESET)',
    ]);
  });
});
