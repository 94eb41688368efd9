import * as cloudwatch from '@aws-sdk/client-cloudwatch';
import * as iam from '@aws-sdk/client-iam';
import * as kms from '@aws-sdk/client-kms';
import * as lambda from '@aws-sdk/client-lambda';
import * as sns from '@aws-sdk/client-sns';
import * as sqs from '@aws-sdk/client-sqs';
import { checkInventory } from '../../../diagnosis/checks/check-inventory';
import type { AwsCall } from '../../../diagnosis/fixes/fix';
import { inventoryOf, policyOf, queue, queueArn, sendStatement, subscription, topic, topicArn } from '../inventories';
import { ROWS } from './rows';

const CLIENTS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = { cloudwatch, iam, kms, lambda, sns, sqs };

/** Returns the members of an operation's input, from the SDK's schema, and how many of the first ones are required. */
function inputOf({ service, operation }: AwsCall): { readonly members: readonly string[]; readonly required: number } {
  const schema = CLIENTS[service]?.[`${operation}$`];
  const input: unknown = Array.isArray(schema) && typeof schema[4] === 'function' ? schema[4]() : undefined;
  if (!Array.isArray(input)) throw new Error(`${service} has no operation ${operation}`);
  return { members: input[4], required: input[6] ?? 0 };
}

const callsOfRows = () =>
  ROWS.flatMap(({ withFault }) => checkInventory(withFault).flatMap(({ fix }) => fix.calls ?? []));

test('what the checks would have AWS do is what its API takes', () => {
  const calls = callsOfRows();
  expect(calls.length).toBeGreaterThan(5);
  for (const call of calls) {
    const { members, required } = inputOf(call);
    expect(members).toEqual(expect.arrayContaining(Object.keys(call.input)));
    expect(Object.keys(call.input)).toEqual(expect.arrayContaining(members.slice(0, required)));
  }
});

test('every policy in them is one, as JSON', () => {
  const policies = callsOfRows()
    .flatMap(({ input }) => [input['Policy'], input['PolicyDocument']])
    .filter(it => it !== undefined);
  expect(policies.length).toBeGreaterThan(5);
  for (const policy of policies) expect(JSON.parse(String(policy))).toMatchObject({ Statement: expect.any(Array) });
});

test('what is in a template is fixed there, and not by a call', () => {
  const inTemplate = ROWS.flatMap(({ withFault }) => checkInventory(withFault)).filter(
    ({ resource }) => resource.place !== undefined,
  );
  expect(inTemplate.length).toBeGreaterThan(5);
  expect(inTemplate.filter(({ fix }) => fix.calls !== undefined)).toEqual([]);
});

/** "21 statements were found in the submitted policy, max allowed is 20" (recorded, aws/aws-cdk#16303). */
test('a policy that 25 topics are added to keeps within the 20 statements that SQS takes', () => {
  const names = Array.from({ length: 25 }, (_, i) => `orders-${i}`);
  const dead = { deadLetterTargetArn: queueArn('dead') };
  const found = checkInventory(
    inventoryOf({
      topics: names.map(it => topic(it)),
      subscriptions: names.map(it => subscription(it, '1', dead)),
      queues: [queue('dead', { policy: policyOf(sendStatement('sns.amazonaws.com', 'dead', topicArn('other'))) })],
    }),
  ).filter(({ id, resource }) => id === 'queue-policy-keeps-out' && resource.name === 'dead');
  expect(found).toHaveLength(25);
  const policies = found.flatMap(({ fix }) => fix.calls ?? []).map(({ input }) => JSON.stringify(input));
  expect(new Set(policies).size).toBe(1);
  const { Attributes } = JSON.parse(policies[0] ?? '');
  const sources = ['other', ...names].map(it => topicArn(it));
  expect(JSON.parse(Attributes.Policy).Statement).toMatchObject([
    { Condition: { ArnEquals: { 'aws:SourceArn': sources } } },
  ]);
});

test('a role that logs for all topics is made once: IAM refuses a second of its name', () => {
  const names = ['orders', 'returns'];
  const dead = { deadLetterTargetArn: queueArn('dead') };
  const found = checkInventory(
    inventoryOf({
      topics: names.map(it => topic(it)),
      subscriptions: names.map(it => subscription(it, '1', dead)),
    }),
  ).filter(({ id }) => id === 'logging-off');
  expect(found.map(({ fix }) => fix.calls?.map(({ operation }) => operation))).toEqual([
    ['CreateRole', 'PutRolePolicy', 'SetTopicAttributes'],
    ['PutRolePolicy', 'SetTopicAttributes'],
  ]);
});
