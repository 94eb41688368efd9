import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import type { Stack } from 'aws-cdk-lib';
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { DurableTopic, HttpRelay, type HttpRelayOptions, OpsTopic, RelayEndpoint } from '../../lib';
import { response } from '../../local';
import { Deployed } from '../support/deployed';
import { inlineFunction } from '../support/inline-function';
import { groupIn, vpcIn } from '../support/vpc';

const HOST = '10.1.2.3';
const RANGES = { allowedPrivateRanges: ['10.1.0.0/16'] };

/** A topic whose messages a relay posts to a private address. */
const relaying =
  (options: (stack: Stack) => HttpRelayOptions, url = `https://${HOST}/orders`) =>
  (stack: Stack): void => {
    const alarmActions = [new OpsTopic(stack, 'Ops', { email: 'ops@example.com' })];
    const endpoint = RelayEndpoint.fromUrl(url);
    const relay = new HttpRelay(stack, 'Relay', { endpoint, alarmActions, ...options(stack) });
    new DurableTopic(stack, 'Orders', { alarmActions }).deliverToRelay('Partner', relay);
  };

describe('A relay in a VPC', () => {
  test.each([
    ['a security group of its own', (stack: Stack) => ({ vpc: vpcIn(stack), ...RANGES })],
    ['one it is given', (stack: Stack) => ({ vpc: vpcIn(stack), securityGroups: [groupIn(stack)], ...RANGES })],
  ])('posts to a private address, with %s', async (_, options) => {
    const deployed = await Deployed.stack(relaying(options));
    const inside = deployed.aws.endpoint(HOST);
    inside.behave({ reply: response(503), count: 1 });
    await deployed.publish('Orders', 'order 7');
    await deployed.advance({ minutes: 2 });
    expect(inside.requests.map(({ path }) => path)).toEqual(['/orders', '/orders']);
    expect(await deployed.receive('Relay/Queue')).toEqual([]);
    expect(await deployed.take('Relay/Queue/DeadLetterQueue')).toEqual([]);
  });

  test('still refuses an address outside its ranges, and the letter says why', async () => {
    const deployed = await Deployed.stack(
      relaying(
        stack => ({ vpc: vpcIn(stack), ...RANGES, retryPolicy: { numRetries: 0 } }),
        'https://inside.example.com/',
      ),
    );
    deployed.aws.endpoint('inside.example.com').resolveTo({ addresses: ['10.2.0.1'] });
    await deployed.publish('Orders', 'order 7');
    await deployed.advance({ minutes: 2 });
    const [message] = await deployed.receive('Relay/Queue/DeadLetterQueue');
    expect(message?.MessageAttributes?.['DeadLetterReason']?.StringValue).toContain('an address that is not public');
    expect(deployed.aws.endpoint('inside.example.com').requests).toEqual([]);
  });
});

describe('What a role is denied by lambda:SourceFunctionArn', () => {
  const SEND = `
    const { SQSClient, SendMessageCommand } = require('@aws-sdk/client-sqs');
    exports.handler = () => new SQSClient().send(new SendMessageCommand({ QueueUrl: process.env.URL, MessageBody: 'x' }));
  `;

  test.each([
    ['is denied to the code of that function', true, 0],
    ['is not denied to another function', false, 1],
  ])('%s', async (_, isOwn, sent) => {
    const deployed = await Deployed.stack(stack => {
      const queue = new Queue(stack, 'Queue');
      const handler = inlineFunction(stack, 'F', SEND, { functionName: 'f', environment: { URL: queue.queueUrl } });
      queue.grantSendMessages(handler);
      const named = stack.formatArn({ service: 'lambda', resource: `function:${isOwn ? 'f' : 'g'}` });
      handler.addToRolePolicy(
        new PolicyStatement({
          effect: Effect.DENY,
          actions: ['sqs:SendMessage'],
          resources: ['*'],
          conditions: { ArnEquals: { 'lambda:SourceFunctionArn': named } },
        }),
      );
    });
    const lambda = new LambdaClient(deployed.aws.clientConfig());
    await lambda.send(new InvokeCommand({ FunctionName: deployed.ref('F'), InvocationType: 'Event' }));
    await deployed.advance({ seconds: 30 });
    expect(await deployed.receive('Queue')).toHaveLength(sent);
  });
});
