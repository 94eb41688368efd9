import { ListEventBusesCommand, ListRulesCommand, ListTargetsByRuleCommand } from '@aws-sdk/client-eventbridge';
import type { Connection } from '../../../account/connection/connection';
import { ThrottleRetries } from '../../../account/connection/patient-retries';
import { AccountReader } from '../../../account/inventory/account-reader';
import { readRuleTargets } from '../../../account/inventory/rule-targets';

const REGION = 'eu-west-1';
const ruleArn = (name: string) => `arn:aws:events:${REGION}:111122223333:rule/${name}`;

const ANSWERS: Readonly<Record<string, unknown>> = {
  [ListEventBusesCommand.name]: { EventBuses: [{ Name: 'default' }] },
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

/** Somebody who reads an account that answers every call of one kind the same. */
function reader(): AccountReader {
  const client: Connection['client'] = Client => {
    const made = new Client({
      region: REGION,
      useQueueUrlAsEndpoint: false,
      retryStrategy: new ThrottleRetries(),
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
  return new AccountReader({ region: REGION, client });
}

/** @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-troubleshooting.html about rules that services manage */
test('a rule that a service of AWS keeps for itself is left out, for nobody may change its targets', async () => {
  const targets = await readRuleTargets(reader());
  expect(targets.map(({ name, maximumEventAgeSeconds }) => [name, maximumEventAgeSeconds])).toEqual([['placed/1', 60]]);
});
