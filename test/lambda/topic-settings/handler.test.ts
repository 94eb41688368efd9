import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { defaultProvider } from '../../../lambda/shared/function-credentials';
import type { HttpAnswer, NoAnswer, Send } from '../../../lambda/shared/http-send';
import type { LogLine } from '../../../lambda/shared/log';
import { responder } from '../../../lambda/topic-settings/cloudformation-request';
import { topicSettingsHandler } from '../../../lambda/topic-settings/handler';
import type { LogGroupCalls } from '../../../lambda/topic-settings/log-groups';
import type { Outcome } from '../../../lambda/topic-settings/outcome';
import { answered, unanswered } from '../http-results';

const EVENT = {
  RequestType: 'Create',
  ResponseURL: 'https://answers.example.com/stack%7Cid?X-Amz-Signature=5ec2e7',
  StackId: 'arn:aws:cloudformation:us-east-1:123456789012:stack/Test/0',
  RequestId: 'request-1',
  LogicalResourceId: 'Policy',
  ResourceType: 'Custom::TopicDeliveryPolicy',
  ResourceProperties: { TopicArn: 'arn:aws:sns:us-east-1:123456789012:orders', DeliveryPolicy: '{"http":{}}' },
};

/** CloudWatch Logs, where every call succeeds. */
const logGroups: LogGroupCalls = {
  create: async () => ({ kind: 'done' }),
  encryptWith: async () => ({ kind: 'done' }),
  retain: async () => ({ kind: 'done' }),
  delete: async () => ({ kind: 'done' }),
};

/** A handler for which SNS and the response URL have these results in turn, and then succeed. */
function handlerWhere(outcomes: (Outcome | Error)[] = [], replies: (HttpAnswer | NoAnswer)[] = []) {
  const set: (readonly [string, string])[] = [];
  const waits: number[] = [];
  const lines: LogLine[] = [];
  const bodies: string[] = [];
  const wait = async (milliseconds: number) => void waits.push(milliseconds);
  const send: Send = async (_method, _url, _headers, body) => {
    bodies.push(body);
    return replies.shift() ?? answered(200);
  };
  const handle = topicSettingsHandler({
    setDeliveryPolicy: async (topicArn, policy) => {
      set.push([topicArn, policy]);
      const outcome = outcomes.shift() ?? { kind: 'done' };
      if (outcome instanceof Error) throw outcome;
      return outcome;
    },
    logGroups,
    respond: responder(send, wait),
    wait,
    log: line => lines.push(line),
  });
  return { handle, set, waits, lines, bodies, answer: () => JSON.parse(bodies.at(-1) ?? '') };
}

const denied: Outcome = { kind: 'denied', reason: 'AuthorizationError: no' };
const unknown: Outcome = { kind: 'unknown', reason: 'TimeoutError: nothing' };

describe('The handler of topics’ delivery policies', () => {
  test('sets the policy of the template, and reports success', async () => {
    const world = handlerWhere();
    await world.handle(EVENT);
    expect(world.set).toEqual([[EVENT.ResourceProperties.TopicArn, '{"http":{}}']]);
    expect(world.answer()).toEqual({
      Status: 'SUCCESS',
      PhysicalResourceId: 'Policy',
      StackId: EVENT.StackId,
      RequestId: 'request-1',
      LogicalResourceId: 'Policy',
    });
  });

  test('removes the policy with an empty text, whatever the template had', async () => {
    const world = handlerWhere();
    await world.handle({ ...EVENT, RequestType: 'Delete', PhysicalResourceId: 'Policy' });
    expect(world.set).toEqual([[EVENT.ResourceProperties.TopicArn, '']]);
  });

  test('waits thirty seconds in all for a permission, and no longer', async () => {
    const world = handlerWhere([denied, denied, denied, denied, denied, denied]);
    await world.handle(EVENT);
    expect(world.waits).toEqual([2_000, 4_000, 8_000, 16_000]);
    expect(world.set).toHaveLength(5);
    expect(world.answer()).toMatchObject({ Status: 'FAILED', Reason: 'AuthorizationError: no' });
  });

  test.each([
    { what: 'that was refused', name: 'Policy:never-set', calls: 0, outcomes: [] },
    { what: 'that may have worked', name: 'Policy:perhaps-set', calls: 1, outcomes: [] },
    {
      what: 'that may have worked, without the permission',
      name: 'Policy:perhaps-set',
      calls: 1,
      outcomes: [denied],
    },
    { what: 'that may have worked, with SNS down', name: 'Policy:perhaps-set', calls: 1, outcomes: [unknown] },
  ])('succeeds at once in deleting after a creation that $what', async ({ name, calls, outcomes }) => {
    const world = handlerWhere([...outcomes]);
    await world.handle({ ...EVENT, RequestType: 'Delete', PhysicalResourceId: name });
    expect(world.answer()).toMatchObject({ Status: 'SUCCESS', PhysicalResourceId: name });
    expect([world.set.length, world.waits]).toEqual([calls, []]);
    expect(world.lines.filter(({ level }) => level === 'WARN')).toHaveLength(outcomes.length);
  });

  test('fails a deletion that SNS refuses or does not answer, because the topic keeps the policy', async () => {
    for (const outcome of [denied, unknown]) {
      const world = handlerWhere(Array(5).fill(outcome));
      await world.handle({ ...EVENT, RequestType: 'Delete', PhysicalResourceId: 'Policy' });
      expect(world.answer()).toMatchObject({ Status: 'FAILED', PhysicalResourceId: 'Policy' });
    }
  });

  test('answers CloudFormation even if its own code fails', async () => {
    const world = handlerWhere([new Error('broken')]);
    await world.handle(EVENT);
    expect(world.answer()).toMatchObject({
      Status: 'FAILED',
      Reason: 'broken',
      PhysicalResourceId: 'Policy:perhaps-set',
    });
  });

  /** CloudFormation refuses more than 4,096 bytes. */
  test.each(['x', '"', 'ü', '\u0001', '\u{1f4ee}'])('keeps its answer short enough: %j', async character => {
    const world = handlerWhere([{ kind: 'refused', reason: character.repeat(10_000) }]);
    await world.handle(EVENT);
    expect(Buffer.byteLength(world.bodies[0] ?? '')).toBeLessThan(4_096);
    expect(world.answer().Reason).toContain(character);
  });
});

describe('A request to the handler', () => {
  test.each([
    ['nothing', undefined, 'ResponseURL must be a text'],
    ['a text', 'Create', 'ResponseURL must be a text'],
    ['no URL', { ...EVENT, ResponseURL: 'answers 5ec2e7' }, 'ResponseURL must be an https URL'],
    ['a URL in the clear', { ...EVENT, ResponseURL: 'http://answers/5ec2e7' }, 'ResponseURL must be an https URL'],
    ['no request id', { ...EVENT, RequestId: '' }, 'RequestId must be a text'],
    ['no stack', { ...EVENT, StackId: 7 }, 'StackId must be a text'],
    ['no logical id', { ...EVENT, LogicalResourceId: undefined }, 'LogicalResourceId must be a text'],
    ['no resource type', { ...EVENT, ResourceType: undefined }, 'ResourceType must be a text'],
    ['no type', { ...EVENT, RequestType: null }, 'RequestType must be a text'],
  ])('is malformed if it is %s: nothing is done, and no URL shown', async (_what, event, text) => {
    const world = handlerWhere();
    const failure: unknown = await world.handle(event).catch(error => error);
    expect(String(failure)).toMatch(/^NotARequestError: not a CloudFormation request: /);
    expect(String(failure)).toContain(text);
    expect(String(failure)).not.toContain('5ec2e7');
    expect([world.set, world.bodies]).toEqual([[], []]);
  });

  test('of an unknown type is refused', async () => {
    const world = handlerWhere();
    await world.handle({ ...EVENT, ResourceType: 'Custom::Other' });
    expect(world.answer()).toMatchObject({ Status: 'FAILED', PhysicalResourceId: 'Policy:never-set' });
    expect(world.answer().Reason).toContain('ResourceType must be one of');
  });

  test.each([
    [{}, 'TopicArn', 'DeliveryPolicy'],
    [
      { ...EVENT.ResourceProperties, TopicArn: 'arn:aws:sqs:us-east-1:123456789012:orders' },
      "TopicArn must be a topic's ARN",
    ],
    [{ ...EVENT.ResourceProperties, DeliveryPolicy: '' }, 'DeliveryPolicy must be a JSON object, as text, got ""'],
    [{ ...EVENT.ResourceProperties, DeliveryPolicy: { http: {} } }, 'DeliveryPolicy must be a JSON object, as text'],
  ])('with these problems in its properties is refused: %j', async (ResourceProperties, ...texts) => {
    const world = handlerWhere();
    await world.handle({ ...EVENT, ResourceProperties });
    for (const text of texts) expect(world.answer().Reason).toContain(text);
    expect(world.answer()).toMatchObject({ Status: 'FAILED', PhysicalResourceId: 'Policy:never-set' });
    expect(world.set).toEqual([]);
  });
});

describe('The answer to CloudFormation', () => {
  test('is sent again if S3 fails or does not answer', async () => {
    const world = handlerWhere([], [answered(503), unanswered(new Error('socket hang up')), answered(429)]);
    await world.handle(EVENT);
    expect(world.bodies).toHaveLength(4);
    expect(new Set(world.bodies).size).toBe(1);
    expect(world.waits).toEqual([1_000, 2_000, 4_000]);
  });

  test.each([
    ['is refused', [answered(403)], 'answers.example.com answered 403', 1],
    [
      'never passes',
      Array(5).fill(unanswered(new Error('ECONNRESET'))),
      'no answer from answers.example.com: ECONNRESET',
      5,
    ],
  ])('that %s fails the invocation, and shows no signature', async (_what, replies, text, tries) => {
    const world = handlerWhere([], replies);
    const failure: unknown = await world.handle(EVENT).catch(error => error);
    expect(String(failure)).toBe(`AnswerNotSentError: CloudFormation did not get the answer: ${text}`);
    expect(world.bodies).toHaveLength(tries);
    expect(JSON.stringify(world.lines)).not.toContain('5ec2e7');
  });
});

const BUNDLE = path.resolve(__dirname, '../../../dist/lambda/topic-settings/index.js');

test('The bundle of topics’ delivery policies exports a handler, and loads without environment variables', () => {
  const script = `console.log(typeof require(${JSON.stringify(BUNDLE)}).handler)`;
  const env = { PATH: process.env['PATH'], AWS_REGION: 'us-east-1' };
  const { stdout, status } = spawnSync(process.execPath, ['-e', script], { env, encoding: 'utf8' });
  expect([stdout.trim(), status]).toEqual(['function', 0]);
});

describe('The credentials of a function', () => {
  const NAMES = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'];
  const before = NAMES.map(name => [name, process.env[name]] as const);

  afterEach(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });

  test('are those of its environment', async () => {
    for (const name of NAMES) process.env[name] = `of ${name}`;
    await expect(defaultProvider()()).resolves.toEqual({
      accessKeyId: 'of AWS_ACCESS_KEY_ID',
      secretAccessKey: 'of AWS_SECRET_ACCESS_KEY',
      sessionToken: 'of AWS_SESSION_TOKEN',
    });
  });

  test('are an error if there are none', async () => {
    for (const name of NAMES) delete process.env[name];
    await expect(defaultProvider()()).rejects.toThrow('The environment has no AWS credentials');
  });
});
