import { Duration, Stack } from 'aws-cdk-lib';
import { Alarm, type IAlarm, Metric, TextWidget } from 'aws-cdk-lib/aws-cloudwatch';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import {
  AlarmDefaults,
  AlarmSet,
  type DashboardSection,
  DeadLetterQueue,
  DurableTopic,
  FunctionFailures,
  HttpRelay,
  ImportedTopic,
  type IWatched,
  OpsDashboard,
  ProcessingQueue,
  Redrive,
  RedriveDestination,
  RedriveLane,
  RelayEndpoint,
} from '../../../lib';
import { RunbookSection } from '../../../lib/shared/alarms';
import { type Body, metricsOf, type Widget } from '../../support/dashboard';
import { inlineFunction, newFunction } from '../../support/inline-function';
import { ELSEWHERE, HERE, newApp, newStack, only, problemsOf, templateOf, textToken, warningIds } from '../support';

/** Replaces tokens by text such as `<Ref of Topic>`, so that the body is plain JSON. */
function readable(value: unknown): string {
  if (typeof value === 'string') return value;
  const [[intrinsic = '', argument] = []] = Object.entries(value as object);
  if (intrinsic === 'Fn::Join') return (argument as [string, unknown[]])[1].map(readable).join('');
  if (intrinsic === 'Fn::GetAtt') return `<${(argument as string[]).join('.')}>`;
  return `<${String(argument)}>`;
}

function bodyOf(stack: Stack): Body {
  const [, { Properties }] = only(templateOf(stack), 'AWS::CloudWatch::Dashboard');
  return JSON.parse(readable(Properties['DashboardBody'])) as Body;
}

function overlap(a: Widget, b: Widget): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

/** The namespaces and dimensions with which AWS publishes its metrics. */
const PUBLISHED: Readonly<Record<string, { readonly dimension: string; readonly names: readonly string[] }>> = {
  // https://docs.aws.amazon.com/sns/latest/dg/sns-monitoring-using-cloudwatch.html
  'AWS/SNS': {
    dimension: 'TopicName',
    names: [
      'NumberOfMessagesPublished',
      'NumberOfNotificationsDelivered',
      'NumberOfNotificationsFailed',
      'NumberOfNotificationsFailedToRedriveToDlq',
      'NumberOfNotificationsFilteredOut',
      'NumberOfNotificationsFilteredOut-InvalidAttributes',
      'NumberOfNotificationsFilteredOut-InvalidMessageBody',
      'NumberOfNotificationsRedrivenToDlq',
    ],
  },
  // https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
  'AWS/SQS': {
    dimension: 'QueueName',
    names: [
      'ApproximateAgeOfOldestMessage',
      'ApproximateNumberOfMessagesNotVisible',
      'ApproximateNumberOfMessagesVisible',
      'NumberOfMessagesSent',
    ],
  },
  // https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html
  'AWS/Lambda': {
    dimension: 'FunctionName',
    names: [
      'AsyncEventAge',
      'AsyncEventsDropped',
      'DeadLetterErrors',
      'DestinationDeliveryFailures',
      'Errors',
      'RecursiveInvocationsDropped',
      'Throttles',
    ],
  },
};

const COUNTED = /^Number|Events|Errors|Throttles|Failures|Dropped/;

/** A stack with one resource of each kind. Its dashboard is created before the deliveries. */
function wholeStack(): Stack {
  const stack = newStack();
  AlarmDefaults.of(stack).use(AlarmSet.ALL);
  const orders = new DurableTopic(stack, 'Orders');
  const work = new ProcessingQueue(stack, 'Work');
  const handler = inlineFunction(stack, 'Billing', 'exports.handler = async () => {};');
  const destination = new DeadLetterQueue(stack, 'Records');
  const billing = new FunctionFailures(stack, 'BillingFailures', { handler });
  new OpsDashboard(stack, 'Dashboard', {
    dashboardName: 'Orders',
    topics: [orders],
    queues: [work],
    functions: [billing],
    deadLetterQueues: [destination, billing.deadLetterQueue],
  });
  orders.deliverToQueue('ToWork', work);
  orders.deliverToFunction('ToBilling', handler);
  orders.addSubscription(
    new SqsSubscription(new Queue(stack, 'Archive'), { deadLetterQueue: new DeadLetterQueue(stack, 'ArchiveDlq') }),
  );
  return stack;
}

describe('An OpsDashboard', () => {
  const stack = wholeStack();
  const body = bodyOf(stack);
  const metrics = metricsOf(body);
  const deadLetterQueues = Object.keys(templateOf(stack).findResources('AWS::SQS::Queue')).filter(id =>
    /DeadLetterQueue|Dlq|Records/.test(id),
  );

  test('lays its widgets out within 24 columns without overlaps, and no widget is empty', () => {
    expect(body.widgets.length).toBeGreaterThan(20);
    for (const widget of body.widgets) {
      expect(widget.x).toBeGreaterThanOrEqual(0);
      expect(widget.x + widget.width).toBeLessThanOrEqual(24);
      const { markdown, alarms, query, metrics: shown } = widget.properties;
      expect([markdown, alarms, query, shown].filter(it => it !== undefined && it.length > 0)).toHaveLength(1);
    }
    const pairs = body.widgets.flatMap((a, i) => body.widgets.slice(i + 1).map(b => [a, b] as const));
    expect(pairs.filter(([a, b]) => overlap(a, b))).toEqual([]);
  });

  test('uses only metrics that AWS publishes, with their one dimension; it sums counts and takes the maximum of gauges', () => {
    for (const { namespace, name, dimensions, options } of metrics) {
      expect(PUBLISHED[namespace]?.names).toContain(name);
      expect(Object.keys(dimensions)).toEqual([PUBLISHED[namespace]?.dimension]);
      expect(options.stat).toBe(COUNTED.test(name) && name !== 'AsyncEventAge' ? 'Sum' : 'Maximum');
    }
    const shown = new Set(metrics.map(({ namespace, name }) => `${namespace} ${name}`));
    const published = Object.entries(PUBLISHED).flatMap(([space, { names }]) => names.map(name => `${space} ${name}`));
    expect([...shown].sort()).toEqual(published.sort());
  });

  test('names its own topic, queues and function', () => {
    const named = new Set(metrics.map(({ dimensions }) => Object.values(dimensions).join()));
    const [topic] = only(templateOf(stack), 'AWS::SNS::Topic');
    const [work] = only(templateOf(stack), 'AWS::SQS::Queue', { Properties: { RedrivePolicy: {} } });
    const [handler] = only(templateOf(stack), 'AWS::Lambda::Function');
    expect(deadLetterQueues).toHaveLength(6);
    const queues = [work, ...deadLetterQueues].map(id => `<${id}.QueueName>`);
    expect([...named].sort()).toEqual([`<${topic}.TopicName>`, `<${handler}>`, ...queues].sort());
  });

  test('shows the state of every alarm at the top and next to what the alarm watches, once each', () => {
    const alarms = Object.keys(templateOf(stack).findResources('AWS::CloudWatch::Alarm')).map(id => `<${id}.Arn>`);
    const [overall, ...others] = body.widgets.filter(({ type }) => type === 'alarm').map(it => it.properties.alarms);
    expect(alarms.length).toBeGreaterThan(15);
    expect([...(overall ?? [])].sort()).toEqual(alarms.sort());
    expect(others.flat().sort()).toEqual(alarms);
    expect(body.widgets[1]).toMatchObject({ type: 'alarm', properties: { sortBy: 'stateUpdatedTimestamp' } });
  });

  test('shows each dead-letter queue once, also those of its topics, queues and functions that nobody passed to it', () => {
    const titles = body.widgets
      .map(({ properties: { title } }) => title)
      .filter(title => title?.endsWith(': dead letters'));
    expect(titles.sort()).toEqual(deadLetterQueues.map(id => `<${id}.QueueName>: dead letters`).sort());
  });

  test('queries the failure log of the topic for the reasons', () => {
    const [widget, ...others] = body.widgets.filter(({ type }) => type === 'log');
    expect(others).toEqual([]);
    const [topic] = only(templateOf(stack), 'AWS::SNS::Topic');
    const group = `sns/<AWS::Region>/<AWS::AccountId>/<${topic}.TopicName>/Failure`;
    expect(widget?.properties.query).toContain(`SOURCE '${group}' | filter status = "FAILURE"\n| stats count(*)`);
    const groups = Object.values(templateOf(stack).findResources('AWS::Logs::LogGroup'));
    expect(groups.map(({ Properties }) => readable(Properties.LogGroupName))).toContain(group);
  });

  test('draws the limits: where an alarm fires, when messages expire, and when a queue returns no more messages', () => {
    const lines = (title: string) =>
      body.widgets
        .filter(({ properties }) => properties.title?.endsWith(title) && properties.annotations)
        .map(({ properties }) => properties.annotations?.horizontal?.map(({ value, label }) => `${label} ${value}`));
    expect(lines('in flight')).toEqual([['alarm 80000', 'gives out no more 120000']]);
    const [work, ...messages] = lines('age of the oldest, seconds').sort((a, b) => (a?.length ?? 0) - (b?.length ?? 0));
    expect(work).toEqual(['alarm 3600']);
    // Three days before the end of a dead-letter queue's 14 days, and of the 10 days left after 4 days in a queue.
    expect(messages.flat().sort()).toEqual([
      'alarm 604800',
      ...Array(5).fill('alarm 950400'),
      ...Array(6).fill('expired at the latest 1209600'),
    ]);
  });

  test('counts arrivals only where AWS counts them: SQS has no metric for the dead letters that it moves', () => {
    const arrivals = metrics
      .filter(({ name }) => name === 'NumberOfMessagesSent')
      .map(it => it.dimensions['QueueName']);
    expect(arrivals).toHaveLength(5);
    expect(arrivals.join()).not.toContain('<WorkDeadLetterQueue');
  });

  test('links to the runbook and to each of its sections that an alarm names', () => {
    const text = body.widgets.map(({ properties: { markdown = '' } }) => markdown).join('\n');
    expect(text).toMatch(/\[the runbook\]\(https:.*\/docs\/runbook\.md\)/);
    expect(text).toMatch(/\[dead letters arrived\]\(https:.*\/docs\/runbook\.md#dead-letters-arrived\)/);
    const linked = [...text.matchAll(/runbook\.md#([a-z-]+)\)/g)].map(([, section]) => section);
    const ours = Object.values(RunbookSection).filter(section => !/^(relay|redrive|fleet)-|quarantine/.test(section));
    expect(linked.sort()).toEqual(ours.sort());
  });

  test('shows a day by default', () => {
    expect(body.start).toBe('-P1D');
    const other = newStack();
    const topics = [new DurableTopic(other, 'Topic')];
    new OpsDashboard(other, 'Dashboard', { topics, defaultInterval: Duration.hours(3) });
    expect(bodyOf(other).start).toBe('-PT3H');
    const since = newStack();
    new OpsDashboard(since, 'Dashboard', { topics: [new DurableTopic(since, 'Topic')], start: '-PT6H' });
    expect(bodyOf(since).start).toBe('-PT6H');
  });
});

describe('An OpsDashboard can show', () => {
  test('the same by methods as by properties', () => {
    const [byProps, byMethods] = [newStack(), newStack()];
    for (const stack of [byProps, byMethods]) {
      const topics = [new DurableTopic(stack, 'Topic')];
      const queues = [new ProcessingQueue(stack, 'Queue')];
      const functions = [new FunctionFailures(stack, 'Failures', { handler: inlineFunction(stack, 'Handler', 'x') })];
      const deadLetterQueues = [new DeadLetterQueue(stack, 'Dlq')];
      const metric = new Metric({ namespace: 'Own', metricName: 'Own' });
      const alarms: IAlarm[] = [new Alarm(stack, 'Own', { metric, threshold: 1, evaluationPeriods: 1 })];
      if (stack === byProps) {
        new OpsDashboard(stack, 'Dashboard', { topics, queues, functions, deadLetterQueues, alarms });
        continue;
      }
      const dashboard = new OpsDashboard(stack, 'Dashboard');
      for (const topic of topics) dashboard.addTopic(topic);
      for (const queue of queues) dashboard.addQueue(queue);
      for (const failures of functions) dashboard.addFunction(failures);
      for (const queue of deadLetterQueues) dashboard.addDeadLetterQueue(queue);
      for (const alarm of alarms) dashboard.addAlarm(alarm);
    }
    expect(bodyOf(byMethods)).toEqual(bodyOf(byProps));
    expect(JSON.stringify(bodyOf(byProps))).toContain('<Own');
  });

  test('an imported queue: the metrics of its own Region', () => {
    const stack = newStack(HERE);
    const arn = `arn:aws:sqs:${ELSEWHERE.region}:${HERE.account}:Old-DLQ`;
    const deadLetterQueues = ['A', 'B'].map(id => Queue.fromQueueArn(stack, id, arn));
    new OpsDashboard(stack, 'Dashboard', { deadLetterQueues });
    const shown = metricsOf(bodyOf(stack));
    expect(shown).toHaveLength(5);
    for (const { dimensions, options } of shown) {
      expect([dimensions, options.region]).toEqual([{ QueueName: 'Old-DLQ' }, ELSEWHERE.region]);
    }
  });

  test('a topic in another Region: metrics, query and alarms name that Region', () => {
    const app = newApp();
    const there = new Stack(app, 'There', { env: ELSEWHERE });
    const topic = new DurableTopic(there, 'Topic', { topicName: 'Orders' });
    const deadLetterQueue = new DeadLetterQueue(there, 'Dlq', { queueName: 'Orders-DLQ' });
    topic.deliverToQueue('ToQueue', new Queue(there, 'Queue'), { deadLetterQueue });
    const here = new Stack(app, 'Here', { env: HERE });
    new OpsDashboard(here, 'Dashboard', { topics: [topic] });
    const { widgets } = bodyOf(here);
    const shown = metricsOf({ widgets });
    expect(new Set(shown.map(({ options }) => options.region))).toEqual(new Set([ELSEWHERE.region]));
    expect(new Set(shown.flatMap(({ dimensions }) => Object.values(dimensions)))).toEqual(
      new Set(['Orders', 'Orders-DLQ']),
    );
    const query = widgets.find(({ type }) => type === 'log')?.properties;
    expect(query?.region).toBe(ELSEWHERE.region);
    expect(query?.query).toContain(`SOURCE 'sns/${ELSEWHERE.region}/${ELSEWHERE.account}/Orders/Failure'`);
    const alarms = widgets.flatMap(({ properties }) => properties.alarms ?? []);
    expect(alarms.length).toBeGreaterThan(0);
    for (const arn of alarms) expect(arn).toContain(`:cloudwatch:${ELSEWHERE.region}:${ELSEWHERE.account}:alarm:`);
  });

  test('a subscription in another stack: its dead-letter queue', () => {
    const app = newApp();
    const [topics, consumers] = [new Stack(app, 'Topics'), new Stack(app, 'Consumers')];
    const topic = new DurableTopic(topics, 'Topic');
    topic.deliverToQueue('ToQueue', new ProcessingQueue(consumers, 'Queue'));
    new OpsDashboard(new Stack(app, 'Ops'), 'Dashboard', { topics: [topic] });
    const ops = app.node.tryFindChild('Ops');
    if (!(ops instanceof Stack)) throw new Error('there is no stack Ops');
    const titles = bodyOf(ops).widgets.map(({ properties: { title = '' } }) => title);
    expect(titles.filter(title => title.endsWith(': dead letters'))).toHaveLength(1);
  });

  test('a topic without logs, and then has no query for reasons', () => {
    const stack = newStack();
    new OpsDashboard(stack, 'Dashboard', { topics: [new DurableTopic(stack, 'Topic', { logDeliveryStatus: false })] });
    expect(bodyOf(stack).widgets.filter(({ type }) => type === 'log')).toEqual([]);
  });

  test('more alarms than fit into one widget, in a second one at the top', () => {
    const stack = newStack();
    const topic = new DurableTopic(stack, 'Topic');
    const metric = topic.metricNumberOfNotificationsFailed();
    const alarms = Array.from(
      { length: 101 },
      (_, i) => new Alarm(topic, `Alarm${i}`, { metric, threshold: i, evaluationPeriods: 1 }),
    );
    new OpsDashboard(stack, 'Dashboard', { topics: [topic], alarms });
    const shown = bodyOf(stack).widgets.filter(({ type }) => type === 'alarm');
    expect(shown.map(({ width, properties }) => [width, properties.alarms?.length])).toEqual([
      [24, 100],
      [24, 1],
    ]);
  });

  test('a queue of another account, whose metrics name that account', () => {
    const stack = newStack(HERE);
    const queue = Queue.fromQueueArn(stack, 'Dlq', `arn:aws:sqs:${HERE.region}:999900001111:Their-DLQ`);
    new OpsDashboard(stack, 'Dashboard', { deadLetterQueues: [queue] });
    const accounts = metricsOf(bodyOf(stack)).map(({ options }) => options.accountId);
    expect(new Set(accounts)).toEqual(new Set(['999900001111']));
  });

  test('widgets of the user, below its own', () => {
    const stack = newStack();
    const own = new TextWidget({ markdown: 'own' });
    const dashboard = new OpsDashboard(stack, 'Dashboard', {
      topics: [new DurableTopic(stack, 'T')],
      widgets: [[own]],
    });
    dashboard.addWidgets(new TextWidget({ markdown: 'another' }));
    const { widgets } = bodyOf(stack);
    expect(widgets.slice(-2).map(({ properties }) => properties.markdown)).toEqual(['own', 'another']);
    const tops = widgets.map(({ y }) => y);
    expect(tops).toEqual([...tops].sort((a, b) => a - b));
  });
});

test('An OpsDashboard shows every metric of every alarm of AlarmSet.ALL, also if that alarm was not created', () => {
  const metricsOfAlarms = (set: AlarmSet): string[] => {
    const stack = watchedStack(set);
    const alarms = Object.values(templateOf(stack).findResources('AWS::CloudWatch::Alarm'));
    return alarms.flatMap(({ Properties: { Namespace, MetricName, Metrics = [] } }) => [
      ...(MetricName ? [`${Namespace} ${MetricName}`] : []),
      ...Metrics.flatMap(({ MetricStat }: { MetricStat?: { Metric: Record<string, string> } }) =>
        MetricStat ? [`${MetricStat.Metric['Namespace']} ${MetricStat.Metric['MetricName']}`] : [],
      ),
    ]);
  };
  const shown = new Set(metricsOf(bodyOf(watchedStack(AlarmSet.ESSENTIAL))).map(it => `${it.namespace} ${it.name}`));
  const watched = new Set([...metricsOfAlarms(AlarmSet.ALL), ...metricsOfAlarms(AlarmSet.ESSENTIAL)]);
  expect(watched.size).toBeGreaterThan(20);
  expect([...watched].filter(it => !shown.has(it))).toEqual([]);
});

/** A stack with a construct of each kind on a dashboard. */
function watchedStack(set: AlarmSet): Stack {
  const stack = newStack();
  AlarmDefaults.of(stack).use(set);
  const orders = new DurableTopic(stack, 'Orders', { deliveryFailureRateAlarm: {} });
  const work = new ProcessingQueue(stack, 'Work');
  orders.deliverToQueue('ToWork', work);
  const handler = inlineFunction(stack, 'Billing', 'exports.handler = async () => {};');
  const failures = new FunctionFailures(stack, 'Failures', { handler });
  const relay = orders.relayToEndpoint('ToPartner', 'https://partner.example.com/orders');
  const redrive = work.redriveDeadLetters('Redrive');
  new OpsDashboard(stack, 'Dashboard', {
    topics: [orders],
    queues: [work],
    functions: [failures],
    watched: [relay, redrive],
  });
  return stack;
}

describe('An OpsDashboard shows every construct that describes itself:', () => {
  test('an imported topic, without the log, which belongs to the topic’s owner', () => {
    const stack = newStack(HERE);
    const arn = `arn:aws:sns:${ELSEWHERE.region}:${ELSEWHERE.account}:Theirs`;
    const topic = new ImportedTopic(stack, 'Topic', { topic: Topic.fromTopicArn(stack, 'Theirs', arn) });
    const deadLetterQueue = new DeadLetterQueue(stack, 'Dlq', { queueName: 'Dlq' });
    const dashboard = new OpsDashboard(stack, 'Dashboard', { deadLetterQueues: [deadLetterQueue] });
    dashboard.add(topic);
    const { widgets } = bodyOf(stack);
    expect(widgets.filter(({ type }) => type === 'log')).toEqual([]);
    const ofTopic = metricsOf({ widgets }).filter(({ namespace }) => namespace === 'AWS/SNS');
    expect(ofTopic.length).toBeGreaterThan(5);
    for (const { dimensions, options } of ofTopic) {
      expect([dimensions, options.region]).toEqual([{ TopicName: 'Theirs' }, ELSEWHERE.region]);
    }
  });

  test('a relay, with its queue and the sections of the runbook that its alarms name', () => {
    const stack = newStack();
    const endpoint = RelayEndpoint.fromUrl('https://partner.example.com/orders');
    const relay = new HttpRelay(stack, 'Relay', { endpoint });
    new OpsDashboard(stack, 'Dashboard', { queues: [relay.queue], watched: [relay] });
    const { widgets } = bodyOf(stack);
    const text = widgets.map(({ properties: { markdown = '' } }) => markdown).join('\n');
    for (const section of Object.values(RunbookSection).filter(it => it.startsWith('relay-'))) {
      expect(text).toContain(`runbook.md#${section})`);
    }
    const titles = widgets.flatMap(({ properties: { title } }) => title ?? []);
    expect(titles.filter(title => title.endsWith(': in flight'))).toHaveLength(1);
    const alarms = Object.keys(templateOf(stack).findResources('AWS::CloudWatch::Alarm')).map(id => `<${id}.Arn>`);
    const overall = widgets.find(({ properties: { title } }) => title === 'Alarms')?.properties.alarms ?? [];
    expect([...overall].sort()).toEqual(alarms.sort());
  });

  test('a redrive and its retry lane, with the sections of the runbook that their alarms name', () => {
    const stack = newStack();
    const orders = new ProcessingQueue(stack, 'Orders');
    const lane = new RedriveLane(stack, 'Lane', { handler: newFunction(stack) });
    const destination = RedriveDestination.queue(lane.queue);
    const redrive = new Redrive(stack, 'Redrive', { deadLetterQueue: orders.deadLetters, destination });
    new OpsDashboard(stack, 'Dashboard', { watched: [redrive, lane] });
    const body = bodyOf(stack);
    const text = body.widgets.map(({ properties: { markdown = '' } }) => markdown).join('\n');
    for (const section of Object.values(RunbookSection).filter(it => /^redrive-|quarantine/.test(it))) {
      expect(text).toContain(`runbook.md#${section})`);
    }
    const shown = metricsOf(body).map(
      ({ title, name, options }) => `${title.split(': ').at(-1)}: ${name} ${options.stat}`,
    );
    expect(shown).toEqual(
      expect.arrayContaining([
        'runs, and how it stands: RedriveState Maximum',
        'runs, and how it stands: RunsStopped Sum',
        'messages: Returned Sum',
        'messages: ApproximateNumberOfMessagesVisible Maximum',
        'through the lane: NumberOfMessagesDeleted Sum',
        'failed again: ApproximateNumberOfMessagesVisible Maximum',
      ]),
    );
    const alarms = Object.keys(templateOf(stack).findResources('AWS::CloudWatch::Alarm')).map(id => `<${id}.Arn>`);
    const overall = body.widgets.find(({ properties: { title } }) => title === 'Alarms')?.properties.alarms ?? [];
    expect([...overall].sort()).toEqual(alarms.filter(it => !it.startsWith('<Orders') || it.includes('Dead')).sort());
  });

  /** A user's own construct. */
  class Depot extends Construct implements IWatched {
    readonly deadLetterQueues = [new DeadLetterQueue(this, 'Dlq', { queueName: `${this.node.id}-Dlq` })];
    readonly alarms = [
      new Alarm(this, 'Full', { metric: this.metric(), threshold: 1, evaluationPeriods: 1, alarmName: this.node.id }),
    ];

    metric(): Metric {
      return new Metric({ namespace: 'Depot', metricName: 'Lost', statistic: 'Sum' });
    }

    dashboardSection(): DashboardSection {
      return {
        title: 'Depots',
        rows: [[new TextWidget({ markdown: `of ${this.node.id}` })]],
        runbookSections: ['dead-letters-arrived'],
        lost: [this.metric()],
      };
    }
  }

  test('a construct of the user: its section under its heading, its alarms and dead-letter queues with all others', () => {
    const stack = newStack();
    const watched = ['North', 'South'].map(id => new Depot(stack, id));
    new OpsDashboard(stack, 'Dashboard', { queues: [new ProcessingQueue(stack, 'Work')], watched });
    const { widgets } = bodyOf(stack);
    const texts = widgets.flatMap(({ properties: { markdown } }) => markdown ?? []);
    const headings = texts.filter(text => text.startsWith('## ')).map(text => /^## ([\w -]+?):/.exec(text)?.[1]);
    expect(headings).toEqual(['Dead-letter queues', 'Queues', 'Depots']);
    expect(texts.slice(-2)).toEqual(['of North', 'of South']);
    expect(texts.at(-3)).toMatch(/^## Depots: \[dead letters arrived\]\(https:[^)]*#dead-letters-arrived\)$/);
    const titles = widgets.flatMap(({ properties: { title } }) => title ?? []);
    expect(titles.filter(title => /^<(North|South)Dlq.*: dead letters$/.test(title))).toHaveLength(2);
    const overall = widgets.find(({ properties: { title } }) => title === 'Alarms')?.properties.alarms ?? [];
    expect(overall.filter(arn => /North|South/.test(arn))).toHaveLength(2 + 2);
    const lost = widgets.find(({ properties: { title } }) => title === 'Lost for good, all this time');
    expect(JSON.stringify(lost?.properties.metrics)).toContain('Depot');
  });
});

test('An OpsDashboard gets a warning if it is empty, and only then', () => {
  const stack = newStack();
  const dashboard = new OpsDashboard(stack, 'Dashboard');
  expect(warningIds(stack)).toEqual(['dashboard-shows-nothing']);
  const other = newStack();
  new OpsDashboard(other, 'Dashboard').addDeadLetterQueue(new Queue(other, 'Queue'));
  expect(warningIds(other)).toEqual([]);
  expect(dashboard.dashboardName).toBeDefined();
});

describe('An OpsDashboard refuses', () => {
  test('a name that CloudWatch does not accept', () => {
    expect(problemsOf(() => new OpsDashboard(newStack(), 'Dashboard', { dashboardName: 'Rental Orders' }))).toEqual([
      'Stack/Dashboard has 1 problem:',
      '  - dashboardName must be 1 to 255 alphanumeric characters, hyphens and underscores, got "Rental Orders"',
    ]);
    expect(problemsOf(() => new OpsDashboard(newStack(), 'Dashboard', { dashboardName: textToken() }))).toEqual([]);
  });

  test('more than CloudWatch shows: 500 widgets, 2,500 metrics in all, 500 metrics in one widget', () => {
    const app = newApp();
    const stack = new Stack(app, 'Stack');
    const arn = (i: number) => `arn:aws:sqs:us-east-1:111122223333:Dlq-${i}`;
    const queues = (count: number) =>
      Array.from({ length: count }, (_, i) => Queue.fromQueueArn(stack, `${count}-${i}`, arn(i)));
    new OpsDashboard(stack, 'Full', { deadLetterQueues: queues(248) });
    new OpsDashboard(stack, 'TooFull', { deadLetterQueues: queues(501) });
    const share = 'split the content over two dashboards';
    const text = problemsOf(() => app.synth()).join('\n');
    expect(text).toContain(`[Stack/TooFull] widgets must be at most 500; ${share}, got 1006`);
    expect(text).toContain(`[Stack/TooFull] metricsOfOneWidget must be at most 500; ${share}, got 501`);
    expect(text).toContain(`[Stack/TooFull] metrics must be at most 2,500; ${share}, got 2505`);
    expect(text).not.toContain('Stack/Full');
  });
});
