import {
  DeleteDashboardsCommand,
  GetMetricDataCommand,
  GetMetricStatisticsCommand,
  type MetricDatum,
  PutDashboardCommand,
  PutMetricDataCommand,
  SetAlarmStateCommand,
} from '@aws-sdk/client-cloudwatch';
import { TestMetricFilterCommand } from '@aws-sdk/client-cloudwatch-logs';
import { DeleteRuleCommand, PutEventsCommand, PutRuleCommand } from '@aws-sdk/client-eventbridge';
import {
  CreateEventSourceMappingCommand,
  type CreateEventSourceMappingCommandInput,
  DeleteEventSourceMappingCommand,
  InvokeCommand,
  TagResourceCommand,
} from '@aws-sdk/client-lambda';
import {
  CreateScheduleCommand,
  type CreateScheduleCommandInput,
  DeleteScheduleCommand,
} from '@aws-sdk/client-scheduler';
import { MINUTE_MS } from '../../../policy/time-units';
import { EVENT_SOURCE } from './event-source';
import { type Probe, type Probing, refusal } from './probe';

const NAMESPACE = 'DeadLetterOfficeAssumptions';

const put = (aws: Probing, MetricData: MetricDatum[]) =>
  aws.aws.cloudWatch.send(new PutMetricDataCommand({ Namespace: NAMESPACE, MetricData }));

const around = (aws: Probing) => ({
  StartTime: new Date(aws.aws.nowMs() - 30 * MINUTE_MS),
  EndTime: new Date(aws.aws.nowMs() + 5 * MINUTE_MS),
});

/** A dimension of this run, so that earlier runs do not count. */
const ofThisRun = (aws: Probing) => [{ Name: 'Queue', Value: aws.aws.output('RunName') }];

const SLOWLY = { tries: 30, everySeconds: 10 };

/** Metrics of AWS take some minutes to appear. */
function statistics(aws: Probing, MetricName: string, asked: object): Promise<string | undefined> {
  return aws.eventually(async () => {
    const input = { Namespace: NAMESPACE, MetricName, Dimensions: ofThisRun(aws), Period: 3_600, ...around(aws) };
    const { Datapoints = [] } = await aws.aws.cloudWatch.send(new GetMetricStatisticsCommand({ ...input, ...asked }));
    const [point] = Datapoints;
    if (!point) return undefined;
    const { Timestamp, Unit, $metadata, ...values } = { $metadata: undefined, ...point };
    return JSON.stringify(values);
  }, SLOWLY);
}

async function mappingRefusal(aws: Probing, more: Partial<CreateEventSourceMappingCommandInput>): Promise<string> {
  const EventSourceArn = await aws.queue('Queue').arn();
  const create = async () => {
    const input = { FunctionName: aws.aws.output('FunctionName'), EventSourceArn, Enabled: false, ...more };
    const { UUID } = await aws.aws.lambda.send(new CreateEventSourceMappingCommand(input));
    aws.afterwards(() => aws.aws.lambda.send(new DeleteEventSourceMappingCommand({ UUID })));
  };
  return refusal(create());
}

async function scheduleRefusal(aws: Probing, more: Partial<CreateScheduleCommandInput>): Promise<string> {
  const Name = `dlo-assumptions-${aws.aws.output('RunName').slice(-12)}`;
  const create = async () => {
    await aws.aws.scheduler.send(
      new CreateScheduleCommand({
        Name,
        FlexibleTimeWindow: { Mode: 'OFF' },
        ScheduleExpression: 'rate(1 day)',
        State: 'DISABLED',
        Target: { Arn: await aws.queue('Queue').arn(), RoleArn: aws.aws.output('SchedulerRoleArn') },
        ...more,
      }),
    );
    aws.afterwards(() => aws.aws.scheduler.send(new DeleteScheduleCommand({ Name })));
  };
  return refusal(create());
}

async function ruleRefusal(aws: Probing, Name: string, ScheduleExpression: string): Promise<string> {
  const create = async () => {
    await aws.aws.events.send(new PutRuleCommand({ Name, ScheduleExpression, State: 'DISABLED' }));
    aws.afterwards(() => aws.aws.events.send(new DeleteRuleCommand({ Name })));
  };
  return refusal(create());
}

const METRIC_PROBES: readonly Probe[] = [
  {
    id: 'CW-6',
    question: 'With which message group does an alarm publish to a FIFO topic?',
    assumed: 'CloudWatch',
    queues: { Heard: { fifo: true, openToTopics: true } },
    ask: async aws => {
      const AlarmName = aws.aws.output('FifoAlarmName');
      const input = { AlarmName, StateValue: 'ALARM', StateReason: 'a probe' } as const;
      await aws.aws.cloudWatch.send(new SetAlarmStateCommand(input));
      const message = await aws.queue('Heard').receive(0, 60);
      return message?.Attributes?.MessageGroupId ?? 'nothing arrived';
    },
  },
  {
    id: 'CW-7',
    question: 'Does PutDashboard accept an unknown option of a metric?',
    assumed: 'accepted',
    ask: async aws => {
      const DashboardName = 'DeadLetterOfficeAssumptions';
      const metrics = [['AWS/SQS', 'NumberOfMessagesSent', 'QueueName', 'orders', { surprise: 1 }]];
      const properties = { metrics, region: 'us-east-1', view: 'timeSeries', stacked: false };
      const widget = { type: 'metric', x: 0, y: 0, width: 6, height: 6, properties };
      const create = async () => {
        const DashboardBody = JSON.stringify({ widgets: [widget] });
        await aws.aws.cloudWatch.send(new PutDashboardCommand({ DashboardName, DashboardBody }));
        aws.afterwards(() => aws.aws.cloudWatch.send(new DeleteDashboardsCommand({ DashboardNames: [DashboardName] })));
      };
      return refusal(create());
    },
  },
  {
    id: 'CW-9',
    question: 'Of Values and StatisticValues in one datum, which counts?',
    assumed: '{"Sum":3}',
    ask: async aws => {
      const StatisticValues = { SampleCount: 5, Sum: 50, Minimum: 10, Maximum: 10 };
      const datum = { MetricName: 'Both', Dimensions: ofThisRun(aws), Values: [1, 2], StatisticValues };
      const answer = await refusal(put(aws, [datum]));
      if (answer !== 'accepted') return answer;
      return (await statistics(aws, 'Both', { Statistics: ['Sum'] })) ?? 'no data';
    },
  },
  {
    id: 'CW-10',
    question: 'What is STDDEV of 1 and 3?',
    assumed: '1.000',
    ask: async aws => {
      const stat = (MetricName: string) => ({
        Metric: { Namespace: NAMESPACE, MetricName, Dimensions: ofThisRun(aws) },
        Period: 3_600,
        Stat: 'Maximum',
      });
      await put(aws, [
        { MetricName: 'One', Dimensions: ofThisRun(aws), Value: 1 },
        { MetricName: 'Three', Dimensions: ofThisRun(aws), Value: 3 },
      ]);
      const MetricDataQueries = [
        { Id: 'm1', MetricStat: stat('One'), ReturnData: false },
        { Id: 'm2', MetricStat: stat('Three'), ReturnData: false },
        { Id: 'e', Expression: 'STDDEV([m1, m2])' },
      ];
      const found = await aws.eventually(async () => {
        const asked = new GetMetricDataCommand({ MetricDataQueries, ...around(aws) });
        return (await aws.aws.cloudWatch.send(asked)).MetricDataResults?.[0]?.Values?.[0];
      }, SLOWLY);
      return found === undefined ? 'no data' : found.toFixed(3);
    },
  },
  {
    id: 'CW-11',
    question: 'What are p50, p90 and tm50 of 1, 2, 3 and 4?',
    assumed: '{"ExtendedStatistics":{"p50":2,"p90":4,"tm50":1.5}}',
    ask: async aws => {
      await put(aws, [{ MetricName: 'Four', Dimensions: ofThisRun(aws), Values: [1, 2, 3, 4] }]);
      return (await statistics(aws, 'Four', { ExtendedStatistics: ['p50', 'p90', 'tm50'] })) ?? 'no data';
    },
  },
  {
    id: 'CW-15',
    question: 'The texts for metric data of 15 days ago, of three hours ahead, and of 1,001 data',
    assumed:
      'InvalidParameterValueException: The parameter MetricData.member.1.Timestamp must specify a time no more than two weeks in the past.; InvalidParameterValueException: The parameter MetricData.member.1.Timestamp must specify a time no more than two hours in the future.; InvalidParameterValueException: The collection MetricData must not have a size greater than 1000.',
    ask: async aws => {
      const at = (hours: number) => {
        const Timestamp = new Date(aws.aws.nowMs() + hours * 60 * MINUTE_MS);
        return refusal(put(aws, [{ MetricName: 'When', Dimensions: ofThisRun(aws), Value: 1, Timestamp }]));
      };
      const many = Array.from({ length: 1_001 }, () => ({ MetricName: 'Many', Dimensions: ofThisRun(aws), Value: 1 }));
      const texts = [await at(-15 * 24), await at(3), await refusal(put(aws, many))];
      return texts.map(text => text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')).join('; ');
    },
  },
  {
    id: 'LOGS-1',
    question: 'To which messages does { $.a = 7 } apply: 7, 7.0, "7", "7.0"?',
    assumed: '{"a":7} {"a":7.0} {"a":"7"}',
    ask: async aws => {
      const logEventMessages = ['7', '7.0', '"7"', '"7.0"'].map(value => `{"a":${value}}`);
      const asked = new TestMetricFilterCommand({ filterPattern: '{ $.a = 7 }', logEventMessages });
      const { matches = [] } = await aws.aws.logs.send(asked);
      return matches.map(({ eventMessage }) => eventMessage).join(' ');
    },
  },
];

const FUNCTION_PROBES: readonly Probe[] = [
  {
    id: 'LAMBDA-3',
    question: "Which form has the trace header's Lineage?",
    assumed: 'number:8 hexadecimal digits:number',
    ask: async aws => {
      const asked = new InvokeCommand({ FunctionName: aws.aws.output('FunctionName') });
      const { Payload } = await aws.aws.run(aws.aws.lambda.send(asked));
      const header = String(JSON.parse(Buffer.from(Payload ?? []).toString()));
      const lineage = /Lineage=([^;]*)/.exec(header)?.[1];
      return /^\d+:[0-9a-f]{8}:\d+$/.test(lineage ?? '') ? 'number:8 hexadecimal digits:number' : (lineage ?? 'none');
    },
  },
  {
    id: 'LAMBDA-5',
    question: 'What is U+001B of an error message in ErrorMessage of the dead letter?',
    assumed: '"bad \ufffd[31m red"',
    queues: { Dead: {} },
    ask: async aws => {
      const Payload = Buffer.from(JSON.stringify({ error: 'bad \u001b[31m red' }));
      const input = { FunctionName: aws.aws.output('FunctionName'), InvocationType: 'Event', Payload } as const;
      await aws.aws.lambda.send(new InvokeCommand(input));
      const message = await aws.queue('Dead').receive(0, 120);
      return JSON.stringify(message?.MessageAttributes?.['ErrorMessage']?.StringValue ?? 'nothing arrived');
    },
  },
  {
    id: 'LAMBDA-12',
    question: 'The text for provisioned pollers together with a maximum concurrency',
    assumed: 'InvalidParameterValueException: MaximumConcurrency and ProvisionedPollerConfig exclude each other.',
    queues: { Queue: {} },
    ask: aws =>
      mappingRefusal(aws, {
        ScalingConfig: { MaximumConcurrency: 2 },
        ProvisionedPollerConfig: { MinimumPollers: 2, MaximumPollers: 4 },
      }),
  },
  {
    id: 'LAMBDA-13',
    question: 'The text for six filters of a mapping',
    assumed: 'InvalidParameterValueException: The number of filters must not exceed 5, got 6.',
    queues: { Queue: {} },
    ask: aws => {
      const Filters = Array.from({ length: 6 }, (_, i) => ({ Pattern: JSON.stringify({ body: { a: [i] } }) }));
      return mappingRefusal(aws, { FilterCriteria: { Filters } });
    },
  },
  {
    id: 'AWS-4',
    question: 'The text for a tag of a function that starts with aws:',
    assumed: 'InvalidParameterValueException: Tag keys cannot begin with aws:, which AWS reserves; got aws:x.',
    ask: aws => {
      const Resource = aws.aws.output('FunctionArn');
      return refusal(aws.aws.lambda.send(new TagResourceCommand({ Resource, Tags: { 'aws:x': '1' } })));
    },
  },
];

const EVENT_PROBES: readonly Probe[] = [
  {
    id: 'EVENTS-4',
    question: 'What does an input path that finds nothing deliver?',
    assumed: 'null',
    queues: { Target: {} },
    ask: async aws => {
      const Entries = [{ Source: EVENT_SOURCE, DetailType: 'probe', Detail: '{}' }];
      await aws.aws.events.send(new PutEventsCommand({ Entries }));
      return (await aws.queue('Target').receive(0, 60))?.Body ?? 'nothing arrived';
    },
  },
  {
    id: 'EVENTS-6',
    question: 'Is cron(0 0 ? * FRI-MON *) accepted?',
    assumed: 'accepted',
    ask: aws => ruleRefusal(aws, 'dlo-assumptions-cron', 'cron(0 0 ? * FRI-MON *)'),
  },
  {
    id: 'EVENTS-7',
    question: 'The text for a schedule whose end is in the past',
    assumed: 'ValidationException: The EndDate you specify cannot be in the past.',
    queues: { Queue: {} },
    ask: async aws => {
      const text = await scheduleRefusal(aws, { EndDate: new Date(aws.aws.nowMs() - 60 * MINUTE_MS) });
      return text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>');
    },
  },
  {
    id: 'EVENTS-8',
    question: 'The text for an unknown time zone',
    assumed: 'ValidationException: Invalid Schedule Expression Timezone Mars/Crater.',
    queues: { Queue: {} },
    ask: aws => scheduleRefusal(aws, { ScheduleExpressionTimezone: 'Mars/Crater' }),
  },
  {
    id: 'AWS-1',
    question: 'How many characters of a value of 5,000 does a validation error show?',
    assumed: '4096',
    ask: async aws => {
      const text = await ruleRefusal(aws, 'x'.repeat(5_000), 'rate(1 day)');
      return `${/x{20,}/.exec(text)?.[0].length ?? 0}`;
    },
  },
];

export const OTHER_PROBES: readonly Probe[] = [...METRIC_PROBES, ...FUNCTION_PROBES, ...EVENT_PROBES];
