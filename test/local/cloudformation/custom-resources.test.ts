import { CfnParameter, CfnWaitConditionHandle, CustomResource, Duration, SecretValue, type Stack } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { LambdaSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { AssemblyError, LocalAws, type TracedAwsEvent } from '../../../local';
import { administrator } from '../../../local/kernel/caller';
import { assemblyOfStack } from '../../support/assembly';
import { Deployed } from '../../support/deployed';
import { inlineFunction } from '../../support/inline-function';

/** A function that answers with what `answerOf` makes of the request, `latencyMs` later. */
function answering(answerOf: string, latencyMs = 0): string {
  return `
    const https = require('node:https');
    exports.handler = async given => {
      const event = given.Records ? JSON.parse(given.Records[0].Sns.Message) : given;
      console.log('REQUEST ' + JSON.stringify(event));
      const { StackId, RequestId, LogicalResourceId } = event;
      const answer = { Status: 'SUCCESS', PhysicalResourceId: 'made', StackId, RequestId, LogicalResourceId };
      const body = JSON.stringify({ ...answer, ...(${answerOf})(event) });
      await new Promise(resolve => setTimeout(resolve, ${latencyMs}));
      const url = new URL(event.ResponseURL);
      await new Promise((resolve, reject) => {
        const options = { hostname: url.hostname, path: url.pathname + url.search, method: 'PUT' };
        const request = https.request({ ...options, headers: { 'content-length': Buffer.byteLength(body) } }, reply => {
          console.log('PUT ' + reply.statusCode);
          reply.resume();
          reply.on('end', resolve);
        });
        request.on('error', reject);
        request.end(body);
      });
    };`;
}

function custom(answerOf: string, properties: Record<string, unknown> = {}, more: object = {}) {
  return (stack: Stack): void => {
    const handler = inlineFunction(stack, 'Handler', answering(answerOf));
    new CustomResource(stack, 'Custom', { serviceToken: handler.functionArn, properties, ...more });
  };
}

async function problemsOf(fill: (stack: Stack) => void): Promise<readonly string[]> {
  const failure: unknown = await LocalAws.deploy(assemblyOfStack(fill)).then(
    async aws => {
      await aws.close();
      return 'it was deployed';
    },
    error => error,
  );
  if (failure instanceof AssemblyError) return failure.problems;
  throw failure;
}

function requested(aws: LocalAws): Extract<TracedAwsEvent, { type: 'cloudformation.custom-resource-requested' }>[] {
  return aws.trace.events.flatMap(it => (it.type === 'cloudformation.custom-resource-requested' ? [it] : []));
}

/** What the function got, from its log. */
function requestIn(world: Deployed, group: string): Record<string, unknown> {
  const line = world.log(group).find(it => it.includes('REQUEST ')) ?? '';
  return JSON.parse(line.slice(line.indexOf('REQUEST ') + 'REQUEST '.length)) as Record<string, unknown>;
}

const PREFIX = 'Test: Test/Custom/Default (Custom, AWS::CloudFormation::CustomResource): ';

/** https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/crpg-ref-requests.html */
describe('a custom resource', () => {
  it('is told what is wanted, scalars as text, and where to put its answer', async () => {
    const world = await Deployed.stack(
      custom(
        '() => ({})',
        { Count: 3, Deep: { on: true, list: [1, 'a', { off: false }] } },
        {
          resourceType: 'Custom::Greeting',
          serviceTimeout: Duration.minutes(5),
        },
      ),
    );
    const [{ stackId, requestId, serviceToken }] = requested(world.aws) as [ReturnType<typeof requested>[number]];
    const request = requestIn(world, `/aws/lambda/${world.ref('Handler')}`);
    expect(request).toEqual({
      RequestType: 'Create',
      ServiceToken: serviceToken,
      ResponseURL: expect.stringMatching(
        /^https:\/\/cloudformation-custom-resource-response-useast1\.s3\.amazonaws\.com\/arn%3Aaws%3Acloudformation%3A/,
      ),
      StackId: stackId,
      RequestId: requestId,
      LogicalResourceId: 'Custom',
      ResourceType: 'Custom::Greeting',
      ResourceProperties: {
        ServiceToken: world.arn('Handler'),
        ServiceTimeout: '300',
        Count: '3',
        Deep: { on: 'true', list: ['1', 'a', { off: 'false' }] },
      },
    });
    const query = new URL(String(request['ResponseURL'])).searchParams;
    expect(query.get('X-Amz-Date')).toBe('20260101T000000Z');
    expect(query.get('X-Amz-Signature')).toMatch(/^[0-9a-f]{64}$/);
  });

  it('gives its attributes to whatever needs them, and its physical id', async () => {
    const world = await Deployed.stack(stack => {
      const answer = `({ ResourceProperties: { Name } }) =>
        ({ PhysicalResourceId: 'greeting-' + Name, Data: { QueueName: Name + '-queue', Size: 5, Nested: { a: 1 } } })`;
      const handler = inlineFunction(stack, 'Handler', answering(answer));
      const greeting = new CustomResource(stack, 'Custom', {
        serviceToken: handler.functionArn,
        properties: { Name: 'hello' },
      });
      new Queue(stack, 'Queue', {
        queueName: greeting.getAttString('QueueName'),
        visibilityTimeout: Duration.seconds(greeting.getAtt('Size') as unknown as number),
      });
    });
    expect(world.ref('Custom/Default')).toBe('greeting-hello');
    expect(world.aws.resource('Custom').attributes).toEqual({ QueueName: 'hello-queue', Size: '5', Nested: '{"a":1}' });
    expect(world.name('Queue')).toBe('hello-queue');
    expect(world.happened('cloudformation.custom-resource-answered')).toEqual([
      expect.objectContaining({ logicalId: 'Custom', status: 'SUCCESS', physicalId: 'greeting-hello' }),
    ]);
  });

  it.each([
    [
      'a handler with two parameters',
      '(event, context) => { response.send(event, context, response.SUCCESS, { A: 1 }); }',
    ],
    ['an asynchronous handler', 'async (event, context) => response.send(event, context, "SUCCESS", { A: 1 }, "id")'],
  ])('answers with the module cfn-response of inline code, from %s', async (_, handlerCode) => {
    const code = `const response = require('cfn-response'); exports.handler = ${handlerCode};`;
    const world = await Deployed.stack(stack => {
      new CustomResource(stack, 'Custom', { serviceToken: inlineFunction(stack, 'Handler', code).functionArn });
    });
    expect(world.aws.resource('Custom').attributes).toEqual({ A: '1' });
    expect(world.ref('Custom/Default')).toMatch(/^id$|\[\$LATEST\]/);
  });

  it('takes the virtual time its function takes, and no more', async () => {
    const world = await Deployed.stack(stack => {
      const handler = inlineFunction(stack, 'Handler', answering('() => ({})', 90_000), {
        timeout: Duration.minutes(5),
      });
      for (const id of ['First', 'Second']) new CustomResource(stack, id, { serviceToken: handler.functionArn });
    });
    expect(world.aws.now).toBe('2026-01-01T00:03:00.000Z');
    expect(world.happened('cloudformation.custom-resource-answered')).toHaveLength(2);
  });

  it('may be asked for by a topic', async () => {
    const world = await Deployed.stack(stack => {
      const topic = new Topic(stack, 'Requests');
      const handler = inlineFunction(stack, 'Handler', answering('() => ({ Data: { By: "topic" } })'));
      topic.addSubscription(new LambdaSubscription(handler));
      const made = new CustomResource(stack, 'Custom', { serviceToken: topic.topicArn });
      made.node.addDependency(handler);
    });
    expect(world.aws.resource('Custom').attributes).toEqual({ By: 'topic' });
  });

  it('writes the same trace in every run', async () => {
    const assembly = assemblyOfStack(custom('() => ({ Data: { a: 1 } })', { Name: 'x' }));
    const traces: string[] = [];
    for (let i = 0; i < 2; i += 1) traces.push((await Deployed.assembly(assembly)).aws.trace.toJsonLines());
    expect(traces[0]).toBe(traces[1]);
    expect(traces[0]).toContain('cloudformation.custom-resource-answered');
  });
});

describe('a custom resource that fails', () => {
  it('fails the deploy, with its reason', async () => {
    const problems = await problemsOf(custom("() => ({ Status: 'FAILED', Reason: 'no such zone' })"));
    expect(problems).toEqual([
      expect.stringMatching(
        /: Received response status \[FAILED\] from custom resource\. Message returned: no such zone \(RequestId: [0-9a-f-]{36}\)$/,
      ),
    ]);
    expect(problems[0]).toContain(PREFIX);
  });

  /** https://github.com/awsdocs/aws-cloudformation-user-guide/pull/262 */
  it.each<[string, string]>([
    ["() => ({ Data: { x: 'y'.repeat(4096) } })", 'Response object is too long.'],
    ["() => ({ Status: 'FAILURE' })", "Invalid Response object: 'FAILURE' is not a valid ResponseStatus"],
    ["() => ({ PhysicalResourceId: '' })", 'Invalid PhysicalResourceId'],
    ["() => ({ RequestId: 'other' })", 'Invalid Response object: RequestId must be "'],
    ["() => ({ Data: 'text' })", 'Invalid Response object: Data must be an object, got "text"'],
  ])('because its answer is %s', async (answer, text) => {
    expect(await problemsOf(custom(answer))).toEqual([expect.stringContaining(`${PREFIX}${text}`)]);
  });

  it('because nobody answers in time', async () => {
    const assembly = assemblyOfStack(
      custom('() => { throw new Error("broken"); }', {}, { serviceTimeout: Duration.minutes(10) }),
    );
    const failure: unknown = await LocalAws.deploy(assembly).catch(error => error);
    expect(failure).toBeInstanceOf(AssemblyError);
    expect(String(failure)).toMatch(
      /: CloudFormation did not receive a response from your Custom Resource\. Please check your logs for requestId \[[0-9a-f-]{36}\].* The log ends with: .*broken/,
    );
  });

  it('because there is nobody to ask', async () => {
    const gone = 'arn:aws:lambda:us-east-1:123456789012:function:gone';
    const ask = (serviceToken: string, serviceTimeout?: Duration) =>
      problemsOf(stack => {
        new CustomResource(stack, 'Custom', { serviceToken, ...(serviceTimeout && { serviceTimeout }) });
      });
    expect(await ask(gone)).toEqual([`${PREFIX}ResourceNotFoundException: Function not found: ${gone}`]);
    expect(await ask('arn:aws:s3:::bucket')).toEqual([
      `${PREFIX}ValidationError: Invalid service token: arn:aws:s3:::bucket`,
    ]);
  });

  it('is not asked for at all in a deploy that has failed already, and takes no other blame with it', async () => {
    const problems = await problemsOf(stack => {
      const broken = new Queue(stack, 'Broken', { queueName: 'a b' });
      const handler = inlineFunction(stack, 'Handler', answering('() => ({ Status: "FAILED" })'));
      handler.node.addDependency(broken);
      const made = new CustomResource(stack, 'Custom', { serviceToken: handler.functionArn });
      new Queue(stack, 'After', { queueName: made.getAttString('Name') });
    });
    expect(problems).toEqual([expect.stringContaining('Test/Broken/Resource')]);
  });

  it('is told no secrets', async () => {
    const problems = await problemsOf(custom('() => ({})', { Password: '{{resolve:secretsmanager:db}}' }));
    expect(problems).toEqual([
      `${PREFIX}Properties: a dynamic reference to a secret is not resolved in a custom resource`,
    ]);
  });
});

it('secrets are used, and not shown by the API: of templates, of custom resources, and of parameters', async () => {
  const world = await Deployed.stack(stack => {
    const answer = '() => ({ NoEcho: true, Data: { Password: "hunter2" } })';
    const handler = inlineFunction(stack, 'Handler', answering(answer));
    const made = new CustomResource(stack, 'Custom', { serviceToken: handler.functionArn });
    const hidden = new CfnParameter(stack, 'Hidden', { default: 'swordfish', noEcho: true });
    new Secret(stack, 'Secret', { secretName: 'db', secretStringValue: SecretValue.unsafePlainText('sesame') });
    const environment = {
      PASSWORD: made.getAttString('Password'),
      HIDDEN: `is ${hidden.valueAsString}`,
      SECRET: SecretValue.secretsManager('db').unsafeUnwrap(),
    };
    const user = inlineFunction(stack, 'User', 'exports.handler = async () => process.env;', { environment });
    user.node.addDependency(stack.node.findChild('Secret'));
  });
  const { cloudFormation } = world.aws.services;
  const { StackEvents = [] } = cloudFormation.call('DescribeStackEvents', administrator(world.aws.place.account), {
    StackName: 'Test',
  });
  const shown = StackEvents.find(({ PhysicalResourceId }) => PhysicalResourceId === world.ref('User'));
  expect(JSON.parse(shown?.ResourceProperties ?? '')).toMatchObject({
    Environment: {
      Variables: { PASSWORD: '****', HIDDEN: 'is ****', SECRET: '{{resolve:secretsmanager:db:SecretString:::}}' },
    },
  });
});

it('a handle nobody waits for has no effect', async () => {
  const world = await Deployed.stack(stack => {
    new CfnWaitConditionHandle(stack, 'Handle');
  });
  expect(world.aws.resource('Handle').ref).toMatch(/^https:\/\/cloudformation-.*Test%7CHandle$/);
});

describe('the bucket for answers', () => {
  const put = (aws: LocalAws, url: string, method = 'PUT') => aws.request(method, url, '{}', { signed: false });

  it('takes an answer at the URL it was asked at, and nothing elsewhere', async () => {
    const world = await Deployed.stack(custom('() => ({})'));
    const url = String(requestIn(world, `/aws/lambda/${world.ref('Handler')}`)['ResponseURL']);
    const before = world.aws.trace.events.length;
    expect((await put(world.aws, url)).status).toBe(200);
    expect(world.aws.trace.events).toHaveLength(before);
    const forged = await put(world.aws, url.replace(/Signature=./, 'Signature=x'));
    expect([forged.status, forged.text]).toEqual([403, expect.stringContaining('SignatureDoesNotMatch')]);
    expect((await put(world.aws, url, 'GET')).status).toBe(405);
  });
});
