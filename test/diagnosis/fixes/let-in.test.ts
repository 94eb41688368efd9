import { allowInvoke } from '../../../diagnosis/fixes/let-invoke';
import { allowRole } from '../../../diagnosis/fixes/let-role';
import { allowSend } from '../../../diagnosis/fixes/let-send';
import { allowKeyUse } from '../../../diagnosis/fixes/let-use-key';
import type { KeyFacts, QueueFacts } from '../../../diagnosis/inventory/inventory';

const TOPIC = 'arn:aws:sns:eu-central-1:111122223333:orders';
const RULE = 'arn:aws:events:eu-central-1:111122223333:rule/Shop/OrderPlaced';
const SNS = { service: 'sns.amazonaws.com', sourceArn: TOPIC };
const EVENTS = { service: 'events.amazonaws.com', sourceArn: RULE };

const QUEUE: QueueFacts = {
  arn: 'arn:aws:sqs:eu-central-1:111122223333:bills',
  name: 'bills',
  url: 'https://sqs.eu-central-1.amazonaws.com/111122223333/bills',
  isFifo: false,
  retentionSeconds: 345_600,
  visibilityTimeoutSeconds: 30,
  redrivePolicy: undefined,
  redriveAllowPolicy: undefined,
  keyId: undefined,
  policy: undefined,
};

const KEY: KeyFacts = {
  arn: 'arn:aws:kms:eu-central-1:111122223333:key/1234',
  name: 'alias/bills',
  aliases: ['alias/bills'],
  isManagedByAws: false,
  isEnabled: true,
  policy: { Version: '2012-10-17', Statement: { Sid: 'Owner', Effect: 'Allow' } },
};

const MAY_SEND = {
  Sid: 'Allowsnsorders',
  Effect: 'Allow',
  Principal: { Service: 'sns.amazonaws.com' },
  Action: 'sqs:SendMessage',
  Resource: QUEUE.arn,
  Condition: { ArnEquals: { 'aws:SourceArn': TOPIC } },
};

/** What a call would set, with the policy read. */
function policyIn(text: unknown): unknown {
  return JSON.parse(String(text));
}

test('a queue without a policy gets one of one statement', () => {
  const { says, statement, calls = [] } = allowSend(QUEUE, SNS);
  expect(says).toBe('Let SNS, for the topic orders, send to the queue bills: add this statement to its policy.');
  expect(statement).toEqual(MAY_SEND);
  expect(calls).toEqual([
    {
      service: 'sqs',
      operation: 'SetQueueAttributes',
      input: {
        QueueUrl: QUEUE.url,
        Attributes: { Policy: JSON.stringify({ Version: '2012-10-17', Statement: [MAY_SEND] }) },
      },
    },
  ]);
});

test('what a policy says stays, and a name that is taken is not taken again', () => {
  const there = [{ Sid: 'Allowsnsorders', Effect: 'Deny' }, { Effect: 'Allow' }];
  const policy = { Version: '2008-10-17', Id: 'mine', Statement: there };
  const { calls = [] } = allowSend({ ...QUEUE, policy }, SNS);
  expect(policyIn(Object(calls[0]?.input['Attributes']).Policy)).toEqual({
    ...policy,
    Statement: [...there, { ...MAY_SEND, Sid: 'Allowsnsorders2' }],
  });
});

test('a queue whose policy or URL is not known gets a statement and no calls', () => {
  const { url: _, ...planned } = QUEUE;
  const ofOthers = { ...QUEUE, policy: { unknownBecause: 'belongs to another account' } };
  for (const queue of [planned, ofOthers]) {
    const { statement, calls } = allowSend(queue, SNS);
    expect([statement, calls]).toEqual([MAY_SEND, undefined]);
  }
});

test('a key lets SNS in for one topic, and EventBridge, which does not say for which rule, for all', () => {
  const keyStatements = (who: typeof SNS) => {
    const { calls = [] } = allowKeyUse(KEY, who);
    expect(calls[0]).toMatchObject({
      service: 'kms',
      operation: 'PutKeyPolicy',
      input: { KeyId: KEY.arn, PolicyName: 'default' },
    });
    return Object(policyIn(calls[0]?.input['Policy'])).Statement;
  };
  const statement = { Effect: 'Allow', Action: ['kms:Decrypt', 'kms:GenerateDataKey*'], Resource: '*' };
  expect(keyStatements(SNS)).toEqual([
    { Sid: 'Owner', Effect: 'Allow' },
    {
      Sid: 'Allowsnsorders',
      ...statement,
      Principal: { Service: 'sns.amazonaws.com' },
      Condition: { ArnLike: { 'aws:SourceArn': TOPIC } },
    },
  ]);
  expect(keyStatements(EVENTS)[1]).toEqual({
    Sid: 'AlloweventsruleShopOrderPlaced',
    ...statement,
    Principal: { Service: 'events.amazonaws.com' },
  });
});

test('a key whose policy is not known gets a statement and no calls', () => {
  expect(allowKeyUse({ ...KEY, policy: { unknownBecause: 'may not be read' } }, SNS)).not.toHaveProperty('calls');
});

test('a function, or an alias of it, lets a service in', () => {
  const arn = 'arn:aws:lambda:eu-central-1:111122223333:function:bill';
  expect(allowInvoke(`${arn}:live`, EVENTS)).toMatchObject({
    says: 'Let EventBridge, for the rule OrderPlaced, invoke the function bill:live.',
    calls: [
      {
        service: 'lambda',
        operation: 'AddPermission',
        input: {
          FunctionName: arn,
          Qualifier: 'live',
          StatementId: 'Allow-events-rule-Shop-OrderPlaced',
          Action: 'lambda:InvokeFunction',
          Principal: 'events.amazonaws.com',
          SourceArn: RULE,
        },
      },
    ],
  });
  expect(allowInvoke(arn, SNS).calls?.[0]?.input).not.toHaveProperty('Qualifier');
});

test('a role gets a policy of its own, and keeps those it has', () => {
  const { calls = [] } = allowRole('arn:aws:iam::111122223333:role/shop/Biller', ['dynamodb:PutItem'], `${QUEUE.arn}`);
  expect(calls).toEqual([
    {
      service: 'iam',
      operation: 'PutRolePolicy',
      input: {
        RoleName: 'Biller',
        PolicyName: expect.stringMatching(/^Allow-dynamodb-PutItem-eu-central-1-bills-[0-9a-f]{8}$/),
        PolicyDocument: JSON.stringify({
          Version: '2012-10-17',
          Statement: [{ Effect: 'Allow', Action: ['dynamodb:PutItem'], Resource: QUEUE.arn }],
        }),
      },
    },
  ]);
});

test('a role’s policies for queues of one name, in two Regions or of long names, are by different names', () => {
  const long = (last: string) => `arn:aws:sqs:eu-west-1:111122223333:${'n'.repeat(79)}${last}`;
  const actions = ['kms:Decrypt', 'kms:GenerateDataKey', 'sqs:ReceiveMessage', 'sqs:DeleteMessage'];
  const resources = ['eu-west-1', 'us-east-1'].map(region => `arn:aws:sqs:${region}:111122223333:bills`);
  const names = [...resources, long('a'), long('b')].map(
    it => allowRole('arn:aws:iam::111122223333:role/Biller', actions, it).calls?.[0]?.input['PolicyName'],
  );
  expect(new Set(names).size).toBe(4);
  for (const name of names) expect(name).toMatch(/^[\w+=,.@-]{1,128}$/);
});
