import { Annotations, type App, Stack } from 'aws-cdk-lib';
import { CfnAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import {
  AlarmDefaults,
  AlarmSet,
  DeadLetterQueue,
  DurableTopic,
  FunctionFailures,
  HttpRelay,
  ProcessingQueue,
  RelayEndpoint,
} from '../../../lib';
import { newFunction } from '../../support/inline-function';
import { HERE, newApp, newStack, warningIds } from '../support';

const endpoint = RelayEndpoint.fromUrl('https://partner.example.com/orders');

/** The alarms below a construct, by their paths below it. */
function alarmsIn(scope: Construct): string[] {
  const below = scope.node.path === '' ? 0 : scope.node.path.length + 1;
  const alarms = scope.node.findAll().filter(it => it instanceof CfnAlarm);
  return alarms.map(({ node }) =>
    String(node.scope?.node.path)
      .slice(below)
      .replace(/Alarm$/, ''),
  );
}

/** The metrics of the alarms below a construct, each of which CloudWatch bills. */
function metricsIn(scope: Construct): number {
  const alarms = scope.node.findAll().filter(it => it instanceof CfnAlarm);
  const counts = alarms.map(alarm => {
    const metrics: { metricStat?: unknown }[] = Stack.of(alarm).resolve(alarm.metrics) ?? [{ metricStat: {} }];
    return metrics.filter(({ metricStat }) => metricStat).length;
  });
  return counts.reduce((all, it) => all + it, 0);
}

describe('AlarmSet.ESSENTIAL', () => {
  test('has one alarm for the dead letters of all deliveries of a topic, and one for each queue on their expiry', () => {
    const stack = newStack();
    const topic = new DurableTopic(stack, 'Topic');
    topic.deliverToEndpoint('A', 'https://a.example.com');
    topic.deliverToEndpoint('B', 'https://b.example.com');
    expect(alarmsIn(topic).sort()).toEqual([
      'DeadLettered',
      'Deliveries/A/DeadLetterQueue/Age',
      'Deliveries/B/DeadLetterQueue/Age',
      'LostMessages',
    ]);
    const [alarm] = stack.node.findAll().filter(it => it instanceof CfnAlarm && it.node.path.includes('DeadLettered'));
    expect(stack.resolve((alarm as CfnAlarm).alarmDescription)).toMatch(
      /dead-letter queue of its delivery: A, B\. http/,
    );
  });

  test('gives a delivery its own alarm if its queue or its actions are not those of the topic', () => {
    const stack = newStack();
    const own = new DeadLetterQueue(stack, 'Own');
    const topic = new DurableTopic(stack, 'Topic');
    topic.deliverToEndpoint('A', 'https://a.example.com', { deadLetterQueue: own });
    topic.deliverToEndpoint('B', 'https://b.example.com', { alarmActions: [] });
    expect([own.arrivalsAlarm, topic.deadLetteredAlarm]).toEqual([expect.anything(), undefined]);
    expect(alarmsIn(topic)).toContain('Deliveries/B/DeadLetterQueue/Arrivals');
  });

  test('gives deliveries of another account their own alarms, because AWS does not document which account has the metrics', () => {
    const app = newApp();
    const stack = new Stack(app, 'Here', { env: HERE });
    const there = new Stack(app, 'There', { env: { ...HERE, account: '999988887777' } });
    const topic = new DurableTopic(stack, 'Topic', { topicName: 'orders' });
    topic.deliverToQueue('A', new Queue(there, 'Queue', { queueName: 'there' }));
    expect(topic.deadLetteredAlarm).toBeUndefined();
    expect(alarmsIn(there).filter(it => it.endsWith('DeadLetterQueue/Arrivals'))).toHaveLength(1);
  });

  test('has one alarm on lost events of a function, with a metric for each way to lose one', () => {
    const stack = newStack();
    const failures = new FunctionFailures(stack, 'Failures', { handler: newFunction(stack) });
    expect(alarmsIn(failures).sort()).toEqual(['DeadLetterQueue/Age', 'DeadLetterQueue/Arrivals', 'LostEvents']);
    expect(metricsIn(failures)).toBe(4);
  });

  test('has five alarms for a relay, which also watch its queue and its dead-letter queue', () => {
    const stack = newStack();
    const relay = new HttpRelay(stack, 'Relay', { endpoint });
    const ids = ['Breaker', 'DeadLettered', 'EndpointFailing', 'InDanger', 'Stalled'];
    expect(alarmsIn(relay).sort()).toEqual(ids);
    // CloudWatch takes ten metrics in one alarm.
    expect(metricsIn(relay)).toBe(4 + 3 + 5 + 3 + 8);
    const { queue } = relay;
    expect([queue.ageAlarm, queue.watchedDeadLetters?.ageAlarm].map(it => it?.node.id)).toEqual([
      'InDangerAlarm',
      'InDangerAlarm',
    ]);
    expect([queue.inFlightAlarm, queue.watchedDeadLetters?.arrivalsAlarm]).toEqual([undefined, undefined]);
  });

  test('gives a redrive of a relay alarms of its own', () => {
    const relay = new HttpRelay(newStack(), 'Relay', { endpoint });
    expect(alarmsIn(relay.redriveDeadLetters('Redrive')).sort()).toEqual(['Errors', 'Stopped']);
  });

  test('has the alarm on unattended dead letters only if it is requested', () => {
    const stack = newStack();
    expect(new DeadLetterQueue(stack, 'Plain').unattendedAlarm).toBeUndefined();
    expect(new DeadLetterQueue(stack, 'Watched', { watchUnattended: true }).unattendedAlarm).toBeDefined();
  });
});

describe('The alarm set of a construct', () => {
  const sizeOf = (queue: ProcessingQueue) => alarmsIn(queue).length;

  test('is its own, or that of the nearest construct around it, or else the essential one', () => {
    const app = newApp();
    AlarmDefaults.of(app).use(AlarmSet.ALL);
    const [all, essential] = ['All', 'Essential'].map(id => new Stack(app, id)) as [Stack, Stack];
    AlarmDefaults.of(essential).use(AlarmSet.ESSENTIAL);
    const part = new Construct(essential, 'Part');
    AlarmDefaults.of(part).use(AlarmSet.ALL);
    const sizes = [
      new ProcessingQueue(newStack(), 'Queue'),
      new ProcessingQueue(all, 'Queue'),
      new ProcessingQueue(all, 'Own', { alarms: AlarmSet.ESSENTIAL }),
      new ProcessingQueue(essential, 'Queue'),
      new ProcessingQueue(part, 'Queue'),
    ].map(sizeOf);
    const [few = 0, many = 0] = sizes;
    expect(many).toBeGreaterThan(few);
    expect(sizes).toEqual([few, many, few, few, many]);
  });

  test('of a topic applies to what the topic creates', () => {
    const topic = new DurableTopic(newStack(), 'Topic', { alarms: AlarmSet.ALL });
    topic.deliverToEndpoint('A', 'https://a.example.com');
    expect(topic.deadLetteredAlarm).toBeUndefined();
    expect(alarmsIn(topic)).toContain('Deliveries/A/DeadLetterQueue/Unattended');
  });

  test('cannot be changed once there are alarms, and the error names the construct', () => {
    const stack = newStack();
    new DeadLetterQueue(stack, 'Queue').fedBy(new Topic(stack, 'Topic'));
    const app = stack.node.root as App;
    const late = () => AlarmDefaults.of(app).use(AlarmSet.ALL);
    expect(late).toThrow('alarms must be set before constructs with alarms are created, got "Stack/Queue"');
  });

  test('is refused if it is unknown', () => {
    const wrong = { alarms: 'SOME' as AlarmSet };
    expect(() => new DeadLetterQueue(newStack(), 'Queue', wrong)).toThrow(
      'alarms must be a value of AlarmSet, got "SOME"',
    );
  });

  test.each([AlarmSet.ESSENTIAL, AlarmSet.ALL])('does not change what was acknowledged: %s', set => {
    const stack = newStack();
    const relay = new HttpRelay(stack, 'Relay', { endpoint, alarms: set });
    expect(new Set(warningIds(stack))).toEqual(new Set(['alarm-tells-nobody']));
    Annotations.of(relay).acknowledgeWarning('dead-letter-office:alarm-tells-nobody', 'A dashboard shows it.');
    expect(warningIds(stack)).toEqual([]);
  });
});
