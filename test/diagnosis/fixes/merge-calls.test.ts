import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { setRetention } from '../../../diagnosis/fixes/change-settings';
import { type Fix, isCallable, renderCall } from '../../../diagnosis/fixes/fix';
import { allowInvoke, allowKeyUse, allowPublish, allowSend } from '../../../diagnosis/fixes/grant-access';
import { logFailures } from '../../../diagnosis/fixes/log-deliveries';
import { mergedFixes } from '../../../diagnosis/fixes/merge-calls';
import {
  arnOf,
  deadLettersOf,
  functionArn,
  inventoryOf,
  key,
  queue,
  sendStatement,
  topic,
  topicArn,
} from '../inventories';

describe('merge calls', () => {
  const DEAD = deadLettersOf('first', 'dead');
  const SNS = 'sns.amazonaws.com';
  const send = (name: string, to = DEAD) => allowSend(to, { service: SNS, sourceArn: topicArn(name) });

  /** The policies that are set, in the order of the calls. */
  const policies = (fixes: readonly Fix[]): { Statement: { Sid?: string }[] }[] =>
    fixes.flatMap(({ calls = [] }) =>
      calls.flatMap(({ input }) => {
        const attributes = Object(input['Attributes']);
        const text = input['Policy'] ?? input['AttributeValue'] ?? attributes['Policy'];
        return text === undefined ? [] : [JSON.parse(String(text))];
      }),
    );

  test('what several add to one policy stands in each, with what was there', () => {
    const fixes = [send('orders'), send('returns')];
    const [one, other] = policies(mergedFixes(fixes));
    expect(one).toEqual(other);
    expect(one?.Statement).toEqual([
      sendStatement(SNS, 'dead', topicArn('first')),
      fixes[0]?.statement,
      fixes[1]?.statement,
    ]);
  });

  test('what is the same stands there once, and no two have the same name', () => {
    const abroad = allowSend(DEAD, { service: SNS, sourceArn: arnOf('sns', 'orders', 'us-east-1') });
    const [{ Statement = [] } = {}] = policies(mergedFixes([send('orders'), send('orders'), abroad]));
    expect(Statement.map(({ Sid }) => Sid)).toEqual([undefined, 'Allowsnsorders', 'Allowsnsorders2']);
  });

  test.each<[what: string, fixes: readonly Fix[]]>([
    [
      'a topic',
      ['events', 'cloudwatch'].map(it =>
        allowPublish(topic('o'), { service: `${it}.amazonaws.com`, sourceArn: arnOf(it, '*') }),
      ),
    ],
    ['a key', ['a', 'b'].map(it => allowKeyUse(key('k'), { service: SNS, sourceArn: topicArn(it) }))],
  ])('the same of %s', (_, fixes) => {
    const [one, other] = policies(mergedFixes(fixes));
    expect(one).toEqual(other);
    expect(one?.Statement).toEqual(expect.arrayContaining(fixes.map(({ statement }) => statement)));
  });

  test('what is about another queue, or no policy, stays as it is', () => {
    const fixes = [send('orders'), send('orders', queue('other')), setRetention(DEAD, 60, 'Keep.'), { says: 'Ask.' }];
    expect(mergedFixes(fixes)).toEqual(fixes);
  });

  describe('What fails where it was made before', () => {
    const topics = ['orders', 'returns'].map(name => topic(name, { logging: [] }));
    const [logOrders, logReturns] = topics.map(({ arn }) => logFailures(arn, 'sqs', inventoryOf({ topics })));
    const made = ({ calls = [] }: Fix) => calls.map(({ operation }) => operation);

    test('is made by the first of the fixes, and the others say so', () => {
      const [one, other] = mergedFixes([logOrders, logReturns].flatMap(fix => fix ?? []));
      expect([one, other].flatMap(fix => (fix ? [made(fix)] : []))).toEqual([
        ['CreateRole', 'PutRolePolicy', 'SetTopicAttributes'],
        ['PutRolePolicy', 'SetTopicAttributes'],
      ]);
      expect(one?.says).toBe(logOrders?.says);
      expect(other?.says).toBe(
        `${logReturns?.says} First run the call above that creates the role SnsDeliveryStatus-eu-west-1.`,
      );
    });

    test('is made by each where what it makes is not the same', () => {
      const who = (name: string) => ({ service: SNS, sourceArn: topicArn(name) });
      const fixes = ['orders', 'returns'].map(name => allowInvoke(functionArn('bill'), who(name)));
      expect(mergedFixes(fixes)).toEqual(fixes);
      expect(mergedFixes([...fixes, ...fixes]).map(made)).toEqual([['AddPermission'], ['AddPermission'], [], []]);
    });
  });
});

describe('render', () => {
  const call = { service: 'sqs', operation: 'SetQueueAttributes', input: { QueueUrl: 'https://example.com/1/q' } };

  test('a call is rendered as the command has it', () => {
    expect(renderCall(call)).toBe(
      `aws sqs set-queue-attributes --cli-input-json '{"QueueUrl":"https://example.com/1/q"}'`,
    );
  });

  test.each([
    ['PutKeyPolicy', 'put-key-policy'],
    ['PutMetricAlarm', 'put-metric-alarm'],
    ['PutFunctionEventInvokeConfig', 'put-function-event-invoke-config'],
  ])('%s is %s', (operation, command) => {
    expect(renderCall({ ...call, operation })).toContain(` ${command} `);
  });

  test('where it is made is said before what is made', () => {
    expect(renderCall(call, { region: 'eu-west-1', profile: 'night shift' })).toMatch(
      /^aws sqs set-queue-attributes --profile 'night shift' --region eu-west-1 --cli-input-json /,
    );
  });

  /** Returns the words of each command, as a shell splits them. A byte that no text contains separates them. */
  function wordsOf(commands: readonly string[]): string[][] {
    const script = ['aws() { printf "%s\\0" "$@"; printf "\\n"; }', ...commands].join('\n');
    const out = execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' });
    return out.split('\0\n').map(line => line.split('\0'));
  }

  test('whatever is in it, a shell hands on the very input', () => {
    const texts = fc.sample(fc.string({ unit: 'binary', maxLength: 12 }), { seed: 7, numRuns: 200 });
    const nasty = [`'; rm -rf ~ #`, '$(id)', '`id`', '\u202e', '\n', '!!', '\\'];
    const inputs = [...texts, ...nasty].map(Policy => ({ Policy }));
    const commands = inputs.map(input => renderCall({ ...call, input }));
    expect(commands.every(command => /^[\x20-\x7e]*$/.test(command))).toBe(true);
    const received = wordsOf(commands).slice(0, inputs.length);
    expect(received.map(words => JSON.parse(words.at(-1) ?? ''))).toEqual(inputs);
  });

  test('what names something only a deployment tells cannot be called', () => {
    expect(isCallable(call)).toBe(true);
    expect(isCallable({ ...call, input: { QueueUrl: 'https://example.com/<account>/q' } })).toBe(false);
  });
});
