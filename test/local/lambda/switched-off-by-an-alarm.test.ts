import { GetEventSourceMappingCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetQueueAttributesCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { Duration, type Stack } from 'aws-cdk-lib';
import { Alarm, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Deployed } from '../../support/deployed';
import { inlineFunction } from '../../support/inline-function';

/** Fails at each message, and says how many, as a list of values under two dimensions, in a line of the log. */
const WORKER = `exports.handler = async event => {
  console.log(JSON.stringify({
    _aws: { Timestamp: Date.now(), CloudWatchMetrics: [
      { Namespace: 'Shop', Dimensions: [['Function'], ['Function', 'Host']], Metrics: [{ Name: 'Failures' }] },
    ] },
    Function: 'worker', Host: 'a.example', Failures: event.Records.map(() => 1),
  }));
  return { batchItemFailures: event.Records.map(({ messageId }) => ({ itemIdentifier: messageId })) };
};`;

/** Switches the mapping off, and asks the worker itself whether it is well. */
const SWITCH = `
  const { LambdaClient, UpdateEventSourceMappingCommand, InvokeCommand } = require('@aws-sdk/client-lambda');
  const lambda = new LambdaClient({});
  const named = name => name;
  exports.handler = async event => {
    console.log('alarm ' + JSON.stringify(event));
    const told = await lambda.send(new UpdateEventSourceMappingCommand({
      UUID: process.env.MAPPING, Enabled: false, ScalingConfig: { MaximumConcurrency: 2 },
    })).then(({ State }) => State, named);
    console.log('told ' + (told.name ?? told));
    const probe = await lambda.send(new InvokeCommand({
      FunctionName: process.env.WORKER, Payload: JSON.stringify({ Records: [{ messageId: 'm' }] }),
    })).then(({ Payload }) => Buffer.from(Payload).toString(), named);
    console.log('probe ' + (probe.name ?? probe));
  };`;

interface Granted {
  /** The function the switch may change the mappings of. */
  readonly feeds: 'the worker' | 'another';
  readonly mayInvoke: boolean;
}

const breaker =
  ({ feeds, mayInvoke }: Granted) =>
  (stack: Stack): void => {
    const queue = new Queue(stack, 'Queue', { visibilityTimeout: Duration.seconds(30) });
    const worker = inlineFunction(stack, 'Worker', WORKER);
    queue.grantConsumeMessages(worker);
    const mapping = new EventSourceMapping(stack, 'Mapping', {
      target: worker,
      eventSourceArn: queue.queueArn,
      reportBatchItemFailures: true,
      maxConcurrency: 5,
    });
    const environment = { MAPPING: mapping.eventSourceMappingId, WORKER: worker.functionName };
    const off = inlineFunction(stack, 'Switch', SWITCH, { environment });
    const functionArn = feeds === 'the worker' ? worker.functionArn : `${worker.functionArn}-other`;
    off.addToRolePolicy(
      new PolicyStatement({
        actions: ['lambda:UpdateEventSourceMapping'],
        resources: ['*'],
        conditions: { ArnEquals: { 'lambda:FunctionArn': functionArn } },
      }),
    );
    if (mayInvoke) worker.grantInvoke(off);
    const alarm = new Alarm(stack, 'Alarm', {
      metric: new Metric({
        namespace: 'Shop',
        metricName: 'Failures',
        dimensionsMap: { Function: 'worker', Host: 'a.example' },
        statistic: 'Sum',
        period: Duration.minutes(1),
      }),
      threshold: 5,
      evaluationPeriods: 1,
    });
    new Rule(stack, 'Rule', {
      eventPattern: {
        source: ['aws.cloudwatch'],
        detailType: ['CloudWatch Alarm State Change'],
        resources: [alarm.alarmArn],
        detail: { state: { value: ['ALARM'] } },
      },
      targets: [new LambdaFunction(off)],
    });
  };

async function outage(granted: Granted) {
  const deployed = await Deployed.stack(breaker(granted));
  for (let i = 0; i < 5; i += 1) {
    await deployed.sqs.send(new SendMessageCommand({ QueueUrl: deployed.ref('Queue'), MessageBody: `order ${i}` }));
  }
  await deployed.advance({ minutes: 3 });
  const lines = deployed.log(`/aws/lambda/${deployed.ref('Switch')}`);
  const said = (what: string) =>
    lines
      .find(line => line.includes(`\t${what} `))
      ?.trim()
      .split(`\t${what} `)[1];
  const client = new LambdaClient(deployed.aws.clientConfig());
  const mapping = await client.send(new GetEventSourceMappingCommand({ UUID: deployed.ref('Mapping') }));
  return { deployed, said, mapping };
}

test('an alarm on what a worker logs switches its mapping off by a rule, and the messages stay visible', async () => {
  const { deployed, said, mapping } = await outage({ feeds: 'the worker', mayInvoke: true });
  expect(JSON.parse(said('alarm') ?? '{}')).toMatchObject({
    source: 'aws.cloudwatch',
    'detail-type': 'CloudWatch Alarm State Change',
    resources: [deployed.arn('Alarm')],
    detail: {
      alarmName: deployed.ref('Alarm'),
      state: { value: 'ALARM', reason: expect.stringContaining('Threshold Crossed') },
      previousState: { value: 'INSUFFICIENT_DATA' },
      configuration: { metrics: [{ metricStat: { metric: { namespace: 'Shop', name: 'Failures' } } }] },
    },
  });
  expect(said('told')).toBe('Disabling');
  expect(said('probe')).toBe('{"batchItemFailures":[{"itemIdentifier":"m"}]}');
  expect(mapping).toMatchObject({ State: 'Disabled', ScalingConfig: { MaximumConcurrency: 2 } });
  const disabled = deployed.aws.trace.events.find(({ type }) => type === 'lambda.mapping-disabled');
  expect(mapping.LastModified?.getTime()).toBe(disabled?.atMs);

  const receives = deployed.happened('lambda.batch-received').length;
  await deployed.advance({ days: 1 });
  expect(deployed.happened('lambda.batch-received')).toHaveLength(receives);
  const { Attributes } = await deployed.sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: deployed.ref('Queue'), AttributeNames: ['All'] }),
  );
  expect(Attributes).toMatchObject({
    ApproximateNumberOfMessages: '5',
    ApproximateNumberOfMessagesNotVisible: '0',
  });
});

test('it may not with a permission for the mappings of another function, or ask a worker it may not invoke', async () => {
  const { said, mapping } = await outage({ feeds: 'another', mayInvoke: false });
  expect(said('told')).toBe('AccessDeniedException');
  expect(said('probe')).toBe('AccessDeniedException');
  expect(mapping).toMatchObject({ State: 'Enabled', ScalingConfig: { MaximumConcurrency: 5 } });
});
